import path from 'node:path';
import type { CliContext } from '../../../mcp/family.types.ts';
import { createColours, type Colours } from '../../../terminal/colour.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { createProgress } from '../../../terminal/progress.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { safeText } from '../../../text/safe-text.ts';
import { severities, type Finding, type Severity } from '../domain/finding.types.ts';
import { loadWaivers } from '../domain/records/waivers.ts';
import { toHtml } from '../domain/report/html.ts';
import type { ReportMeta } from '../domain/report/report.types.ts';
import { toSarif } from '../domain/report/sarif.ts';
import { bySeverity } from '../domain/report/summary.ts';
import { writeReport, type ReportKind } from '../domain/report/write-report.ts';
import { readBaseline } from '../domain/repository/baseline.ts';
import { scanRepository, type RepositoryScan, type RepositoryScanOptions } from '../domain/repository/scan-repository.ts';
import { isToolFailed, type ToolFailed } from '../domain/tool-failed.ts';
import { reportFailure } from './failed.ts';
import { onePath } from './one-path.ts';
import { describeFinding, paintOf, reaches, severityOf } from './show-findings.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gadriel code scan --help';

const flagTable = {
  severity: 'value', json: 'switch', sarif: 'value', html: 'value', since: 'value', staged: 'switch', history: 'switch', baseline: 'value',
  profile: 'value', 'no-cache': 'switch', 'no-write': 'switch',
} as const;

type Options = {
  readonly scan: RepositoryScanOptions;
  readonly severity: Severity;
  readonly json: boolean;
  readonly reports: readonly (readonly [kind: ReportKind, file: string])[];
  readonly baseline: string | undefined;
};

/** `gadriel code scan`: a repository or a part of it. Returns the exit code; wrong usage throws a UsageError. */
export async function runScan(words: readonly string[], terminal: CliContext): Promise<number> {
  const options = readOptions(words, terminal);
  const surroundings = surroundingsOf(terminal);
  let progress: ReturnType<typeof createProgress> | undefined;
  const onProgress = (done: number, total: number, file: string): void => {
    progress ??= createProgress({ stream: terminal.stderr, label: 'scanning', total });
    progress.update(done, file);
  };
  // Told after the findings: a read-only checkout or a full disk must not cost a whole scan.
  const failures: ToolFailed[] = [];
  try {
    const known = options.baseline === undefined ? undefined : await readBaseline(path.resolve(terminal.cwd, options.baseline));
    const onUnrecorded = (error: ToolFailed): void => void failures.push(error);
    const scan = await scanRepository({ ...options.scan, onProgress, onUnrecorded }, surroundings).finally(() => progress?.end());
    const findings = known === undefined ? scan.findings : scan.findings.filter((finding) => !known.has(finding.fingerprint));
    const now = surroundings.now();
    const waivers = await loadWaivers(scan.root, now);
    for (const [kind, file] of options.reports) {
      await writeOne(kind, file, findings, { root: scan.root, now, waiverOf: (finding) => waivers.match(finding) }).catch((error: unknown) => {
        if (!isToolFailed(error)) throw error;
        failures.push(error);
      });
    }
    const report = { ...scan, findings, known: scan.findings.length - findings.length };
    const unscanned = scan.incomplete.filter((each) => each.failed === true || each.undecoded === true).length;
    const failed = reaches(findings, options.severity) || unscanned > 0;
    const text = options.json ? toJsonLine(answerOf(report, options.severity, failed)) : describeScan(report, createColours(terminal.stdout, terminal.env));
    terminal.stdout.write(text);
    // What nobody has looked at must not pass a gate.
    if (unscanned > 0) terminal.stderr.write(`gadriel: ${unscanned} file${unscanned === 1 ? '' : 's'} could not be scanned\n`);
    for (const error of failures) reportFailure(error, terminal, help);
    return failed || failures.length > 0 ? exitCodes.refused : exitCodes.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}

function readOptions(words: readonly string[], terminal: CliContext): Options {
  const { flags, rest } = parseFlags(words, flagTable, help);
  const given = onePath(rest, 'code scan', help);
  if (flags.since !== undefined && flags.staged === true) throw new UsageError('--since and --staged exclude each other', { help });
  if (flags.history === true && flags.staged === true) throw new UsageError('--history and --staged exclude each other', { help });
  const { profile } = flags;
  if (profile !== undefined && profile !== 'audit' && profile !== 'default') throw new UsageError('--profile needs one of default, audit', { help });
  const reports = (['sarif', 'html'] as const).flatMap((kind) => {
    const file = flags[kind];
    if (file === '-') throw new UsageError(`--${kind} needs a file: standard output tells the findings. Scan first, then gadriel code report --${kind} -`, { help });
    return file === undefined ? [] : [[kind, path.resolve(terminal.cwd, file)] as const];
  });
  return {
    scan: {
      path: given ?? '.', profile, since: flags.since, staged: flags.staged === true, history: flags.history === true, cache: flags['no-cache'] !== true,
      write: flags['no-write'] !== true,
      signal: terminal.signal,
    },
    severity: severityOf(flags.severity, help), json: flags.json === true, reports, baseline: flags.baseline,
  };
}

async function writeOne(kind: ReportKind, file: string, findings: readonly Finding[], meta: ReportMeta): Promise<void> {
  const text = kind === 'html' ? toHtml(findings, meta) : `${JSON.stringify(toSarif(findings, meta), undefined, 2)}\n`;
  await writeReport(file, text, { root: meta.root, kind });
}

type Report = RepositoryScan & { readonly known: number };

function answerOf({ findings, files, cached, skipped, incomplete, commits, historyKept, known }: Report, severity: Severity, failed: boolean): object {
  const open = findings.filter((finding) => !finding.waived);
  return {
    findings, count: open.length, waived: findings.length - open.length, ...(known > 0 && { known }), files, cached, skipped, incomplete,
    ...(commits !== undefined && { commits }), ...(historyKept > 0 && { history_kept: historyKept }), gate: { severity, failed },
  };
}

function describeScan({ findings, files, cached, skipped, incomplete, commits, historyKept, alone, known }: Report, colours: Colours): string {
  const open = findings.filter((finding) => !finding.waived).sort(bySeverity);
  const lines = open.map((finding) => describeFinding(finding, colours));
  for (const { file, reason } of incomplete) lines.push(colours.yellow(`${safeText(file)}: ${safeText(reason)}`));
  const counts = severities.flatMap((severity) => {
    const count = open.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [paintOf(severity, colours)(`${count} ${severity}`)];
  });
  lines.push(open.length === 0 ? colours.green('no findings') : `${open.length} finding${open.length === 1 ? '' : 's'}: ${counts.join(', ')}`);
  const left = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  const aside = [
    `${files} file${files === 1 ? '' : 's'} scanned${cached > 0 ? ` (${cached} unchanged)` : ''}`,
    ...(commits === undefined ? [] : [`${commits} commit${commits === 1 ? '' : 's'} searched`]),
    ...(findings.length > open.length ? [`${findings.length - open.length} waived`] : []),
    ...(known > 0 ? [`${known} in the baseline`] : []),
    ...(left.length > 0 ? [`left out: ${left.join(', ')}`] : []),
  ];
  const notes = [aside.join('; ')];
  if (historyKept > 0) notes.push(`${historyKept} open secret${historyKept === 1 ? '' : 's'} of the history kept; gadriel code findings lists them`);
  if (alone) notes.push('the file is in no repository: nothing was recorded');
  return `${lines.join('\n')}\n${notes.map((note) => colours.dim(note)).join('\n')}\n`;
}
