import { Buffer, isUtf8 } from 'node:buffer';
import { payloadLine, splitLines } from './escape.ts';

/** What is left of the room for payloads in one rendering. */
export type PayloadRoom = {
  /** An item's text as lines of the frame, as much as there is room for, with a last line that says what was cut. */
  linesOf(bytes: Uint8Array): string[];
};

/** Bytes of rendered lines of one item, `| ` and line ends among them; no more bytes of the item itself are looked at. */
export const itemRoomBytes = 64 * 1024;
/** The same for all items of a bundle. */
const ALL_MAX = 192 * 1024;

/** The room for one rendering: 64 KiB an item and 192 KiB in all, counted in what is printed. */
export function createPayloadRoom(): PayloadRoom {
  let left = ALL_MAX;
  return {
    linesOf(bytes) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      if (!isUtf8(buffer) || buffer.includes(0)) return [`not shown: ${buffer.length} bytes that are not text`];
      const { lines, shown, used } = fit(buffer, Math.min(itemRoomBytes, left));
      left -= used;
      return shown === buffer.length ? lines : [...lines, `| [cut: shown ${shown} of ${buffer.length} bytes]`];
    },
  };
}

type Fitted = { readonly lines: string[]; readonly shown: number; readonly used: number };

/** The longest beginning, in whole characters, whose lines take at most `max` bytes; `shown` counts the item's own bytes. */
function fit(buffer: Buffer, max: number): Fitted {
  // A byte of text never takes less than a byte of a line, so that more than `max` of them need no look.
  const head = buffer.toString('utf8', 0, characterStart(buffer, Math.min(buffer.length, max)));
  const lines: string[] = [];
  let [shown, used] = [0, 0];
  for (const { text, end } of splitLines(head)) {
    const line = payloadLine(text);
    const bytes = Buffer.byteLength(line) + 1;
    if (bytes > max - used) {
      const part = beginning(text, max - used);
      if (part === undefined) break;
      lines.push(payloadLine(part.text));
      shown += Buffer.byteLength(part.text);
      used += part.bytes;
      break;
    }
    lines.push(line);
    shown += Buffer.byteLength(text) + Buffer.byteLength(end);
    used += bytes;
  }
  return { lines, shown, used };
}

/** What a line without a line end takes in the rendering, its mark and line feed among it. */
const lineBytes = (text: string): number => Buffer.byteLength(payloadLine(text)) + 1;
const EMPTY_LINE = lineBytes('');
/** Units that are measured at once, since measuring each character alone takes a hundred times as long. */
const PIECE = 4096;
const SMALL_PIECE = 64;

/**
 * As many whole characters of a line as take at most `max` bytes, by pieces as long as they fit, then by characters, and what
 * they take. Undefined where not even one fits.
 */
function beginning(line: string, max: number): { readonly text: string; readonly bytes: number } | undefined {
  let [end, bytes] = [0, EMPTY_LINE];
  for (const size of [PIECE, SMALL_PIECE, 1]) {
    for (let piece = pieceAt(line, end, size); piece !== ''; piece = pieceAt(line, end, size)) {
      const more = lineBytes(piece) - EMPTY_LINE;
      if (bytes + more > max) break;
      bytes += more;
      end += piece.length;
    }
  }
  return bytes > max || (end === 0 && line !== '') ? undefined : { text: line.slice(0, end), bytes };
}

/** A piece of a line of about `size` UTF-16 units, which ends between two characters. */
function pieceAt(line: string, start: number, size: number): string {
  const last = line.charCodeAt(start + size - 1);
  return line.slice(start, start + (last >= 0xd800 && last < 0xdc00 ? size + 1 : size));
}

/** The last place at or before `at` where a character of UTF-8 begins. */
function characterStart(buffer: Buffer, at: number): number {
  let start = at;
  while (start < buffer.length && ((buffer[start] as number) & 0xc0) === 0x80) start -= 1;
  return start;
}
