import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { openHome } from '../domain/home/home.ts';
import { publicSideOf } from '../domain/home/own-identity.ts';
import { createIdentity } from '../domain/identity/identity-file.ts';
import { checkNewHandle } from '../domain/identity/names.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gage init --help';

/** `gage init HANDLE`: makes the home and its identity, and prints token and words. Returns the exit code; wrong usage throws a UsageError. */
export async function runInit(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { json: 'switch' }, help);
  const [handle, extra] = rest;
  if (handle === undefined || extra !== undefined) throw new UsageError('init needs one handle, in quotes where it holds spaces', { help });
  const problem = checkNewHandle(handle.normalize('NFC'));
  if (problem !== undefined) throw new UsageError(`the handle ${problem}`, { help });
  try {
    const home = openHome(terminal.env);
    const own = await publicSideOf(await createIdentity(home, handle, surroundingsOf(terminal)));
    terminal.stdout.write(flags.json === true ? toJsonLine(own) : `${own.token}\n${own.words}\n`);
    terminal.stderr.write('Give the token to who wants to write to you, and read them the eight words by another way, such as a call.\n');
    return gageExit.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}
