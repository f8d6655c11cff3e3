import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { openHome } from '../domain/home/home.ts';
import { accept, acceptProblem } from '../domain/inbox/gate.ts';
import { openBundle } from '../domain/inbox/open.ts';
import { resolveId } from '../domain/inbox/store.ts';
import { Refused } from '../domain/refused.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';
import { isId } from './which.ts';

const help = 'gage accept --help';

/**
 * `gage accept`: takes a bundle in, once a person says yes, and prints where its items are and what their sender calls them.
 * Returns the exit code; wrong usage throws a UsageError.
 */
export async function runAccept(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { expired: 'switch', yes: 'switch', json: 'switch' }, help);
  const [word = '', extra] = rest;
  if (!isId(word) || extra !== undefined) throw new UsageError('accept takes one id, 12 digits of it or more: gage accept ID', { help });
  const surroundings = surroundingsOf(terminal);
  try {
    const home = openHome(terminal.env);
    const id = resolveId(home, word);
    const { row, summary } = await openBundle(home, { id }, {}, surroundings);
    const problem = acceptProblem(row, flags.expired === true);
    if (problem !== undefined) throw new Refused(problem);
    // The id covers what the question says, so that what is accepted after it is what was shown.
    const ask = flags.yes !== true && row.state !== 'accepted';
    if (ask && !(await terminal.prompt.askYesNo(`${summary.join('\n')}\nAccept it?`, { flag: '--yes' }))) {
      terminal.stderr.write('gage: nothing was accepted\n');
      return gageExit.refused;
    }
    const accepted = await accept(home, id, { expired: flags.expired === true }, surroundings);
    if (row.state === 'accepted') terminal.stderr.write('gage: this bundle was accepted already\n');
    // The name is escaped in the row, a tab in it too.
    const paths = accepted.items?.map(({ path, name }) => `${path}\t${name}\n`).join('');
    terminal.stdout.write(flags.json === true ? toJsonLine(accepted) : `accepted ${id}\n${paths}`);
    return gageExit.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}
