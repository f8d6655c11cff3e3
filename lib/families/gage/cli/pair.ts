import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { shellCommand } from '../../../text/shell-command.ts';
import { loadBuddies } from '../domain/buddies/buddies.ts';
import { checkFreeName, checkNewKey } from '../domain/buddies/check-new.ts';
import { addBuddy } from '../domain/buddies/edit.ts';
import { openHome } from '../domain/home/home.ts';
import { loadIdentity } from '../domain/identity/identity-file.ts';
import { parseToken } from '../domain/identity/token.ts';
import { Refused } from '../domain/refused.ts';
import { quotedName } from '../domain/render/escape.ts';
import { askForWords } from './ask-words.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gage pair --help';

/**
 * `gage pair TOKEN NAME`: lists a key, as confirmed where the person types the words right, as unconfirmed after Enter alone.
 * Returns the exit code; wrong usage throws a UsageError.
 */
export async function runPair(words: readonly string[], terminal: CliContext): Promise<number> {
  const { rest } = parseFlags(words, {}, help);
  const [token, given, extra] = rest;
  if (token === undefined || given === undefined || extra !== undefined) throw new UsageError('pair needs a token and a name', { help });
  const parsed = parseToken(token);
  if ('problem' in parsed) throw new UsageError(`that is no gage token (${parsed.problem}): it must be the 89 characters that gage whoami prints at the other machine`, { help });
  const name = given.normalize('NFC');
  try {
    const home = openHome(terminal.env);
    // Before the question, so that nobody compares words for nothing; once more under the lock.
    const own = loadIdentity(home).token;
    const buddies = loadBuddies(home);
    checkNewKey(buddies, token, own);
    checkFreeName(buddies, name);
    if (terminal.prompt.present) terminal.stderr.write(`Call ${quotedName(name)}, and let them read out the eight words that gage whoami --words prints there.\n`);
    const answer = await askForWords(terminal, token, 'The eight words (Enter alone: list without comparing):');
    if (answer === 'wrong') throw new Refused('the words do not fit this key: nothing was added; the token may have been exchanged on its way');
    await addBuddy(home, { token, name, by: 'cli', confirmed: answer === 'right' }, surroundingsOf(terminal));
    terminal.stdout.write(`${name}\t${answer === 'right' ? 'confirmed' : 'unconfirmed'}\n`);
    if (answer === 'none') terminal.stderr.write(`Once the words are compared: ${shellCommand('gage buddies confirm', name)}\n`);
    return gageExit.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}
