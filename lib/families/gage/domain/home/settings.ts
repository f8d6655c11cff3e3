import { loadConfig } from './config.ts';
import type { Home } from './home.ts';
import { loadRoutes } from './routes.ts';

/**
 * Throws Refused where config.json or routes.json is broken, naming the key. Asked for at every start, whatever is to be done: what
 * a person meant to forbid or direct by a file that can not be read is not to be guessed by some of the commands.
 */
export function checkSettings(home: Home): void {
  loadConfig(home);
  loadRoutes(home);
}
