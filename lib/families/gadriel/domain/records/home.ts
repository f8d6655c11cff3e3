import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';

/**
 * Where this program keeps what is its user's, not a repository's: `GADRIEL_HOME`, else `~/.gadriel`; absolute.
 *
 * A relative path is ignored and `log` told: it would mean another place in each working folder, and that may be a
 * repository which brings a store of its own along.
 */
export function homeOf(env: Surroundings['env'], log: Surroundings['log'] = () => {}): string {
  const given = env['GADRIEL_HOME'] ?? '';
  if (path.isAbsolute(given)) return path.normalize(given);
  if (given !== '') log('warning', 'GADRIEL_HOME is a relative path and is ignored: give an absolute one');
  // HOME itself may be anything; what the system knows of its user is the last resort.
  const person = [env['HOME'] ?? '', homedir()].find((folder) => path.isAbsolute(folder)) ?? userInfo().homedir;
  return path.join(person, '.gadriel');
}

/**
 * The text of a file of the user's, undefined where there is none. Throws for what is no regular file, without waiting for
 * the other end of a pipe, and for one of more bytes than allowed.
 */
export function readHomeFile(file: string, maxBytes: number): string | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error('it is no regular file');
    if (stats.size > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024 / 1024} MiB`);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
