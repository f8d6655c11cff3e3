import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { systemReason } from '../../../../text/system-error.ts';
import { Refused } from '../refused.ts';
import { homeHolding } from '../roots/homes.ts';
import { rootHolding, showHome, showPath, type SendRoots } from '../roots/send-roots.ts';

/** A file that may be sent: its bytes, its real path and the send root that holds it. */
export type ReadFile = { readonly bytes: Uint8Array; readonly real: string; readonly root: string };

/** Windows has neither flag; there a pipe has no path in the file system. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a file for sending. It is opened first, and the real path of the open file must be inside of a send root and outside
 * of every home: a folder on its way that is swapped for a link after a check would lead elsewhere. `given` is the path as it
 * was named, relative to `cwd`. Throws Refused.
 */
export function readForSending(given: string, cwd: string, roots: SendRoots, maxBytes: number): ReadFile {
  const file = path.resolve(cwd, given);
  const shown = showPath(given);
  let opened: number;
  try {
    opened = openSync(file, flags);
  } catch (error) {
    throw new Refused(`the file ${shown} can not be read: ${systemReason(error, { ELOOP: 'it is a link; name the file that it points to', ENXIO: 'it is no regular file' })}`, { cause: error });
  }
  try {
    const found = fstatSync(opened, { bigint: true });
    if (!found.isFile()) throw new Refused(`${shown} is no regular file; a folder is sent as dir (--dir at the command line)`);
    const real = realPathOf(opened, file, found, shown);
    const within = homeHolding(roots, path.dirname(real));
    if (within !== undefined) throw new Refused(`the file ${shown} is inside of a home of gage, ${showHome(within, given, cwd)}, from which nothing is sent`);
    const root = rootHolding(roots, real);
    if (root === undefined) throw new Refused(`the file ${shown} can not be sent: ${roots.why}`);
    if (found.size > maxBytes) throw new Refused(`the file ${shown} has ${found.size} bytes; an item may have ${maxBytes}`);
    return { bytes: readWhole(opened, Number(found.size), shown), real, root };
  } finally {
    closeSync(opened);
  }
}

/** Where an open file is now; refused when what stands there is another file. */
function realPathOf(opened: number, file: string, found: { readonly dev: bigint; readonly ino: bigint }, shown: string): string {
  try {
    const real = linkOfOpen(opened) ?? realpathSync(file);
    const there = statSync(real, { bigint: true });
    if (there.dev === found.dev && there.ino === found.ino) return path.normalize(real);
  } catch {
    // Moved or removed while we looked: the same answer as for a file that was swapped.
  }
  throw new Refused(`the file ${shown} changed while it was read; try again`);
}

/** Linux alone tells the path of an open file. */
function linkOfOpen(opened: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${opened}`);
  } catch {
    return undefined;
  }
}

/** All bytes of a file; one that grows or shrinks meanwhile is refused, as what was read was never its content. */
function readWhole(opened: number, size: number, shown: string): Uint8Array {
  // One byte more than it has shows that it grew.
  const bytes = new Uint8Array(size + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) read = readSync(opened, bytes, length, bytes.length - length, null);
  if (length !== size) throw new Refused(`the file ${shown} changed while it was read; try again`);
  return bytes.subarray(0, size);
}
