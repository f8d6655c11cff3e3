import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { openHome } from '../domain/home/home.ts';
import { isNamedDelivery, reject, rejectFolder } from '../domain/inbox/reject.ts';
import { resolveId } from '../domain/inbox/store.ts';
import { oneLine, quotedName } from '../domain/render/escape.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';
import { isId, isShort, shortId } from './which.ts';

const help = 'gage reject --help';

/**
 * `gage reject`: deletes a bundle and remembers that it was refused, with --block its signer too; or deletes a delivery that lies
 * under no id, by the name of its folder.
 * Returns the exit code; wrong usage throws a UsageError.
 */
export async function runReject(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { block: 'switch', json: 'switch' }, help);
  const [word = '', extra] = rest;
  if (word === '' || extra !== undefined) throw new UsageError('reject takes one id, 12 digits of it or more, or the name of a delivery: gage reject ID', { help });
  try {
    const home = openHome(terminal.env);
    const surroundings = surroundingsOf(terminal);
    if (isShort(word) && !isNamedDelivery(home, word)) throw shortId('gage inbox lists them');
    const byName = !isId(word) || isNamedDelivery(home, word);
    if (byName && flags.block === true) throw new UsageError('--block needs an id: what lies under none was sent by nobody in particular', { help });
    const rejected = byName ? await rejectFolder(home, word, surroundings) : await reject(home, resolveId(home, word), { block: flags.block === true }, surroundings);
    const { id, remembered, blocked } = rejected;
    const what = id ?? oneLine(word, 120);
    terminal.stdout.write(flags.json === true ? toJsonLine(rejected) : `rejected ${what}${blocked === null ? '' : `, and blocked ${quotedName(blocked)}`}\n`);
    if (id !== null && !remembered) terminal.stderr.write('gage: it was not as its sender signed it, so a good copy of it may still come\n');
    return gageExit.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}
