import { homedir } from 'node:os';
import path from 'node:path';
import type { Surroundings } from '../surroundings.types.ts';

/** Where this program keeps what is its user's, not a repository's: `GADRIEL_HOME`, else `~/.gadriel`; absolute. */
export function homeOf(env: Surroundings['env']): string {
  return path.resolve(env['GADRIEL_HOME'] || path.join(env['HOME'] || homedir(), '.gadriel'));
}
