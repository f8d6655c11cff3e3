import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { CliContext } from '../../../mcp/family.types.ts';
import { createColours, type Colours } from '../../../terminal/colour.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { capFindings } from '../domain/answer-cap.ts';
import { severities, type Finding } from '../domain/finding.types.ts';
import { findingsName } from '../domain/records/ocsf-fields.ts';
import { repoRootOf } from '../domain/records/repo-root.ts';
import { bySeverity } from '../domain/report/summary.ts';
import { ToolFailed } from '../domain/tool-failed.ts';
import { reportFailure } from './failed.ts';
import { onePath } from './one-path.ts';
import { openRecords } from './open-records.ts';
import { describeFinding, severityOf } from './show-findings.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gadriel code findings --help';

/** `gadriel code findings`: what the last scan found, all of it or that of one file or folder. Returns the exit code. */
export async function runFindings(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { severity: 'value', waived: 'switch', json: 'switch' }, help);
  const given = onePath(rest, 'code findings', help) ?? '.';
  const least = severities.indexOf(severityOf(flags.severity ?? 'info', help));
  try {
    const { root, within } = await locate(given, terminal.cwd);
    const { findings } = await openRecords(root, surroundingsOf(terminal));
    const there = findings.filter(({ file }) => isWithin(file, within));
    if (there.length === 0 && !existsSync(path.resolve(terminal.cwd, given))) throw new ToolFailed(`nothing is at ${given}, and no finding names it`);
    const chosen = there.filter(({ severity }) => severities.indexOf(severity) <= least);
    // As findings_for_path answers it, whose limit holds for both.
    const answer = (): object => ({ ...capFindings(chosen), count: chosen.length, source: findingsName });
    terminal.stdout.write(flags.json === true ? toJsonLine(answer()) : describe(chosen, flags.waived === true, createColours(terminal.stdout, terminal.env)));
    return exitCodes.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}

const isWithin = (file: string, within: string): boolean => within === '' || file === within || file.startsWith(`${within}/`);

/** The repository that a path is in, and the path as findings name it: from the root, forward slashes, empty for the root itself. */
async function locate(given: string, cwd: string): Promise<{ readonly root: string; readonly within: string }> {
  const missing: string[] = [];
  let folder = path.resolve(cwd, given);
  // A file may have been deleted since the scan that names it.
  for (; !existsSync(folder) && folder !== path.dirname(folder); folder = path.dirname(folder)) missing.unshift(path.basename(folder));
  const root = await repoRootOf(folder, cwd);
  const within = path.relative(root, path.join(await realpath(folder), ...missing));
  return { root, within: within.split(path.sep).join('/') };
}

function describe(findings: readonly Finding[], withWaived: boolean, colours: Colours): string {
  const shown = findings.filter(({ waived }) => withWaived || !waived).sort(bySeverity);
  const lines = shown.map((finding) => `${finding.waived ? `${colours.dim('waived')} ` : ''}${describeFinding(finding, colours)}`);
  lines.push(shown.length === 0 ? colours.green('no findings') : `${shown.length} finding${shown.length === 1 ? '' : 's'}`);
  const hidden = findings.length - shown.length;
  if (hidden > 0) lines.push(colours.dim(`${hidden} waived; --waived shows them`));
  return `${lines.join('\n')}\n`;
}
