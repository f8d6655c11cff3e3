import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { openHome } from '../domain/home/home.ts';
import { openBundle } from '../domain/inbox/open.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';
import { verdictExit, whichBundle } from './which.ts';

const help = 'gage open --help';

/**
 * `gage open`: one bundle inside its frame, or its verdict as JSON.
 * Returns the exit code, 3 for a bad verdict; wrong usage throws a UsageError.
 */
export async function runOpen(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { reveal: 'switch', json: 'switch' }, help);
  const [word = '', extra] = rest;
  if (word === '' || extra !== undefined) throw new UsageError('open takes one bundle: gage open ID|DIR', { help });
  try {
    const home = openHome(terminal.env);
    const which = whichBundle(word, home, terminal.cwd);
    const { row, summary, render } = await openBundle(home, which, { anywhere: true }, surroundingsOf(terminal));
    let reveal = false;
    // JSON has no payload, so there is nothing to ask.
    if (flags.reveal === true && flags.json !== true && row.payload_withheld) {
      if (!row.attributable) terminal.stderr.write('gage: the payload is not as its sender signed it, and is never shown; a person can look at the files\n');
      else if (await isAgreed(summary, terminal)) reveal = true;
      else return gageExit.refused;
    }
    terminal.stdout.write(flags.json === true ? toJsonLine(row) : render({ reveal }));
    return verdictExit(row.verdict);
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}

/** A program that runs the command line is not to get by a flag what its tool refuses. */
async function isAgreed(summary: readonly string[], { prompt, stderr }: CliContext): Promise<boolean> {
  const agreed = await prompt.askYesNo(`${summary.join('\n')}\nA withheld payload may be made to harm whoever reads it. Show it?`, { flag: 'a terminal' });
  if (!agreed) stderr.write('gage: nothing was shown\n');
  return agreed;
}
