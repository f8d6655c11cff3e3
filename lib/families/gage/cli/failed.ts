import type { CliContext } from '../../../mcp/family.types.ts';
import { isNoAnswerError } from '../../../terminal/prompt.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { safeText } from '../../../text/safe-text.ts';
import { isInvalidParams } from '../../../domain/invalid-params.ts';
import { isRefused } from '../domain/refused.ts';
import { gageExit } from './exit-codes.ts';

/**
 * How a verb ends that the domain refused: one line on stderr and exit code 1, or 4 for a relay that could not be used;
 * wrong usage for a wrong argument. A question that nobody can answer is a refusal too. Anything else is thrown on.
 */
export function reportFailure(error: unknown, { signal, stderr }: CliContext, help: string): number {
  if (signal.aborted || (isNoAnswerError(error) && error.reason === 'interrupted')) return gageExit.interrupted;
  if (isInvalidParams(error)) throw new UsageError(error.message, { help });
  if (!isRefused(error) && !isNoAnswerError(error)) throw error;
  stderr.write(`gage: ${safeText(error.message, 2_000, { keep: '\n' })}\n`);
  return isRefused(error) && error.kind === 'network' ? gageExit.network : gageExit.refused;
}
