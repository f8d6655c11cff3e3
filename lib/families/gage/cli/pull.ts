import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { pull, type Pulled } from '../domain/send/pull.ts';
import { watchPulls } from '../domain/send/watch.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gage pull --help';

/** `gage pull`: collects what waits on the relay. With --watch until it is interrupted. Returns the exit code; wrong usage throws a UsageError. */
export async function runPull(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { watch: 'switch', json: 'switch' }, help);
  if (rest.length > 0) throw new UsageError('pull takes no words', { help });
  const show = (pulled: Pulled): void => {
    terminal.stdout.write(flags.json === true ? toJsonLine(pulled) : describe(pulled));
    if (pulled.malformed > 0) terminal.stderr.write('gage: what was malformed is no good bundle for you: gage inbox --quarantine lists it\n');
  };
  // A watch whose words nobody reads any more is over: what came lies in the inbox.
  const { failed } = terminal.stdout;
  const signal = flags.watch === true && failed !== undefined ? AbortSignal.any([terminal.signal, failed]) : terminal.signal;
  try {
    if (flags.watch === true) await watchPulls(surroundingsOf(terminal), { signal, show });
    else show(await pull(surroundingsOf(terminal), { signal }));
    return gageExit.done;
  } catch (error) {
    // Whoever stops a watch is done with it.
    if (flags.watch === true && signal.aborted) return gageExit.done;
    return reportFailure(error, terminal, help);
  }
}

function describe({ pulled, new_ids: ids, duplicates, refused, malformed, remaining }: Pulled): string {
  const counts = `pulled ${pulled}, duplicates ${duplicates}, refused ${refused}, malformed ${malformed}, remaining ${remaining}\n`;
  return counts + ids.map((id) => `${id}\n`).join('');
}
