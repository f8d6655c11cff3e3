import type { CliContext } from '../../mcp/family.types.ts';
import { createColours, type Colours } from '../../terminal/colour.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { parseFlags } from '../../terminal/flags.ts';
import { suggestion } from '../../terminal/nearest.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { safeText } from '../../text/safe-text.ts';
import { severities, type Finding, type Severity } from './domain/finding.types.ts';
import { isToolFailed, ToolFailed } from './domain/tool-failed.ts';
import { Scans, type FileReport } from './domain/validate.ts';
import { decodeSource, maxSourceBytes } from './domain/decode-source.ts';

type Options = { file: string; label: string; severity: Severity; json: boolean };

/** `gadriel code validate`: one file or standard input, the validate tools' twin. Returns the exit code; wrong usage throws a UsageError. */
export async function runValidate(words: readonly string[], terminal: CliContext): Promise<number> {
  const options = readOptions(words);
  const scans = new Scans();
  try {
    const report =
      options.file === '-'
        ? await scans.validateBuffer(await readStdin(terminal, options.label), options.label, terminal.signal)
        : await scans.validateFile(options.file, terminal.cwd, terminal.signal);
    terminal.stdout.write(options.json ? `${JSON.stringify(report)}\n` : describeReport(report, createColours(terminal.stdout, terminal.env)));
    const gate = severities.indexOf(options.severity);
    return report.findings.some((finding) => !finding.waived && severities.indexOf(finding.severity) <= gate) ? exitCodes.refused : exitCodes.done;
  } catch (error) {
    if (!isToolFailed(error)) throw error;
    terminal.stderr.write(`gadriel: ${safeText(options.file)}: ${error.message}\n`);
    return exitCodes.refused;
  } finally {
    await scans.close();
  }
}

async function readStdin(terminal: CliContext, label: string): Promise<string> {
  const bytes = await terminal.stdin.read(maxSourceBytes);
  if (bytes.byteLength > maxSourceBytes) throw new ToolFailed(`standard input is larger than ${maxSourceBytes / 1024 / 1024} MiB, the most that is scanned`);
  return decodeSource(bytes, label);
}

const flagTable = { path: 'value', severity: 'value', json: 'switch' } as const;

function readOptions(words: readonly string[]): Options {
  const help = 'gadriel code validate --help';
  const { flags, rest } = parseFlags(words, flagTable, help);
  const [file = '', extra] = rest;
  if (extra !== undefined) throw new UsageError('code validate takes one file', { help });
  if (file === '') throw new UsageError('code validate needs a file, or - for standard input', { help });
  const given = flags.severity ?? 'high';
  const severity = severities.find((one) => one === given);
  if (severity === undefined) throw new UsageError(`--severity needs one of ${severities.join(', ')}${suggestion(given, severities)}`, { help });
  return { file, label: flags.path ?? 'stdin.txt', severity, json: flags.json === true };
}

function describeReport({ findings, count, truncated, incomplete }: FileReport, colours: Colours): string {
  const paint: Readonly<Record<Severity, (text: string) => string>> = {
    critical: colours.red, high: colours.red, medium: colours.yellow, low: colours.cyan, info: colours.dim,
  };
  const lines = findings.map((finding) => describeFinding(finding, paint[finding.severity], colours));
  if (truncated !== undefined) lines.push(`… and ${truncated} less severe ones`);
  if (incomplete !== undefined) lines.push(`The analysis is incomplete: ${incomplete}`);
  lines.push(count === 0 ? colours.green('no findings') : `${count} finding${count === 1 ? '' : 's'}`);
  return `${lines.join('\n')}\n`;
}

function describeFinding(finding: Finding, paint: (text: string) => string, colours: Colours): string {
  const place = safeText(`${finding.file}:${finding.line}:${finding.column}`);
  const head = `${colours.bold(place)}  ${paint(finding.severity)}  ${finding.rule_id}  ${finding.cwe}`;
  const trace = finding.trace.map(({ line, note }) => colours.dim(`    line ${line}: ${safeText(note)}`));
  return [head, `  ${safeText(finding.message)}`, ...trace, `  ${colours.dim(`fix: ${finding.remediation}`)}`, ''].join('\n');
}
