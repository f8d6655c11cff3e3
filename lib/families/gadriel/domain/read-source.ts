import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import { Buffer } from 'node:buffer';
import { isMissing, systemReason } from '../../../text/system-error.ts';
import { maxSourceBytes } from './decode-source.ts';
import { ToolFailed } from './tool-failed.ts';

/**
 * The bytes of a regular file of at most 5 MiB. Symlinks are followed.
 *
 * Throws ToolFailed for everything else: a missing file, a folder, a device or FIFO (never opened so that it could
 * block), one that is too big or can't be read.
 */
export function readSource(absolute: string): Uint8Array {
  checkKind(attempt(() => statSync(absolute)));
  // Without blocking, and looked at once more: between the look and the open, a FIFO may have taken the file's place.
  const fd = attempt(() => openSync(absolute, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)));
  try {
    checkKind(fstatSync(fd));
    return readAll(fd);
  } finally {
    closeSync(fd);
  }
}

function checkKind(stats: Stats): void {
  if (stats.isDirectory()) throw new ToolFailed('the path is a folder: give the path of one file');
  if (stats.isFIFO()) throw new ToolFailed('the path is a FIFO, not a regular file');
  if (stats.isSocket()) throw new ToolFailed('the path is a socket, not a regular file');
  if (!stats.isFile()) throw new ToolFailed('the path is a device, not a regular file');
  if (stats.size > maxSourceBytes) throw tooBig();
}

/** Reads to the end, not to the size: files of /proc say 0, and a file may grow while it is read. */
function readAll(fd: number): Uint8Array {
  const pieces: Buffer[] = [];
  let total = 0;
  for (;;) {
    const piece = Buffer.allocUnsafe(1 << 18);
    const count = attempt(() => readSync(fd, piece, 0, piece.length, null));
    if (count === 0) return Buffer.concat(pieces, total);
    total += count;
    if (total > maxSourceBytes) throw tooBig();
    pieces.push(piece.subarray(0, count));
  }
}

const tooBig = (): ToolFailed => new ToolFailed(`the file is larger than ${maxSourceBytes / 1024 / 1024} MiB, the most that is scanned`);

/** System errors name absolute paths, so each is told in words of its own. */
function attempt<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new ToolFailed(isMissing(error) ? 'the file does not exist' : `the file can not be read: ${systemReason(error)}`, { cause: error });
  }
}
