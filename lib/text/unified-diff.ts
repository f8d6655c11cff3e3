/** A diff that is malformed or does not fit the text it is applied to; `line` is its 1-based line, 0 for the whole of it. */
export class DiffError extends Error {
  readonly line: number;
  static {
    this.prototype.name = 'DiffError';
  }
  constructor(message: string, line: number) {
    super(line === 0 ? message : `line ${line} of the diff: ${message}`);
    this.line = line;
  }
}

/** Lines of context around a change, as git and diff -u have it. */
const contextLines = 3;
const noNewline = '\\ No newline at end of file';

/**
 * The unified diff that turns `before` into `after`, as `git apply` takes it at the folder that `path` is relative to;
 * empty when both are equal. Lines end at `\n` alone, as for git: a carriage return or a byte order mark is part of its line.
 */
export function makeDiff(path: string, before: string, after: string): string {
  if (before === after) return '';
  const [old, fresh] = [splitLines(before), splitLines(after)];
  const hunks = hunksOf(changesOf(old, fresh), old, fresh);
  return `--- ${headerName('a', path)}\n+++ ${headerName('b', path)}\n${hunks}`;
}

/**
 * Applies a unified diff of one file strictly: every line must stand exactly where its hunk says, nothing is searched for.
 * Throws DiffError. What `makeDiff` made gives back its `after`, byte for byte; an empty diff changes nothing.
 */
export function applyDiff(before: string, diff: string): string {
  if (diff === '') return before;
  const lines = splitLines(diff);
  if (lines[0]?.startsWith('--- ') !== true || lines[1]?.startsWith('+++ ') !== true) throw new DiffError('it does not begin with --- and +++', 1);
  const old = splitLines(before);
  const result: string[] = [];
  let taken = 0;
  let at = 2;
  while (at < lines.length) {
    const head = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/.exec(lines[at]!);
    if (head === null) throw new DiffError('a hunk header is expected here', at + 1);
    const [oldCount, newCount] = [Number(head[2] ?? 1), Number(head[4] ?? 1)];
    // A side without lines names the line before the hunk.
    const start = Number(head[1]) - (oldCount === 0 ? 0 : 1);
    if (start < taken || start > old.length) throw new DiffError('the hunk is out of order or past the end', at + 1);
    // One by one: as arguments, 130,000 lines overflow the stack.
    for (let index = taken; index < start; index++) result.push(old[index]!);
    taken = start;
    if (result.length !== Number(head[3]) - (newCount === 0 ? 0 : 1)) throw new DiffError('the new place of the hunk is wrong', at + 1);
    const [oldEnd, newEnd] = [taken + oldCount, result.length + newCount];
    at += 1;
    while (taken < oldEnd || result.length < newEnd) {
      const line = lines[at] ?? '';
      const mark = line[0];
      const bare = lines[at + 1]?.startsWith('\\') === true;
      const body = bare ? line.slice(1, -1) : line.slice(1);
      if (mark !== ' ' && mark !== '-' && mark !== '+') throw new DiffError('a line of the hunk is missing', at + 1);
      if (mark !== '+') {
        if (taken === oldEnd || old[taken] !== body) throw new DiffError('the text has something else here', at + 1);
        taken += 1;
      }
      if (mark !== '-') {
        if (result.length === newEnd) throw new DiffError('the hunk has more lines than it says', at + 1);
        result.push(body);
      }
      at += bare ? 2 : 1;
    }
  }
  return result.join('') + old.slice(taken).join('');
}

/** Lines with their ends; the last may lack one. */
function splitLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    lines.push(text.slice(start, end + 1));
    start = end + 1;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

/** Old lines `[oldStart, oldEnd)` become new lines `[newStart, newEnd)`. */
type Change = { oldStart: number; oldEnd: number; newStart: number; newEnd: number };

function changesOf(old: readonly string[], fresh: readonly string[]): Change[] {
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  return shortestEdit(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)).map((change) => ({
    oldStart: change.oldStart + head, oldEnd: change.oldEnd + head, newStart: change.newStart + head, newEnd: change.newEnd + head,
  }));
}

/** Beyond so many changed lines the middle is replaced whole: the trace of the search grows with the square of them. */
const maxDistance = 800;

