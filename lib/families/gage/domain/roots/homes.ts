import { Buffer } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { isInside } from '../../../../files/inside.ts';

/** An identity.key is no longer than this, in bytes. */
const maxKeyBytes = 4_096;
const keys = [/"sign"\s{0,8}:\s{0,8}"[A-Za-z0-9+/]{43}="/, /"box"\s{0,8}:\s{0,8}"[A-Za-z0-9+/]{43}="/];
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The home of gage that holds a real path: one of `homes`, or a folder on the way down from a send root (of `folders`) that
 * holds an identity; undefined for none. What lies above the roots is not looked at: others may put files there.
 */
export function homeHolding({ folders, homes }: { readonly folders: readonly string[]; readonly homes: readonly string[] }, real: string): string | undefined {
  const known = homes.find((home) => isInside(home, real));
  if (known !== undefined) return known;
  // The root of a disk is its own parent.
  for (let folder = real, below = ''; folder !== below && folders.some((root) => isInside(root, folder)); below = folder, folder = path.dirname(folder)) {
    if (holdsIdentity(folder)) return folder;
  }
  return undefined;
}

/** Whether a folder holds an identity: a regular file identity.key with the keys of one, whatever else is called so. */
export function holdsIdentity(folder: string): boolean {
  let opened: number | undefined;
  try {
    opened = openSync(path.join(folder, 'identity.key'), flags);
    const { size } = fstatSync(opened);
    const bytes = Buffer.alloc(maxKeyBytes);
    const text = bytes.toString('latin1', 0, readSync(opened, bytes));
    return size <= maxKeyBytes && keys.every((key) => key.test(text));
  } catch {
    // Nothing there, a link, a pipe or a folder, or one that nobody here can read: its keys can not leave either.
    return false;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
