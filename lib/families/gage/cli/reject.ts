import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { openHome } from '../domain/home/home.ts';
import { reject } from '../domain/inbox/gate.ts';
import { resolveId } from '../domain/inbox/store.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';
import { isId } from './which.ts';

const help = 'gage reject --help';

/**
 * `gage reject`: deletes a bundle and remembers that it was refused, with --block its signer too.
 * Returns the exit code; wrong usage throws a UsageError.
 */
export async function runReject(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { block: 'switch', json: 'switch' }, help);
  const [word = '', extra] = rest;
  if (!isId(word) || extra !== undefined) throw new UsageError('reject takes one id, 12 digits of it or more: gage reject ID', { help });
  try {
    const home = openHome(terminal.env);
    const rejected = await reject(home, resolveId(home, word), { block: flags.block === true }, surroundingsOf(terminal));
    const { id, remembered, blocked } = rejected;
    terminal.stdout.write(flags.json === true ? toJsonLine(rejected) : `rejected ${id}${blocked === null ? '' : `, and blocked ${blocked}`}\n`);
    if (!remembered) terminal.stderr.write('gage: it was not as its sender signed it, so a good copy of it may still come\n');
    return gageExit.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}
