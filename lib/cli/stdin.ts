import { Buffer } from 'node:buffer';
import { fstatSync } from 'node:fs';

/**
 * Throws where standard input is a folder or a disk (`toolwire … < /tmp`): node shows those as an empty stream, and what is
 * not read must not pass for empty.
 */
export function checkStdin(): void {
  const stats = fstatSync(0);
  if (stats.isDirectory()) throw new Error('standard input is a folder');
  if (stats.isBlockDevice()) throw new Error('standard input is a block device');
}

/** All of standard input; with a limit it stops once more than so many bytes have come, and gives those. Rejects where it can't be read. */
export async function readStdin(limit = Infinity): Promise<Uint8Array> {
  checkStdin();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).byteLength;
    if (size > limit) break;
  }
  return new Uint8Array(Buffer.concat(chunks));
}
