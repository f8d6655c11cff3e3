import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { TurnedAway } from './answers.ts';
import type { BodyTimes } from './body-times.ts';
import type { Arrival } from './store.types.ts';
import { MAX_MESSAGE, MESSAGE_MAGIC, MIN_MESSAGE } from './wire.ts';

/** A message of more bytes waits in a file, so that a full house of senders takes 32 MiB of memory and not 5 GiB. */
const IN_MEMORY = 128 * 1024;

/** What a body is received with; `count` is told of each part, `onSpool` when a file is begun; both throw to stop. */
export type Receiving = { readonly times: BodyTimes; readonly count: (bytes: number) => void; readonly onSpool?: () => void };

/**
 * Receives a sealed message, counted while it comes. The caller removes the file of a large one.
 * Throws TurnedAway: 413 above 20 MiB, 400 for what is no sealed message. A sender that is too slow loses the connection.
 */
export async function receiveMessage(request: IncomingMessage, file: string, receiving: Receiving): Promise<Arrival> {
  const hash = createHash('sha256');
  const parts: Buffer[] = [];
  let bytes = 0;
  let spool: FileHandle | undefined;
  try {
    for await (const part of bodyOf(request, receiving)) {
      bytes += part.length;
      if (bytes > MAX_MESSAGE) throw messageTooLarge();
      hash.update(part);
      if (bytes <= IN_MEMORY) {
        parts.push(part);
        continue;
      }
      // Here the first part tells more than a whole upload of something else would.
      if (spool === undefined) {
        checkMagic(Buffer.concat([...parts, part]));
        receiving.onSpool?.();
        spool = await open(file, 'wx', 0o600);
      }
      // Goes on where the last one ended, until all is written, which a bare write does not promise.
      await spool.writeFile(Buffer.concat([...parts.splice(0), part]));
    }
    const content = spool === undefined ? Buffer.concat(parts) : { file };
    if (!('file' in content)) checkMagic(content);
    return { id: hash.digest('hex'), bytes, content };
  } finally {
    await spool?.close();
  }
}

/** Receives a small JSON object; throws TurnedAway for what is none. */
export async function receiveObject(request: IncomingMessage, maxBytes: number, receiving: Receiving): Promise<Readonly<Record<string, unknown>>> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of bodyOf(request, receiving)) {
    bytes += part.length;
    if (bytes > maxBytes) throw tooLarge('this body', maxBytes);
    parts.push(part);
  }
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Said below, as for JSON of another kind.
  }
  throw new TurnedAway(400, 'bad_request', 'the body must be a JSON object');
}

/** 413: a message, or what its length says, is more than the relay takes. */
export const messageTooLarge = (): TurnedAway => tooLarge('a message', MAX_MESSAGE);

const tooLarge = (what: string, maxBytes: number): TurnedAway => new TurnedAway(413, 'too_large', `${what} is at most ${maxBytes} bytes`);

function checkMagic(head: Buffer): void {
  if (head.length < MIN_MESSAGE || !head.subarray(0, MESSAGE_MAGIC.length).equals(MESSAGE_MAGIC)) {
    throw new TurnedAway(400, 'bad_request', 'the body is no sealed message of gage');
  }
}

/** The parts of a body. Leaving early keeps the connection, on which the refusal is still to be sent. */
async function* bodyOf(request: IncomingMessage, { times, count }: Receiving): AsyncGenerator<Buffer> {
  const start = performance.now();
  let bytes = 0;
  const allowed = (): number => times.bodyMs + Math.floor(bytes / times.bytesASecond) * 1_000;
  let timer: NodeJS.Timeout;
  const watch = (): void => {
    const left = start + allowed() - performance.now();
    if (left <= 0) request.destroy();
    else timer = setTimeout(watch, left);
  };
  timer = setTimeout(watch, allowed());
  try {
    for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += part.length;
      count(part.length);
      yield part;
    }
  } finally {
    clearTimeout(timer);
  }
}
