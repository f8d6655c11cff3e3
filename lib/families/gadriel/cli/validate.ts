import type { CliContext } from '../../../mcp/family.types.ts';
import { createColours, type Colours } from '../../../terminal/colour.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import type { Severity } from '../domain/finding.types.ts';
import { ToolFailed } from '../domain/tool-failed.ts';
import { Scans, type FileReport } from '../domain/validate.ts';
import { decodeSource, maxSourceBytes } from '../domain/decode-source.ts';
import { reportFailure } from './failed.ts';
import { describeFinding, reaches, severityOf } from './show-findings.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gadriel code validate --help';

type Options = { file: string; label: string; severity: Severity; json: boolean };

/** `gadriel code validate`: one file or standard input, the validate tools' twin. Returns the exit code; wrong usage throws a UsageError. */
export async function runValidate(words: readonly string[], terminal: CliContext): Promise<number> {
  const options = readOptions(words);
  const scans = new Scans();
  const surroundings = surroundingsOf(terminal);
  try {
    const report =
      options.file === '-'
        ? await scans.validateBuffer(await readStdin(terminal, options.label), options.label, surroundings, terminal.signal)
        : await scans.validateFile(options.file, surroundings, terminal.signal);
    terminal.stdout.write(options.json ? toJsonLine(report) : describeReport(report, createColours(terminal.stdout, terminal.env)));
    return reaches(report.findings, options.severity) ? exitCodes.refused : exitCodes.done;
  } catch (error) {
    return reportFailure(error, terminal, help, options.file);
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
  const { flags, rest } = parseFlags(words, flagTable, help);
  const [file = '', extra] = rest;
  if (extra !== undefined) throw new UsageError('code validate takes one file', { help });
  if (file === '') throw new UsageError('code validate needs a file, or - for standard input', { help });
  return { file, label: flags.path ?? 'stdin.txt', severity: severityOf(flags.severity, help), json: flags.json === true };
}

function describeReport({ findings, count, waived, truncated, incomplete }: FileReport, colours: Colours): string {
  const lines = findings.map((finding) => describeFinding(finding, colours));
  if (truncated !== undefined) lines.push(`… and ${truncated} less severe ones`);
  if (incomplete !== undefined) lines.push(`The analysis is incomplete: ${incomplete}`);
  const also = waived === undefined ? '' : ` (${waived} waived)`;
  lines.push(count === 0 ? colours.green(`no findings${also}`) : `${count} finding${count === 1 ? '' : 's'}${also}`);
  return `${lines.join('\n')}\n`;
}
