import type { CliContext } from '../../mcp/family.types.ts';
import { createColours, type Colours } from '../../terminal/colour.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { safeText } from '../../text/safe-text.ts';
import { severities, type Finding, type Severity } from './domain/finding.types.ts';
import { isToolFailed, ToolFailed } from './domain/tool-failed.ts';
import { Scans, type FileReport } from './domain/validate.ts';
import { decodeText, maxSourceBytes } from './domain/decode-source.ts';

type Options = { file: string; label: string; severity: Severity; json: boolean };

/** `gadriel code validate`: one file or standard input, the validate tools' twin. Returns the exit code. */
export async function runValidate(words: readonly string[], terminal: CliContext, help: string): Promise<number> {
  const options = readOptions(words);
  if (typeof options === 'string') {
    terminal.stderr.write(`gadriel: ${safeText(options)}\n\n${help}`);
    return exitCodes.usage;
  }
  const scans = new Scans();
  try {
    const report =
      options.file === '-'
        ? await scans.validateBuffer(await readStdin(terminal), options.label, terminal.signal)
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

async function readStdin(terminal: CliContext): Promise<string> {
  const bytes = await terminal.stdin.read(maxSourceBytes);
  if (bytes.byteLength > maxSourceBytes) throw new ToolFailed(`standard input is larger than ${maxSourceBytes / 1024 / 1024} MiB, the most that is scanned`);
  return decodeText(bytes);
}

function readOptions(words: readonly string[]): Options | string {
  const options: Options = { file: '', label: 'stdin.txt', severity: 'high', json: false };
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const files: string[] = [];
  const rest = words.slice(0, end).flatMap((word) => /^(--(?:path|severity))=([^]*)$/.exec(word)?.slice(1) ?? word);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--json') options.json = true;
    else if (word === '--path') {
      const label = rest.shift() ?? '';
      if (label === '') return '--path needs the path that the text would be saved under';
      options.label = label;
    } else if (word === '--severity') {
      const level = severities.find((one) => one === rest[0]);
      if (level === undefined) return `--severity needs one of ${severities.join(', ')}`;
      options.severity = level;
      rest.shift();
    } else if (word.startsWith('-') && word !== '-') return `unknown option ${word}`;
    else files.push(word);
  }
  files.push(...words.slice(end + 1));
  if (files.length > 1) return 'code validate takes one file';
  options.file = files[0] ?? '';
  return options.file === '' ? 'code validate needs a file, or - for standard input' : options;
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
