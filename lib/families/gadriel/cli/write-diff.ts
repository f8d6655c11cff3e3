import type { CliContext } from '../../../mcp/family.types.ts';
import { safeText } from '../../../text/safe-text.ts';

/** Prints a diff: through a pipe byte for byte, for `git apply`; on a terminal without the control characters that a file may hold. */
export function writeDiff(diff: string, stdout: CliContext['stdout']): void {
  stdout.write(stdout.isTTY ? safeText(diff, Infinity, { keep: '\n\t' }) : diff);
}
