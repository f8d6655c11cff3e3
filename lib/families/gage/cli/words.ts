import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { parseToken } from '../domain/identity/token.ts';
import { labelOf, wordsOf } from '../domain/identity/words.ts';
import { gageExit } from './exit-codes.ts';

const help = 'gage words --help';

/** `gage words TOKEN`: the eight words of a token, for the one who reads them out. Returns the exit code; wrong usage throws a UsageError. */
export async function runWords(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { json: 'switch' }, help);
  const token = tokenOf(rest, 'words needs one token');
  const { pairs, words: text } = await wordsOf(token.token);
  terminal.stdout.write(flags.json === true ? toJsonLine({ word_pairs: pairs, words: text, label: labelOf(token.signKey) }) : `${text}\n`);
  return gageExit.done;
}

function tokenOf([text, extra]: readonly string[], usage: string): { readonly token: string; readonly signKey: Uint8Array } {
  if (text === undefined || extra !== undefined) throw new UsageError(usage, { help });
  const parsed = parseToken(text);
  if ('problem' in parsed) throw new UsageError(`that is no gage token (${parsed.problem}): it must be the 89 characters that gage whoami prints`, { help });
  return parsed;
}
