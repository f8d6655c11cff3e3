/** One statement's text as a scan without grammar sees it: from its first character to its last, line end and last comment left out. */
export type LogicalLine = {
  readonly start: number;
  readonly end: number;
  /** Width of its indentation. */
  readonly indent: number;
  /** The keyword of a compound statement it begins with, `match` and `case` where a block follows or belongs to one, or empty. */
  readonly head: string;
  /** Whether a colon stands in it outside of brackets, and whether it is the last character. */
  readonly colon: 'none' | 'inside' | 'last';
  /** The offset of that colon, the first one, or -1. */
  readonly colonAt: number;
  /** What would close its brackets. */
  readonly closers: string;
  /** Ends of lines where a string should have ended, with its quote. */
  readonly openStrings: readonly { readonly at: number; readonly quote: string }[];
  /** Offsets of closing brackets without an opening one. */
  readonly strays: readonly number[];
};

type Open = { readonly close: string; readonly at: number };

const tokens = /"""|'''|["']|#[^\n\r]*|[([{}\]):]|\\(?:\r\n?|\n|[^])?|\r\n?|\n/g;
const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const blanks = /(?:[ \t\f\ufeff]*(?:#[^\n\r]*)?(?:\r\n?|\n))*([ \t\f\ufeff]*)/y;
const heads = /(?:async[ \t]+)?(if|elif|else|for|while|with|try|except|finally|def|class)\b|(match|case)\b(?![ \t]*[=.,)\]}:])/y;
/** No continuation of an expression begins like this. */
const strong = /(?:(?:async[ \t]+)?(?:def|with|class)[ \t]+[\w(]|(?:import|return|raise|while|assert|del|global|nonlocal)\b(?![ \t]*[=.,)\]}:])|(?:pass|break|continue|try:|finally:)[ \t]*(?:[#\r\n]|$)|from[ \t]+[\w.]+[ \t]+import\b|except\b.{0,200}:[ \t]*[#\r\n]|@\w[\w.]*[ \t]*[(\r\n])/y;
/** A line that more likely begins a statement than goes on with one: an assignment, a call, a header, a keyword. */
const weak = /(?:(?:if|elif|for|while|with|async|try|else|except|yield|await|print)\b|[\p{L}_][\p{L}\p{N}_.]*[ \t]*(?:[([]|[-+*/%&|^@]?=(?!=)|:[ \t]*\w))/uy;
/** Code inside what was taken for a string. */
const codeInString = /^[ \t]*(?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(|class[ \t]+\w+.{0,200}:[ \t]*$|import[ \t]+[\w.]+[ \t]*$|from[ \t]+[\w.]+[ \t]+import[ \t]|@\w+|return[ \t]+[\w.]+[ \t]*(?:$|[([])|(?:if|for|while|with)[ \t].{1,200}:[ \t]*$|try:)/;
/** How often the scan goes back for a string that was never closed. */
const maximumReturns = 8;

const testAt = (pattern: RegExp, text: string, at: number): boolean => {
  pattern.lastIndex = at;
  return pattern.test(text);
};

/**
 * Cuts a text into logical lines. A bracket that was never closed ends where the next statement seems to begin, a
 * string at the end of its line, and a triple-quoted one before the code that it would swallow. Takes time in
 * proportion to the text, whatever it holds.
 */
export function logicalLines(text: string): LogicalLine[] {
  const lines: LogicalLine[] = [];
  const strings: { readonly at: number; readonly indent: number; readonly end: number; readonly line: number; readonly from: number }[] = [];
  /** Triple-quoted strings that end early: offset of the opening quotes -> end. */
  const cuts = new Map<number, number>();
  let returns = 0;
  /** Up to here brackets are known to be out of order, so that the first likely statement ends them. */
  let doubtful = 0;
  /** Where no closing triple quotes follow. */
  const last: Record<string, number> = {};
  let from = 0;
  for (;;) {
    blanks.lastIndex = from;
    const start = from + blanks.exec(text)![0].length;
    if (start >= text.length) return lines;
    const next = scanLine(start, start - lineStart(text, start));
    from = next;
  }

  function scanLine(start: number, indent: number): number {
    heads.lastIndex = start;
    const [, hard = '', soft = ''] = heads.exec(text) ?? [];
    const head = hard || soft;
    const open: Open[] = [];
    const openStrings: { at: number; quote: string }[] = [];
    const strays: number[] = [];
    let colon: LogicalLine['colon'] = 'none';
    let candidate = -1;
    /** A deeper line that cannot go on with the one before it. */
    let deeper = -1;
    let colonAt = -1;
    let end = -1;
    const done = (stop: number, next = stop): number => {
      end = Math.max(trimEnd(text, start, stop), ...openStrings.filter(({ at }) => at <= stop).slice(-1).map(({ at }) => at));
      if (colon !== 'none') colon = text[end - 1] === ':' ? 'last' : 'inside';
      const closers = open.filter(({ at }) => at < stop).map(({ close }) => close).reverse().join('');
      // `match` and `case` are names too.
      const kept = soft === '' || colon !== 'none' ? head : '';
      lines.push({ start, end, indent, head: kept, colon, colonAt, closers, openStrings: openStrings.filter(({ at }) => at <= stop), strays: strays.filter((at) => at < stop) });
      return next;
    };
    // Where a likely statement was passed, the line ends before it, and what was read behind it is read again.
    const split = (at: number): number => {
      if (candidate < 0) candidate = deeper;
      if (candidate < 0) return done(at);
      doubtful = Math.max(doubtful, at);
      const next = candidate;
      candidate = -1;
      return restart(next);
    };
    const restart = (stop: number): number => {
      const kept = rescan(start, stop);
      open.splice(0, open.length, ...kept);
      return done(stop);
    };
    let comment = -1;
    tokens.lastIndex = start;
    for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
      const token = match[0];
      const at = match.index;
      const first = token[0]!;
      if (first === '"' || first === "'") {
        const stringEnd = token.length === 3 ? tripleEnd(token, at, indent, start) : singleEnd(text, at + 1, first);
        if (stringEnd < -1) return -stringEnd - 2;
        if (text.charCodeAt(stringEnd - 1) !== first.charCodeAt(0) || stringEnd === at + 1 || cuts.has(at)) openStrings.push({ at: stringEnd, quote: token });
        tokens.lastIndex = stringEnd;
      } else if (first === '#') comment = at;
      else if (first === '\\') continue;
      else if (first === ':') {
        if (open.length === 0 && colon === 'none') {
          colon = 'inside';
          colonAt = at;
        }
      } else if (closing[first] !== undefined) open.push({ close: closing[first], at });
      else if (first === '\n' || first === '\r') {
        const lineEnd = comment < 0 ? at : comment;
        comment = -1;
        if (open.length === 0) return done(lineEnd, tokens.lastIndex);
        blanks.lastIndex = tokens.lastIndex;
        const lineAt = tokens.lastIndex + blanks.exec(text)![0].length;
        const width = lineAt - lineStart(text, lineAt);
        const body = head !== '' && width > indent;
        const begins = testAt(strong, text, lineAt);
        const header = body && text[trimEnd(text, start, lineEnd) - 1] === ':' && open[open.length - 1]!.close === ')';
        const juxtaposed = /[\p{L}\p{N}_)\]}"']/u.test(text[trimEnd(text, start, lineEnd) - 1]!) && beginsStatement(text, lineAt);
        if (deeper < 0 && juxtaposed) deeper = lineAt;
        if (candidate < 0 && (begins || header || ((width <= indent || body) && beginsStatement(text, lineAt)))) candidate = lineAt;
        // A broken string or bracket on the line may have hidden what closes it.
        const doubt = candidate >= 0 && (openStrings.length > 0 || strays.length > 0 || candidate < doubtful);
        if (begins || header || doubt || (juxtaposed && width <= indent)) return split(lineAt);
        tokens.lastIndex = lineAt;
      } else if (open.length > 0 && open[open.length - 1]!.close === first) open.pop();
      else if (open.some(({ close }) => close === first) && open.length < 100) {
        if (candidate >= 0) return split(at);
        while (open.pop()!.close !== first);
        strays.push(-1);
      } else strays.push(at);
    }
    if (open.length > 0) return split(text.length);
    return done(comment < 0 ? text.length : comment, text.length);
  }

  /** The brackets open at `stop` in a line read before. */
  function rescan(start: number, stop: number): Open[] {
    const open: Open[] = [];
    tokens.lastIndex = start;
    for (let match = tokens.exec(text); match !== null && match.index < stop; match = tokens.exec(text)) {
      const first = match[0][0]!;
      if (first === '"' || first === "'") {
        tokens.lastIndex = match[0].length === 3 ? (cuts.get(match.index) ?? text.indexOf(match[0], match.index + 3) + 3) : singleEnd(text, match.index + 1, first);
      } else if (closing[first] !== undefined) open.push({ close: closing[first], at: match.index });
      else if (open[open.length - 1]?.close === first) open.pop();
    }
    return open;
  }

  /** The end of a triple-quoted string, or -2 - offset to read on from there after an older one was cut short. */
  function tripleEnd(quotes: string, at: number, indent: number, start: number): number {
    const cut = cuts.get(at);
    if (cut !== undefined) return cut;
    const end = tripleClose(quotes, at + 3);
    if (end >= 0) {
      const string = { at, indent, end, line: lines.length, from: start };
      // Words right behind the quotes: they open the next string rather than close this one.
      if (/[\p{L}\p{N}]/u.test(text[end] ?? '') && codeAt(string) >= 0) {
        cuts.set(at, firstStatement(string));
        return cuts.get(at)!;
      }
      strings.push(string);
      return end;
    }
    strings.push({ at, indent, end: text.length, line: lines.length, from: start });
    // From the string that was not closed, what is taken for strings is code, and what for code is strings.
    let chosen = strings[strings.length - 1]!;
    for (let place = strings.length - 1, sum = 0, best = 0; place >= 0 && returns < maximumReturns; place -= 1) {
      sum += codeAt(strings[place]!) >= 0 ? 1 : -1;
      if (sum > best) {
        best = sum;
        chosen = strings[place]!;
      }
    }
    cuts.set(chosen.at, firstStatement(chosen));
    returns += 1;
    strings.splice(strings.indexOf(chosen));
    lines.splice(chosen.line);
    return -2 - chosen.from;
  }

  function tripleClose(quotes: string, from: number): number {
    if (from >= (last[quotes] ?? Infinity)) return -1;
    for (let at = from; ; at += 1) {
      at = text.indexOf(quotes, at);
      if (at < 0) {
        last[quotes] = Math.min(last[quotes] ?? Infinity, from);
        return -1;
      }
      let slashes = 0;
      while (at - slashes > from && text[at - 1 - slashes] === '\\') slashes += 1;
      if (slashes % 2 === 0) return at + 3;
    }
  }

  /** The offset of the first line of code in a string, not deeper than the string itself; -1 without one. */
  function codeAt({ at, indent, end }: { readonly at: number; readonly indent: number; readonly end: number }): number {
    for (let line = nextLine(text, at, end); line < end; line = nextLine(text, line, end)) {
      const width = widthAt(text, line);
      if (width <= indent && codeInString.test(text.slice(line, Math.min(endOfLine(text, line), line + 400)))) return line;
    }
    return -1;
  }

  /** The end of the line before the first one in a string that looks like a statement. */
  function firstStatement(string: { readonly at: number; readonly indent: number; readonly end: number }): number {
    const stop = codeAt(string);
    for (let line = nextLine(text, string.at, string.end); line < string.end; line = nextLine(text, line, string.end)) {
      const width = widthAt(text, line);
      if (line === stop || (width <= string.indent && (testAt(strong, text, line + width) || beginsStatement(text, line + width)))) return Math.max(string.at + 3, endBefore(text, line));
    }
    return endOfLine(text, string.at);
  }
}

/** Whether a line begins like a statement; one that ends in a comma, with all its brackets closed, is an argument. */
function beginsStatement(text: string, at: number): boolean {
  if (!testAt(weak, text, at)) return false;
  const line = text.slice(at, Math.min(endOfLine(text, at), at + 400)).replace(/[ \t]*(?:#.*)?$/, '');
  if (!line.endsWith(',')) return true;
  let depth = 0;
  for (const char of line) depth += '([{'.includes(char) ? 1 : ')]}'.includes(char) ? -1 : 0;
  return depth > 0;
}

/** The offset after the quote that ends a string of one line, or that of the line end. */
function singleEnd(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === quote) return at + 1;
    if (char === '\n' || char === '\r') return at;
    if (char === '\\') at += text[at + 1] === '\r' && text[at + 2] === '\n' ? 2 : 1;
  }
  return text.length;
}

function endOfLine(text: string, from: number, limit = text.length): number {
  let at = from;
  while (at < limit && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return at;
}

/** The start of the next line, or `limit`: a line of many strings is not read to its end for each of them. */
function nextLine(text: string, from: number, limit: number): number {
  const at = endOfLine(text, from, limit);
  return at >= limit ? limit : at + (text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1);
}

const endBefore = (text: string, line: number): number => line - (text[line - 1] === '\n' && text[line - 2] === '\r' ? 2 : 1);

function widthAt(text: string, line: number): number {
  let at = line;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at - line;
}

function lineStart(text: string, from: number): number {
  let at = from;
  while (at > 0 && (text[at - 1] === ' ' || text[at - 1] === '\t' || text[at - 1] === '\f' || text[at - 1] === '\ufeff')) at -= 1;
  return at;
}

function trimEnd(text: string, from: number, to: number): number {
  let at = to;
  while (at > from && ' \t\f\r\n'.includes(text[at - 1]!)) at -= 1;
  return at;
}