/** Myers' greedy search for the fewest deleted and inserted lines. */
function shortestEdit(old: readonly string[], fresh: readonly string[]): Change[] {
  const [n, m] = [old.length, fresh.length];
  const limit = Math.min(n + m, maxDistance);
  const reach = new Int32Array(2 * limit + 3);
  const trace: Int32Array[] = [];
  for (let distance = 0; distance <= limit; distance += 1) {
    trace.push(reach.slice(limit - distance, limit + distance + 3));
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const at = diagonal + limit + 1;
      const down = diagonal === -distance || (diagonal !== distance && reach[at - 1]! < reach[at + 1]!);
      let x = down ? reach[at + 1]! : reach[at - 1]! + 1;
      while (x < n && x - diagonal < m && old[x] === fresh[x - diagonal]) x += 1;
      reach[at] = x;
      if (x >= n && x - diagonal >= m) return walkBack(trace, n, m);
    }
  }
  return [{ oldStart: 0, oldEnd: n, newStart: 0, newEnd: m }];
}

function walkBack(trace: readonly Int32Array[], n: number, m: number): Change[] {
  const changes: Change[] = [];
  let [x, y] = [n, m];
  for (let distance = trace.length - 1; distance > 0; distance -= 1) {
    const reach = trace[distance]!;
    const at = x - y + distance + 1;
    const down = x - y === -distance || (x - y !== distance && reach[at - 1]! < reach[at + 1]!);
    const fromX = down ? reach[at + 1]! : reach[at - 1]!;
    const fromY = fromX - (down ? x - y + 1 : x - y - 1);
    const [toX, toY] = down ? [fromX, fromY + 1] : [fromX + 1, fromY];
    const next = changes.at(-1);
    if (next !== undefined && next.oldStart === toX && next.newStart === toY) [next.oldStart, next.newStart] = [fromX, fromY];
    else changes.push({ oldStart: fromX, oldEnd: toX, newStart: fromY, newEnd: toY });
    [x, y] = [fromX, fromY];
  }
  return changes.reverse();
}

function hunksOf(changes: readonly Change[], old: readonly string[], fresh: readonly string[]): string {
  const groups: Change[][] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    // What is nearer than two contexts shares a hunk.
    if (last !== undefined && change.oldStart - last.at(-1)!.oldEnd <= 2 * contextLines) last.push(change);
    else groups.push([change]);
  }
  return groups.map((group) => hunkOf(group, old, fresh)).join('');
}

function hunkOf(group: readonly Change[], old: readonly string[], fresh: readonly string[]): string {
  const [first, last] = [group[0]!, group.at(-1)!];
  const before = Math.min(contextLines, first.oldStart);
  const after = Math.min(contextLines, old.length - last.oldEnd);
  const lines: string[] = [];
  let at = first.oldStart - before;
  for (const { oldStart, oldEnd, newStart, newEnd } of group) {
    for (; at < oldStart; at += 1) lines.push(marked(' ', old[at]!));
    for (; at < oldEnd; at += 1) lines.push(marked('-', old[at]!));
    for (const line of fresh.slice(newStart, newEnd)) lines.push(marked('+', line));
  }
  for (; at < last.oldEnd + after; at += 1) lines.push(marked(' ', old[at]!));
  const oldRange = range(first.oldStart - before, last.oldEnd + after);
  return `@@ -${oldRange} +${range(first.newStart - before, last.newEnd + after)} @@\n${lines.join('')}`;
}

function range(start: number, end: number): string {
  if (end - start === 1) return `${start + 1}`;
  return `${end === start ? start : start + 1},${end - start}`;
}

const marked = (mark: string, line: string): string => (line.endsWith('\n') ? mark + line : `${mark}${line}\n${noNewline}\n`);

/** What git writes as a letter after a backslash in a quoted name. */
const letters: Readonly<Record<string, string>> = { '\x07': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\' };

/** A name as git writes it: C-quoted with control characters, quotes or backslashes in it; a tab ends one with blanks. */
function headerName(side: 'a' | 'b', path: string): string {
  const name = `${side}/${path}`;
  const needsQuotes = /[\x00-\x1f\x7f"\\]/;
  if (!needsQuotes.test(name)) return name.includes(' ') ? `${name}\t` : name;
  const octal = (found: string): string => `\\${letters[found] ?? found.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return `"${name.replace(/[\x00-\x1f\x7f"\\]/g, octal)}"`;
}
