import assert from 'node:assert/strict';
import { Buffer, isUtf8 } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from '../../lib/jsonrpc/line-splitter.ts';

const notText = Symbol('not text');
const tooLong = Symbol('too long');
type Event = string | typeof notText | typeof tooLong;

function split(chunks: readonly (string | Uint8Array)[], maxLineBytes = 1_000_000): Event[] {
  const events: Event[] = [];
  const splitter = new LineSplitter(
    { line: (text) => void events.push(text), notText: () => void events.push(notText), tooLong: () => void events.push(tooLong) },
    maxLineBytes,
  );
  for (const chunk of chunks) splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  splitter.end();
  return events;
}

/** The same rules in the plainest way: all bytes at hand, one line after the other. */
function splitNaively(bytes: Buffer, maxLineBytes: number): Event[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  if (start < bytes.length) lines.push(bytes.subarray(start));
  return lines.map((line, index) => {
    if (line.length > maxLineBytes) return tooLong;
    if (!isUtf8(line)) return notText;
    const text = line.toString('utf8');
    return index === 0 && text.startsWith('\uFEFF') ? text.slice(1) : text;
  });
}

function chop(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...at, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : (at[index - 1] as number), end));
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const [a, b] = [0x61, 0x62];
/** A line of more bytes is decoded as its pieces come. */
const longLineBytes = 1024 * 1024;

const cases: { title: string; chunks: (string | Uint8Array)[]; max?: number; events: Event[] }[] = [
  { title: 'nothing comes of nothing', chunks: [], events: [] },
  { title: 'an empty chunk is no line', chunks: ['', 'a\n', ''], events: ['a'] },
  { title: 'each newline ends a line, an empty one too', chunks: ['a\n\nb\n'], events: ['a', '', 'b'] },
  { title: 'the last line needs no newline', chunks: ['a\nb'], events: ['a', 'b'] },
  { title: 'a newline at the end adds no empty line', chunks: ['a\n'], events: ['a'] },
  { title: 'a line may come in many chunks', chunks: ['a', 'b', '', 'c\nd', '\n'], events: ['abc', 'd'] },
  { title: 'a newline may come alone', chunks: ['a', '\n', 'b', '\n'], events: ['a', 'b'] },
  { title: 'a CR stays with its line, where JSON takes it for blank', chunks: ['a\r\nb\r', '\n'], events: ['a\r', 'b\r'] },
  { title: 'a lone CR ends no line', chunks: ['a\rb\n'], events: ['a\rb'] },
  { title: 'other line ends of Unicode end no line', chunks: ['a\u2028b\u2029c\u0085d\n'], events: ['a\u2028b\u2029c\u0085d'] },
  { title: 'one BOM before the first line is dropped', chunks: ['\uFEFFa\nb\n'], events: ['a', 'b'] },
  { title: 'a BOM may be split between chunks', chunks: [bytes(0xef), bytes(0xbb), bytes(0xbf, a, 10)], events: ['a'] },
  { title: 'only one BOM is dropped', chunks: ['\uFEFF\uFEFFa\n'], events: ['\uFEFFa'] },
  { title: 'a BOM before a later line stays', chunks: ['a\n\uFEFFb\n\uFEFFc'], events: ['a', '\uFEFFb', '\uFEFFc'] },
  { title: 'a BOM alone is an empty line', chunks: ['\uFEFF\n\uFEFF\n'], events: ['', '\uFEFF'] },
  { title: 'characters may be split between chunks', chunks: [bytes(0xc3), bytes(0xa9, 10, 0xf0, 0x9f), bytes(0x98), bytes(0x80, 10)], events: ['é', '😀'] },
  { title: 'bytes that are no UTF-8 make their line, and only it, not text', chunks: [bytes(a, 10, 0xff, 10, b, 10)], events: ['a', notText, 'b'] },
  { title: 'a character cut off by a newline is no UTF-8', chunks: [bytes(0xc3), bytes(10, b)], events: [notText, 'b'] },
  { title: 'a character cut off at the end is no UTF-8', chunks: [bytes(a, 0xe2, 0x82)], events: [notText] },
  { title: 'an overlong form and a surrogate half are no UTF-8', chunks: [bytes(0xc0, 0x80, 10, 0xed, 0xa0, 0x80, 10)], events: [notText, notText] },
  { title: 'U+FFFD that the peer sent is text', chunks: ['\uFFFD\n\uFFFD'], events: ['\uFFFD', '\uFFFD'] },
  { title: 'NUL is text', chunks: ['\0\n'], events: ['\0'] },
  { title: 'a line of just the limit passes', chunks: ['aaaa\nbbbbb\ncc\n'], max: 4, events: ['aaaa', tooLong, 'cc'] },
  { title: 'the limit counts bytes, not characters', chunks: ['éé\néé1\n'], max: 4, events: ['éé', tooLong] },
  { title: 'a line that is too long is told once and skipped to its end', chunks: ['aaa', 'aaa', 'aaa', 'a\nb\n'], max: 4, events: [tooLong, 'b'] },
  { title: 'a line that is too long may be the last', chunks: ['b\naaa', 'aaa'], max: 4, events: ['b', tooLong] },
  { title: 'a line may get too long by its last piece', chunks: ['aaa', 'aa\nb\n'], max: 4, events: [tooLong, 'b'] },
  { title: 'the line after a too long first one keeps its BOM', chunks: ['aaaaa\n\uFEFFb\n'], max: 4, events: [tooLong, '\uFEFFb'] },
  { title: 'many lines are no long line', chunks: ['aaa\n'.repeat(4)], max: 4, events: ['aaa', 'aaa', 'aaa', 'aaa'] },
];

