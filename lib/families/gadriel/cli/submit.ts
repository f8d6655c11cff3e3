import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CliContext } from '../../../mcp/family.types.ts';
import { createColours, type Colours } from '../../../terminal/colour.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { safeText } from '../../../text/safe-text.ts';
import { droppedOf, type Dropped } from '../domain/tier2/dropped.ts';
import { fusionMode } from '../domain/tier2/fuse.ts';
import { fuseSubmission, parseSubmissionFile, type Submitted } from '../domain/tier2/submit.ts';
import { namedFiles, scanSources } from '../domain/tier2/scan-sources.ts';
import { ToolFailed } from '../domain/tool-failed.ts';
import { reportFailure } from './failed.ts';
import { describeFinding } from './show-findings.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gadriel code submit --help';
const maxBytes = 16 * 1024 * 1024;

/** `gadriel code submit`: joins a file of a model's findings with a scan made now. Returns the exit code; wrong usage throws a UsageError. */
export async function runSubmit(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { mode: 'value', json: 'switch' }, help);
  const [file, ...sources] = rest;
  if (file === undefined || file === '') throw new UsageError('code submit needs a file of findings, or - for standard input', { help });
  try {
    const { ai_findings, mode } = parseSubmissionFile(await readInput(file, terminal));
    const scanned = await scanSources(sources.length > 0 ? { sources } : { named: namedFiles(ai_findings) }, surroundingsOf(terminal), terminal.signal);
    const wanted = fusionMode(flags.mode ?? mode ?? 'advisory');
    const submitted = fuseSubmission(scanned, ai_findings, wanted);
    terminal.stderr.write(describeDropped(droppedOf(scanned, ai_findings, wanted), submitted));
    terminal.stdout.write(flags.json === true ? toJsonLine(submitted) : describe(submitted, createColours(terminal.stdout, terminal.env)));
    // Where nothing of it could be read, a script must not take it for done.
    return ai_findings.length > 0 && submitted.report.malformed_skipped === ai_findings.length ? exitCodes.refused : exitCodes.done;
  } catch (error) {
    return reportFailure(error, terminal, help, file);
  }
}

async function readInput(file: string, { stdin, cwd }: CliContext): Promise<Uint8Array> {
  const bytes = file === '-' ? await stdin.read(maxBytes) : await readFile(path.resolve(cwd, file)).catch((cause: NodeJS.ErrnoException) => {
    throw new ToolFailed(`the file can not be read (${cause.code ?? 'unknown'})`, { cause });
  });
  if (bytes.byteLength > maxBytes) throw new ToolFailed(`the findings are larger than ${maxBytes / 1024 / 1024} MiB`);
  return bytes;
}

/** A line for each entry that came to nothing; a model that wrote it can mend it. */
function describeDropped(dropped: readonly Dropped[], { report }: Submitted): string {
  const lines = dropped.map(({ index, why }) => `gadriel: ai_findings[${index}] is dropped: ${safeText(why)}\n`);
  const others = report.rejected_count + report.malformed_skipped - dropped.length;
  return `${lines.join('')}${others > 0 ? `gadriel: ${others} more of ai_findings are dropped; at most the 50 most severe are taken\n` : ''}`;
}

function describe({ findings, report }: Submitted, colours: Colours): string {
  const { corroborated, contested, advisory_added, rejected_count, malformed_skipped } = report;
  const shown = findings.map((finding) => describeFinding(finding, colours));
  const counts = `${corroborated} corroborated, ${contested} contested, ${advisory_added} added as advisory, ${rejected_count} rejected, ${malformed_skipped} malformed`;
  return `${[...shown, counts].join('\n')}\n`;
}
