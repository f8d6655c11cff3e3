import path from 'node:path';
import type { CliContext } from '../../../mcp/family.types.ts';
import { createColours, type Colours } from '../../../terminal/colour.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { formatTable } from '../../../terminal/table.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { safeText } from '../../../text/safe-text.ts';
import { severities } from '../domain/finding.types.ts';
import { toHtml } from '../domain/report/html.ts';
import { toSarif } from '../domain/report/sarif.ts';
import { summarise, type Summary } from '../domain/report/summary.ts';
import { writeReport, type ReportKind } from '../domain/report/write-report.ts';
import { reportFailure } from './failed.ts';
import { refuseNotBuilt } from './not-built.ts';
import { onePath } from './one-path.ts';
import { openRecords, shownPath, type OpenRecords } from './open-records.ts';
import { paintOf } from './show-findings.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gadriel code report --help';
const flagTable = {
  summary: 'switch', html: 'value', sarif: 'value', json: 'switch', format: 'value', 'all-pillars': 'switch', 'fail-on': 'value',
} as const;
const rulesShown = 10;
const foldersShown = 20;

/** `gadriel code report`: the last scan in numbers, as a page or as a SARIF log. Returns the exit code. */
export async function runReport(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, flagTable, help);
  for (const name of ['format', 'all-pillars', 'fail-on'] as const) if (flags[name] !== undefined) refuseNotBuilt(`code report --${name}`, help);
  const toStdout = (['html', 'sarif'] as const).filter((kind) => flags[kind] === '-');
  if (toStdout.length > 1 || (toStdout.length > 0 && (flags.summary === true || flags.json === true))) {
    throw new UsageError(`code report: --${toStdout[0]} - takes all of standard output; name a file to have more at once`, { help });
  }
  const folder = onePath(rest, 'code report', help);
  let about = folder;
  try {
    const records = await openRecords(folder ?? '.', surroundingsOf(terminal));
    about = undefined;
    for (const kind of ['html', 'sarif'] as const) {
      const file = flags[kind];
      if (file === '-') terminal.stdout.write(kind === 'html' ? textOf(kind, records) : toJsonLine(toSarif(records.findings, records.meta)));
      else if (file !== undefined) await writeFile(kind, path.resolve(terminal.cwd, file), records, terminal);
    }
    const wantsSummary = flags.summary === true || flags.json === true || (flags.html === undefined && flags.sarif === undefined);
    if (wantsSummary) {
      const summary = summarise(records.findings);
      terminal.stdout.write(flags.json === true ? toJsonLine(summary) : describeSummary(summary, terminal, createColours(terminal.stdout, terminal.env)));
    }
    return exitCodes.done;
  } catch (error) {
    return reportFailure(error, terminal, help, about);
  }
}

const textOf = (kind: ReportKind, { findings, meta }: OpenRecords): string =>
  (kind === 'html' ? toHtml(findings, meta) : `${JSON.stringify(toSarif(findings, meta), undefined, 2)}\n`);

async function writeFile(kind: ReportKind, file: string, records: OpenRecords, terminal: CliContext): Promise<void> {
  await writeReport(file, textOf(kind, records), { root: records.root, kind });
  // Standard output may be the summary as JSON.
  terminal.stderr.write(`wrote ${shownPath(file, terminal.cwd)}\n`);
}

function describeSummary(summary: Summary, terminal: CliContext, colours: Colours): string {
  const { open, by_severity, by_folder, by_rule, waived, advisory, contested, history } = summary;
  const width = terminal.stdout.columns;
  const counts = severities.filter((severity) => by_severity[severity] > 0).map((severity) => paintOf(severity, colours)(`${by_severity[severity]} ${severity}`));
  const parts = [open === 0 ? colours.green('no open findings') : `${colours.bold(`${open} open finding${open === 1 ? '' : 's'}`)}: ${counts.join(', ')}`];
  if (open > 0) {
    const folders = by_folder.slice(0, foldersShown).map(({ folder, by_severity: own }) => [safeText(folder), ...severities.map((severity) => own[severity])]);
    parts.push('', formatTable(folders, { head: ['folder', ...severities], paintHead: colours.bold, width }).trimEnd(), ...more(by_folder.length - foldersShown, 'folder'));
    const rules = by_rule.slice(0, rulesShown).map(({ rule_id, severity, count, title }) => [count, rule_id, { text: severity, paint: paintOf(severity, colours) }, title]);
    parts.push('', formatTable(rules, { width }).trimEnd(), ...more(by_rule.length - rulesShown, 'rule'));
  }
  const aside = [
    history > 0 && `${history} only in the history of git`,
    waived.by_waiver > 0 && `${waived.by_waiver} waived`,
    waived.in_source > 0 && `${waived.in_source} silenced in the source`,
    advisory > 0 && `${advisory} reported by a model alone`,
    contested > 0 && `${contested} contested by a model`,
  ].filter((part) => part !== false);
  if (aside.length > 0) parts.push('', colours.dim(aside.join(', ')));
  return `${parts.join('\n')}\n`;
}

const more = (count: number, word: string): readonly string[] => (count > 0 ? [`… and ${count} more ${word}${count === 1 ? '' : 's'}`] : []);
