import type { CliContext } from '../../../mcp/family.types.ts';
import { normaliseEcho, wordsOf } from '../domain/identity/words.ts';

const tries = 3;

/**
 * Asks the person at the terminal for the eight words as somebody reads them out at the other machine, three times at most;
 * `none` is Enter alone. The words themselves are not shown here: who could copy them would compare nothing. Throws a
 * NoAnswerError where nobody can be asked.
 */
export async function askForWords({ prompt, stderr }: CliContext, token: string, question: string): Promise<'right' | 'wrong' | 'none'> {
  const expected = normaliseEcho((await wordsOf(token)).pairs);
  for (let left = tries; left > 0; left -= 1) {
    const answer = normaliseEcho(await prompt.askLine(question, { flag: 'a terminal: a person has to compare the words' }));
    if (answer === '') return 'none';
    // Both sides are at this machine and the words are no secret: nothing is gained by comparing in constant time.
    if (answer === expected) return 'right';
    if (left > 1) stderr.write('Those are not the words of this key. Ask for them once more, all eight.\n');
  }
  return 'wrong';
}
