import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolders } from '../../../../store/make-folders.ts';
import { homeOf, readHomeFile } from '../records/home.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';

const keyBytes = 32;
/** The key in hex and a line end, with room for whoever writes one by hand. */
const maxKeyFileBytes = 1024;

/**
 * The secret by which this user's own caches are known, made at the first scan; undefined where there is no place for one.
 * Without it a repository could bring a cache along that says that nothing was found.
 */
export function cacheKey({ env, random }: Pick<Surroundings, 'env' | 'random'>): Uint8Array | undefined {
  const file = path.join(homeOf(env), 'store', 'cache-key');
  try {
    return readKey(file) ?? makeKey(file, random(keyBytes));
  } catch {
    return undefined;
  }
}

function readKey(file: string): Uint8Array | undefined {
  const text = readHomeFile(file, maxKeyFileBytes)?.trim();
  return text !== undefined && /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

function makeKey(file: string, key: Uint8Array): Uint8Array | undefined {
  makeFolders(path.dirname(file), 0o700);
  try {
    writeFileSync(file, `${Buffer.from(key).toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
    return key;
  } catch (error) {
    // Another process was first. What is no key is left alone: there is no cache then.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readKey(file);
    throw error;
  }
}
