import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { openHome } from '../domain/home/home.ts';
import { openBundle } from '../domain/inbox/open.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';
import { verdictExit, whichBundle } from './which.ts';

const help = 'gage verify --help';

/** `gage verify`: the verdict of a bundle in one word, and nothing that its sender chose. Returns the exit code, 3 for a bad verdict. */
export async function runVerify(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { json: 'switch' }, help);
  const [word = '', extra] = rest;
  if (word === '' || extra !== undefined) throw new UsageError('verify takes one bundle: gage verify DIR|ID', { help });
  try {
    const home = openHome(terminal.env);
    const { row } = await openBundle(home, whichBundle(word, home, terminal.cwd), { anywhere: true }, surroundingsOf(terminal));
    terminal.stdout.write(flags.json === true ? toJsonLine(row) : `${row.verdict}\n`);
    return verdictExit(row.verdict);
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}
