import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { openHome } from '../domain/home/home.ts';
import { ownIdentity } from '../domain/home/own-identity.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';

const help = 'gage whoami --help';

/** `gage whoami`: handle, TAB, token; the twin of gage_identity. Returns the exit code; wrong usage throws a UsageError. */
export async function runWhoami(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { words: 'switch', json: 'switch' }, help);
  if (rest.length > 0) throw new UsageError('whoami takes no words', { help });
  try {
    const own = await ownIdentity(openHome(terminal.env));
    const lines = `${own.handle}\t${own.token}\n${flags.words === true ? `${own.words}\n` : ''}`;
    terminal.stdout.write(flags.json === true ? toJsonLine(own) : lines);
    return gageExit.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}
