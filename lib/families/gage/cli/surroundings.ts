import type { CliContext } from '../../../mcp/family.types.ts';
import { safeText } from '../../../text/safe-text.ts';
import type { Surroundings } from '../../../domain/surroundings.types.ts';

/** What the domain gets from a terminal: warnings and errors go to stderr as lines, the rest nowhere. */
export function surroundingsOf({ env, cwd, now, random, stderr }: CliContext): Surroundings {
  return {
    env, cwd, now, random,
    log: (level, message) => {
      if (level === 'warning' || level === 'error') stderr.write(`gage: ${level}: ${safeText(message)}\n`);
    },
  };
}