describe('the line splitter', () => {
  for (const { title, chunks, max, events } of cases) it(title, () => assert.deepEqual(split(chunks, max), events));

  it('tells of a too long line as soon as the limit is passed, not at its end', () => {
    const events: string[] = [];
    const splitter = new LineSplitter({ line: () => undefined, notText: () => undefined, tooLong: () => void events.push('too long') }, 4);
    splitter.push(Buffer.from('aaaaa'));
    assert.deepEqual(events, ['too long']);
  });

  it('takes a view into a larger buffer for what it is', () => {
    const whole = Buffer.from('xxa\nbxx');
    assert.deepEqual(split([new Uint8Array(whole.buffer, whole.byteOffset + 2, 3)]), ['a', 'b']);
  });

  it('gives the lines of a naive splitter for any bytes in any chunks', () => {
    const piece = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('\n', '\r\n', '\uFEFF', 'é', '😀', '\uFFFD', 'a', '{}').map((text) => Buffer.from(text)) },
      { weight: 2, arbitrary: fc.uint8Array({ maxLength: 5 }).map((each) => Buffer.from(each)) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }).map((text) => Buffer.from(text)) },
    );
    const [pieces, cuts, limit] = [fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(500), { maxLength: 12 }), fc.integer({ min: 1, max: 20 })];
    const property = fc.property(pieces, cuts, limit, (parts, at, max) => {
      const input = Buffer.concat(parts);
      assert.deepEqual(split(chop(input, at), max), splitNaively(input, max));
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it('gives the lines of a naive splitter also where a line is too long to be kept in pieces', () => {
    const padding = Buffer.alloc(longLineBytes - 4, a);
    const characters = ['é', '€', '😀', '\uFEFF', 'a', '\n', '\uFFFD'].map((text) => Buffer.from(text));
    const broken = [[0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0x80], [0xed, 0xa0, 0x80], [0x80, 0x80, 0x80, 0x80]];
    const piece = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...characters) },
      { weight: 1, arbitrary: fc.constantFrom(...broken).map((each) => Buffer.from(each)) },
    );
    const pieces = (maxLength: number): fc.Arbitrary<Buffer[]> => fc.array(piece, { maxLength });
    const property = fc.property(pieces(12), pieces(24), fc.array(fc.nat(60), { maxLength: 16 }), (before, behind, cuts) => {
      const [first, rest] = [Buffer.concat(before), Buffer.concat(behind)];
      const chunks = [first, padding, ...chop(rest, cuts)];
      const events = split(chunks, 2 * longLineBytes);
      const expected = splitNaively(Buffer.concat(chunks), 2 * longLineBytes);
      // A difference of megabytes is of no use to a reader: it is told by the tails.
      const tailOf = (event: Event): unknown => (typeof event === 'string' ? [event.length, event.slice(0, 20), event.slice(-40)] : event);
      assert.deepEqual(events.map(tailOf), expected.map(tailOf));
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('takes a line in many chunks in linear time', () => {
    const chunk = Buffer.alloc(64 * 1024, a);
    const chunks = [...Array.from({ length: 48 * 16 }, () => chunk), '\n'];
    const started = performance.now();
    const events = split(chunks, 2 ** 30);
    const took = performance.now() - started;
    assert.equal((events[0] as string).length, 48 * 2 ** 20);
    // Half a second on a bad day; a splitter that grows a buffer, or scans it again, takes more than seven.
    assert.ok(took < 3_000, `took ${took} ms`);
  });
});
