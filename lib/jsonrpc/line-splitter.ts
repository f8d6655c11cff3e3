import { Buffer, isUtf8 } from 'node:buffer';

/** What a splitter hands on, in input order. */
export type LineEvents = {
  /** A whole line, decoded, without its newline; a CR before it is kept (JSON takes it for blank). */
  line(text: string): void;
  /** A line whose bytes are no UTF-8. */
  notText(): void;
  /** A line of more than `maxLineBytes`; told once, when the limit is passed. The rest of it is skipped. */
  tooLong(): void;
};

const newline = 0x0a;
/** From here on a line is decoded while it comes in. */
const longLineBytes = 1024 * 1024;
const replacement = '\uFFFD';

/**
 * Splits a byte stream at 0x0A.
 *
 * Only the new chunk is ever scanned and a line's pieces are joined once: a 16 MiB line that comes in 64 KiB chunks
 * costs 30 ms so, against a second by growing a string. One BOM before the first line is dropped.
 */
export class LineSplitter {
  readonly #events: LineEvents;
  readonly #maxLineBytes: number;
  #pieces: Uint8Array[] = [];
  #pieceBytes = 0;
  #long: LongLine | undefined;
  #skipping = false;
  #first = true;

  constructor(events: LineEvents, maxLineBytes: number) {
    this.#events = events;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Takes the next bytes of the stream and emits each line that they end. */
  push(bytes: Uint8Array): void {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let start = 0;
    if (this.#pieceBytes > 0 || this.#skipping || this.#first) {
      const end = chunk.indexOf(newline);
      if (end === -1) return this.#keep(chunk);
      this.#endLine(chunk.subarray(0, end));
      start = end + 1;
    }
    const last = chunk.lastIndexOf(newline);
    if (last >= start) this.#emitRegion(chunk.subarray(start, last));
    start = Math.max(start, last + 1);
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** Ends the stream: what stands behind the last newline is a line too. */
  end(): void {
    if (this.#pieceBytes > 0 || this.#skipping) this.#endLine(new Uint8Array(0));
  }

  #keep(piece: Uint8Array): void {
    if (this.#skipping) return;
    this.#pieceBytes += piece.byteLength;
    if (this.#pieceBytes > this.#maxLineBytes) {
      this.#skipping = true;
      this.#drop();
      this.#events.tooLong();
      return;
    }
    if (this.#long === undefined && this.#pieceBytes > longLineBytes) {
      this.#long = new LongLine();
      for (const early of this.#pieces) this.#long.push(early);
      this.#pieces = [];
    }
    if (this.#long === undefined) this.#pieces.push(piece);
    else this.#long.push(piece);
  }

  #drop(): void {
    this.#pieces = [];
    this.#pieceBytes = 0;
    this.#long = undefined;
  }

  #endLine(tail: Uint8Array): void {
    this.#keep(tail);
    if (this.#skipping) {
      this.#skipping = false;
      this.#first = false;
      return;
    }
    const pieces = this.#pieces;
    const length = this.#pieceBytes;
    const long = this.#long;
    this.#drop();
    if (long !== undefined) this.#emitText(long.end());
    else this.#emitLine(pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces, length));
  }

  /** Emits the lines of a region whose last newline is cut off: one decode for all, where every byte is UTF-8. */
  #emitRegion(region: Buffer): void {
    if (region.length <= this.#maxLineBytes) {
      const text = region.toString('utf8');
      if (!text.includes(replacement)) {
        for (const line of text.split('\n')) this.#events.line(line);
        return;
      }
    }
    let start = 0;
    for (let end = region.indexOf(newline); end !== -1; end = region.indexOf(newline, start)) {
      this.#emitLine(region.subarray(start, end));
      start = end + 1;
    }
    this.#emitLine(region.subarray(start));
  }

  #emitLine(bytes: Uint8Array): void {
    if (bytes.byteLength > this.#maxLineBytes) {
      this.#first = false;
      return this.#events.tooLong();
    }
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    // Decoding puts U+FFFD where bytes are no UTF-8; the peer may also have sent that character itself.
    this.#emitText(text.includes(replacement) && !isUtf8(bytes) ? undefined : text);
  }

  #emitText(text: string | undefined): void {
    const first = this.#first;
    this.#first = false;
    if (text === undefined) this.#events.notText();
    else this.#events.line(first && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  }
}

/**
 * Decodes a long line as its pieces come, so that its bytes need not be kept beside its text: that is what keeps the
 * peak of a 50 MB line low.
 */
class LongLine {
  #text: string | undefined = '';
  #carry = Buffer.alloc(0);

  push(bytes: Uint8Array): void {
    if (this.#text === undefined) return;
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const whole = this.#carry.length === 0 ? piece : Buffer.concat([this.#carry, piece]);
    const end = completeLength(whole);
    this.#carry = Buffer.from(whole.subarray(end));
    const complete = whole.subarray(0, end);
    this.#text = isUtf8(complete) ? this.#text + complete.toString('utf8') : undefined;
  }

  /** The text, or undefined where the bytes are no UTF-8. */
  end(): string | undefined {
    return this.#carry.length > 0 ? undefined : this.#text;
  }
}

/** How many bytes at the start hold whole characters: a UTF-8 character that the end cuts off is not counted. */
function completeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
