import { realpathSync } from 'node:fs';
import path from 'node:path';

/** The running program as others can start it: the script that node runs, and the words that select a family. */
export type Launcher = { readonly script: string; readonly words: readonly string[] };

/**
 * Says how the running program is started again. `script` is what node runs now, as a shell or a host found it, with links
 * followed; `family` is left out of the words where the program is that family's own bin.
 */
export function launcherOf(family: string | undefined, script: string = process.argv[1] ?? ''): Launcher {
  const own = family === undefined || path.basename(script, '.js') === family;
  return { script: realpathSync(script), words: own ? [] : [family] };
}
