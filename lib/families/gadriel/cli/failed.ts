import type { CliContext } from '../../../mcp/family.types.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { safeText } from '../../../text/safe-text.ts';
import { isInvalidParams } from '../../../domain/invalid-params.ts';
import { isToolFailed } from '../domain/tool-failed.ts';

/**
 * How a verb ends that the domain refused: one line on stderr and exit code 1, or wrong usage for a wrong argument.
 * Whoever interrupted it needs no word about what that broke off. Anything else is thrown on. `about` is what it was
 * about, such as a file.
 */
export function reportFailure(error: unknown, terminal: CliContext, help: string, about = ''): number {
  if (terminal.signal.aborted) return exitCodes.interrupted;
  if (isInvalidParams(error)) throw new UsageError(error.message, { help });
  if (!isToolFailed(error)) throw error;
  terminal.stderr.write(`gadriel: ${about === '' ? '' : `${safeText(about)}: `}${safeText(error.message)}\n`);
  return exitCodes.refused;
}
