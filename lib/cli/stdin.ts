import { Buffer } from 'node:buffer';
import { addAbortSignal } from 'node:stream';

/**
 * Throws where standard input is a folder or a disk (`toolwire … < /tmp`): node shows those as an empty stream, and what is
 * not read must not pass for empty.
 */
export async function checkStdin(): Promise<void> {
  // Pipes, sockets and terminals are none of these; for them node:fs is not loaded, which costs a start 2 ms.
  if (process.stdin.isTTY === true || 'connecting' in process.stdin) return;
  const { fstatSync } = await import('node:fs');
  const stats = fstatSync(0);
  if (stats.isDirectory()) throw new Error('standard input is a folder');
  if (stats.isBlockDevice()) throw new Error('standard input is a block device');
}

/**
 * All of standard input; with a limit it stops once more than so many bytes have come, and gives those. Rejects where it
 * can't be read, and with an AbortError when the signal fires first: a person who waits at it must get away by one Ctrl-C.
 */
export async function readStdin(limit = Infinity, signal?: AbortSignal): Promise<Uint8Array> {
  await checkStdin();
  if (signal !== undefined) addAbortSignal(signal, process.stdin);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).byteLength;
    if (size > limit) break;
  }
  return new Uint8Array(Buffer.concat(chunks));
}
