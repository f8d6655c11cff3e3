import { closeSync, constants, existsSync, fstatSync, lstatSync, opendirSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../../../text/system-error.ts';

/** Why an entry of a hostile folder was not read: it is not there, no real file or folder, closed to us, or of another size. */
export type EntryFault = 'missing' | 'not_regular' | 'unreadable' | 'size';

/** A folder that is held open, so that it stays the same one. */
export type OpenFolder = {
  /** The path of an entry. */
  at(name: string): string;
  /** At most `max` names that are not among the expected ones. */
  others(expected: ReadonlySet<string>, max: number): readonly string[];
  close(): void;
};

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY = 0 } = constants;

/** What the system says of an entry itself; any other error (no descriptors left, a bad disk) says nothing about it. */
const FAULTS: Readonly<Record<string, EntryFault>> = {
  ENOENT: 'missing', ENOTDIR: 'not_regular', ELOOP: 'not_regular', ENXIO: 'not_regular', EACCES: 'unreadable', EPERM: 'unreadable',
};

/**
 * Opens a real folder, not through a link. Where the system shows open folders as paths (`descriptors`), entries are reached by the
 * descriptor: a link that is put in the folder's place meanwhile leads nowhere. Throws the system's error as `readEntry` does.
 */
export function openFolder(folder: string, descriptors = '/proc/self/fd'): OpenFolder | EntryFault {
  return attempt(() => {
    if (!lstatSync(folder).isDirectory()) return 'not_regular';
    const fd = openSync(folder, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_DIRECTORY);
    const held = path.join(descriptors, String(fd));
    const base = existsSync(held) ? held : folder;
    return {
      at: (name: string) => path.join(base, name),
      others: (expected: ReadonlySet<string>, max: number) => othersIn(base, expected, max),
      close: () => closeSync(fd),
    };
  });
}

/**
 * Reads a regular file whose size `fits`, once and never through a link; a pipe is not waited for. A file that grows or shrinks while it
 * is read is of another size. Throws the system's error where that says nothing about the file.
 */
export function readEntry(file: string, fits: (size: number) => boolean): Uint8Array | EntryFault {
  return attempt(() => {
    // Looked at before it is opened too: some devices act on that.
    if (!lstatSync(file).isFile()) return 'not_regular';
    const fd = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile()) return 'not_regular';
      return fits(stats.size) ? readExactly(fd, stats.size) : 'size';
    } finally {
      closeSync(fd);
    }
  });
}

function readExactly(fd: number, size: number): Uint8Array | 'size' {
  // One byte more than there should be shows that the file has grown.
  // Memory that was not cleared is faster, and no byte of it comes out that was not read into.
  const bytes = Buffer.allocUnsafeSlow(size + 1);
  let length = 0;
  for (let count = -1; count !== 0 && length < bytes.length; length += count) count = readSync(fd, bytes, length, bytes.length - length, null);
  return length === size ? new Uint8Array(bytes.buffer, 0, size) : 'size';
}

function othersIn(folder: string, expected: ReadonlySet<string>, max: number): readonly string[] {
  const others: string[] = [];
  const entries = opendirSync(folder);
  try {
    // Bounded by what is expected and `max`, however many files somebody made.
    for (let entry = entries.readSync(); entry !== null && others.length < max; entry = entries.readSync()) {
      if (!expected.has(entry.name)) others.push(entry.name);
    }
  } finally {
    entries.closeSync();
  }
  return others;
}

function attempt<T>(work: () => T | EntryFault): T | EntryFault {
  try {
    return work();
  } catch (error) {
    const fault = FAULTS[systemErrorCode(error) ?? ''];
    if (fault === undefined) throw error;
    return fault;
  }
}
