import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from './atomic-write.ts';
import type { WriteOptions } from './atomic-write.ts';

/** One line of a log: its value and its 1-based number. */
export type JsonLine = { readonly value: unknown; readonly line: number };

/** Lines that are no JSON, counted while reading; `lines` are the numbers of the first hundred of them. */
export type SkippedLines = { readonly count: number; readonly lines: readonly number[] };

/** Iterate once over the lines of a log; `skipped` is complete when the iteration is. */
export type JsonLinesReader = AsyncIterable<JsonLine> & { readonly skipped: SkippedLines };

const LF = 0x0a;
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_REPORTED = 100;

/**
 * Appends values as whole lines of JSON in one write and syncs them. A torn last line (the writer was killed) is ended
 * first, so that it spoils no line but itself. When the write fails midway, as on a full disk, the file is cut back to
 * its old size. Where two processes may write, hold the file's lock. Throws TypeError for a value JSON cannot say.
 */
export async function appendJsonLines(file: string, values: readonly unknown[], options: WriteOptions = {}): Promise<void> {
  if (values.length === 0) return;
  const lines = values.map((value) => {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) throw new TypeError(`no line of JSON can hold a ${typeof value}`);
    return `${text}\n`;
  });
  const handle = await open(file, 'a+', options.mode ?? 0o666);
  let size: number;
  try {
    size = (await handle.stat()).size;
    const torn = size > 0 && (await byteAt(handle, size - 1)) !== LF;
    await appendWhole(handle, size, Buffer.from((torn ? '\n' : '') + lines.join('')));
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (size === 0) await syncFolder(path.dirname(file));
}

/**
 * Reads a log line by line in constant memory. Lines that are no JSON or no UTF-8, the torn last one among them, and
 * lines over 16 MiB are skipped and counted. A missing file is an empty log.
 */
export function readJsonLines(file: string): JsonLinesReader {
  const lines: number[] = [];
  const skipped = { count: 0, lines };
  async function* iterate(): AsyncGenerator<JsonLine, void, undefined> {
    let number = 0;
    for await (const { bytes, ended } of splitLines(file)) {
      number += 1;
      const value = bytes === undefined ? undefined : parseLine(bytes, ended, number === 1);
      if (value === BLANK) continue;
      if (value !== undefined) {
        yield { value, line: number };
        continue;
      }
      skipped.count += 1;
      if (lines.length < MAX_REPORTED) lines.push(number);
    }
  }
  return { skipped, [Symbol.asyncIterator]: iterate };
}

const BLANK = Symbol('blank line');
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The value of a line, BLANK for white space, undefined for what is no JSON. */
function parseLine(bytes: Buffer, ended: boolean, first: boolean): unknown {
  try {
    let text = utf8.decode(bytes);
    if (first && text.startsWith('\ufeff')) text = text.slice(1);
    if (text.trim() === '') return BLANK;
    const value: unknown = JSON.parse(text);
    // Without its line end `12` may be the head of `123`; an object or a list is whole when it parses.
    return ended || (typeof value === 'object' && value !== null) ? value : undefined;
  } catch {
    return undefined;
  }
}

type RawLine = { readonly bytes: Buffer | undefined; readonly ended: boolean };

/** Lines without their line ends; `bytes` is undefined for one that is too long to keep. */
async function* splitLines(file: string): AsyncGenerator<RawLine, void, undefined> {
  let parts: Buffer[] = [];
  let size = 0;
  const keep = (part: Buffer): void => {
    size += part.length;
    if (size <= MAX_LINE_BYTES) parts.push(part);
    else parts = [];
  };
  const take = (ended: boolean): RawLine => {
    const line = { bytes: size <= MAX_LINE_BYTES ? Buffer.concat(parts) : undefined, ended };
    parts = [];
    size = 0;
    return line;
  };
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
        keep(chunk.subarray(start, end));
        yield take(true);
        start = end + 1;
      }
      if (start < chunk.length) keep(chunk.subarray(start));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (size > 0) yield take(false);
}

async function byteAt(handle: FileHandle, position: number): Promise<number | undefined> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, position);
  return buffer[0];
}

/** Writes all bytes at the end, or none: what a failed write left is cut off, if nothing of others came behind it. */
async function appendWhole(handle: FileHandle, size: number, bytes: Buffer): Promise<void> {
  let written = 0;
  try {
    while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten;
  } catch (error) {
    if ((await handle.stat()).size === size + written) await handle.truncate(size);
    throw error;
  }
}
