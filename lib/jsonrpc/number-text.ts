/**
 * The text of the number at `path` (keys from the root) of a line that JSON.parse has accepted, or
 * undefined when there is no number. Of repeated keys the last counts, as it does for JSON.parse. Linear in the line.
 */
export function numberTextAt(line: string, path: readonly string[]): string | undefined {
  let at = skipBlank(line, 0);
  for (const step of path) {
    const found = memberAt(line, at, step);
    if (found === undefined) return undefined;
    at = found;
  }
  const first = line.charCodeAt(at);
  if (first !== 0x2d && (first < 0x30 || first > 0x39)) return undefined;
  let end = at + 1;
  while (end < line.length && isNumberCode(line.charCodeAt(end))) end++;
  return line.slice(at, end);
}

/** The texts of the elements of an array that JSON.parse has accepted, in one pass over the line. */
export function elementTexts(line: string): string[] {
  const texts: string[] = [];
  let at = skipBlank(line, skipBlank(line, 0) + 1);
  while (at < line.length && line[at] !== ']') {
    const end = skipValue(line, at);
    texts.push(line.slice(at, end));
    at = skipBlank(line, end);
    if (line[at] === ',') at = skipBlank(line, at + 1);
  }
  return texts;
}

function memberAt(line: string, open: number, key: string): number | undefined {
  if (line[open] !== '{') return undefined;
  let found: number | undefined;
  let at = skipBlank(line, open + 1);
  while (line[at] === '"') {
    const keyEnd = skipString(line, at);
    const value = skipBlank(line, skipBlank(line, keyEnd) + 1);
    if (JSON.parse(line.slice(at, keyEnd)) === key) found = value;
    at = skipBlank(line, skipValue(line, value));
    if (line[at] !== ',') break;
    at = skipBlank(line, at + 1);
  }
  return found;
}

/** The offset behind the value at `at`; containers are crossed without recursion, for any depth. */
function skipValue(line: string, at: number): number {
  let depth = 0;
  for (;;) {
    const code = line.charCodeAt(at);
    if (code === 0x22) at = skipString(line, at);
    else if (code === 0x7b || code === 0x5b) { depth++; at++; }
    else if (code === 0x7d || code === 0x5d) { depth--; at++; }
    else if (depth > 0 && (code === 0x2c || code === 0x3a || isBlankCode(code))) { at++; continue; }
    else while (at < line.length && !isEndOfScalar(line.charCodeAt(at))) at++;
    if (depth === 0 || at >= line.length) return at;
  }
}

function skipString(line: string, open: number): number {
  let quote = open;
  for (;;) {
    quote = line.indexOf('"', quote + 1);
    if (quote === -1) return line.length;
    let slash = quote - 1;
    while (line.charCodeAt(slash) === 0x5c) slash--;
    if ((quote - slash) % 2 === 1) return quote + 1;
  }
}

function skipBlank(line: string, at: number): number {
  while (isBlankCode(line.charCodeAt(at))) at++;
  return at;
}

const isBlankCode = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
const isEndOfScalar = (code: number): boolean => code === 0x2c || code === 0x7d || code === 0x5d || isBlankCode(code);
const isNumberCode = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x2d || code === 0x2b || code === 0x65 || code === 0x45;
