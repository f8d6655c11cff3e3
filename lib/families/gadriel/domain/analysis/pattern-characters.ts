/** What texts a regular expression of Python lets through: which characters at will, and whether it spans the whole text. */
import { clearBit } from './value-bits.ts';

/** Characters as bits 0 to 127; bit 128 stands for everything beyond ASCII. */
export type CharacterSet = bigint;

/** `free`: characters that whoever writes the text can choose; characters that the pattern itself fixes are not in it. */
export type PatternFacts = {
  readonly free: CharacterSet;
  /** Those that can come first. */
  readonly first: CharacterSet;
  /** Fixed text that every match starts with. */
  readonly prefix: string;
  readonly anchoredStart: boolean;
  readonly anchoredEnd: boolean;
  /** The pattern forbids two dots in a row by a look-ahead. */
  readonly noDots: boolean;
  /** What single characters alone, `[;&|]` or `;|&`, match; undefined = the pattern is more than that. */
  readonly single: CharacterSet | undefined;
};

const everything: CharacterSet = (1n << 129n) - 1n;

const charactersOf = (text: string): CharacterSet => {
  let set = 0n;
  for (const char of text) set |= 1n << BigInt(Math.min(char.codePointAt(0) ?? 128, 128));
  return set;
};

const between = (from: number, to: number): CharacterSet => {
  let set = 0n;
  for (let code = Math.min(from, 128); code <= Math.min(to, 128); code += 1) set |= 1n << BigInt(code);
  return set;
};

const digits = between(48, 57);
const letters = between(65, 90) | between(97, 122) | charactersOf('_') | 1n << 128n;
const blanks = charactersOf(' \t\n\r\f\v');
const newline = charactersOf('\n');

const classes: ReadonlyMap<string, CharacterSet> = new Map([
  ['d', digits], ['D', everything & ~digits], ['w', digits | letters], ['W', everything & ~(digits | letters) | 1n << 128n],
  ['s', blanks | 1n << 128n], ['S', everything & ~blanks],
]);
const controls: ReadonlyMap<string, string> = new Map([['n', '\n'], ['r', '\r'], ['t', '\t'], ['f', '\f'], ['v', '\v'], ['a', '\x07'], ['0', '\0']]);

type Part = {
  free: CharacterSet;
  fixed: CharacterSet;
  firstFree: CharacterSet;
  firstFixed: CharacterSet;
  nullable: boolean;
  start: boolean;
  end: boolean;
  /** The text, where it is one fixed character. */
  text: string | undefined;
  single: CharacterSet | undefined;
};

const emptyPart = (): Part =>
  ({ free: 0n, fixed: 0n, firstFree: 0n, firstFixed: 0n, nullable: true, start: false, end: false, text: undefined, single: undefined });
const classPart = (set: CharacterSet): Part =>
  ({ free: set, fixed: 0n, firstFree: set, firstFixed: 0n, nullable: false, start: false, end: false, text: undefined, single: set });
const fixedPart = (char: string): Part => {
  const set = charactersOf(char);
  return { free: 0n, fixed: set, firstFree: 0n, firstFixed: set, nullable: false, start: false, end: false, text: char, single: set };
};

/** Not a pattern that this reads. */
class Unreadable extends Error {}

const maximumLength = 2000;
const maximumGroups = 24;

class Reader {
  private at = 0;
  private depth = 0;
  prefix = '';
  private readonly text: string;
  private readonly flags: { readonly m: boolean; readonly s: boolean };

  constructor(text: string, flags: { readonly m: boolean; readonly s: boolean }) {
    this.text = text;
    this.flags = flags;
  }

  whole(): Part {
    const part = this.alternatives();
    if (this.at < this.text.length) throw new Unreadable();
    return part;
  }

  private alternatives(): Part {
    if (this.depth > maximumGroups) throw new Unreadable();
    this.depth += 1;
    let all: Part | undefined;
    do {
      const one = this.sequence();
      all = all === undefined ? one : {
        free: all.free | one.free, fixed: all.fixed | one.fixed, firstFree: all.firstFree | one.firstFree, firstFixed: all.firstFixed | one.firstFixed,
        nullable: all.nullable || one.nullable, start: all.start && one.start, end: all.end && one.end, text: undefined,
        single: all.single === undefined || one.single === undefined ? undefined : all.single | one.single,
      };
      if (this.text[this.at] === '|' && this.depth === 1) this.prefix = '';
    } while (this.take('|'));
    this.depth -= 1;
    return all;
  }

  private sequence(): Part {
    const all = emptyPart();
    let count = 0;
    let plain = this.depth === 1;
    let started = false;
    for (let char = this.text[this.at]; char !== undefined && char !== '|' && char !== ')'; char = this.text[this.at]) {
      const from = this.at;
      const item = this.item();
      const [least, most] = this.repetition();
      if (item === undefined) continue;
      const zeroWidth = item.free === 0n && item.fixed === 0n;
      // Whatever comes after an end mark, or before a start mark, cannot be part of the text.
      if (!started && (item.start || !zeroWidth)) {
        all.start = item.start && least > 0;
        started = true;
      }
      if (item.end || !zeroWidth) all.end = item.end && least > 0;
      if (zeroWidth) continue;
      const repeated = most > 1;
      if (all.nullable) {
        all.firstFree |= repeated && from < this.at ? item.firstFree | (least === 0 ? item.firstFixed : 0n) : item.firstFree;
        all.firstFixed |= item.firstFixed;
      }
      all.free |= repeated ? item.free | item.fixed : item.free;
      all.fixed |= item.fixed;
      all.nullable &&= item.nullable || least === 0;
      count += 1;
      all.single = count === 1 && least > 0 ? item.single : undefined;
      plain &&= item.text !== undefined && least === 1 && most === 1;
      if (plain) this.prefix += item.text ?? '';
    }
    return all;
  }

  private take(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  /** One item without its repetition; undefined = flags or a comment. */
  private item(): Part | undefined {
    const char = this.text[this.at] ?? '';
    this.at += 1;
    switch (char) {
      case '.': return classPart(this.flags.s ? everything : everything & ~newline);
      case '^': return { ...emptyPart(), start: !this.flags.m };
      case '$': return { ...emptyPart(), end: !this.flags.m };
      case '[': return classPart(this.characterClass());
      case '(': return this.group();
      case '\\': return this.escape();
      default: return fixedPart(char);
    }
  }

  private escape(): Part {
    const char = this.text[this.at] ?? '';
    this.at += 1;
    if (char === 'A') return { ...emptyPart(), start: true };
    if (char === 'Z') return { ...emptyPart(), end: true };
    if (char === 'b' || char === 'B') return emptyPart();
    if (/[1-9]/.test(char)) return emptyPart();
    const set = classes.get(char);
    return set === undefined ? fixedPart(this.escaped(char)) : classPart(set);
  }

  /** The character that an escape stands for. */
  private escaped(char: string): string {
    const length = char === 'x' ? 2 : char === 'u' ? 4 : char === 'U' ? 8 : 0;
    if (length === 0) return controls.get(char) ?? char;
    const digitsGiven = this.text.slice(this.at, this.at + length);
    const code = /^[0-9a-f]+$/i.test(digitsGiven) ? Number.parseInt(digitsGiven, 16) : Infinity;
    this.at += length;
    if (code > 0x10ffff) throw new Unreadable();
    return String.fromCodePoint(code);
  }

  private characterClass(): CharacterSet {
    const negated = this.take('^');
    let set = 0n;
    for (let first = true; ; first = false) {
      const low = this.classCharacter();
      if (low === ']' && !first) break;
      if (typeof low === 'bigint') {
        set |= low;
        continue;
      }
      if (this.text[this.at] === '-' && this.text[this.at + 1] !== ']') {
        this.at += 1;
        const high = this.classCharacter();
        if (typeof high === 'bigint') throw new Unreadable();
        set |= between(low.codePointAt(0) ?? 128, (high === '\\]' ? ']' : high).codePointAt(0) ?? 128);
      } else {
        set |= charactersOf(low === '\\]' ? ']' : low);
      }
    }
    // What is beyond ASCII is one bit: a class that names some of it does not name all.
    return negated ? everything & ~set | 1n << 128n : set;
  }

  /** A character of a class, a class inside it, `\\]` for an escaped bracket. */
  private classCharacter(): string | CharacterSet {
    const char = this.text[this.at];
    if (char === undefined) throw new Unreadable();
    this.at += 1;
    if (char !== '\\') return char;
    const next = this.text[this.at] ?? '';
    this.at += 1;
    const set = classes.get(next);
    if (set !== undefined) return set;
    return next === ']' ? '\\]' : next === 'b' ? '\b' : this.escaped(next);
  }

  private group(): Part | undefined {
    let zeroWidth = false;
    if (this.take('?')) {
      const kind = /^(?::|P?<[A-Za-z_]\w{0,60}>|>|P=\w{1,60}|#[^)]{0,500}|<?[=!]|[aiLmsux]{1,7}(?:-[imsx]{1,4})?:|[aiLmsux]{1,7}(?=\)))/.exec(this.text.slice(this.at, this.at + 520))?.[0];
      if (kind === undefined) throw new Unreadable();
      this.at += kind.length;
      if (kind.startsWith('#') || kind.startsWith('P=') || /^[aiLmsux]+$/.test(kind)) {
        if (!this.take(')')) throw new Unreadable();
        return undefined;
      }
      // A scope with flags of its own may change what a dot and the marks mean.
      if (/^[aLux]*[msx]/.test(kind) && !kind.includes('<') && kind.includes(':')) return this.scoped(kind);
      zeroWidth = /^<?[=!]$/.test(kind);
    }
    const inner = this.alternatives();
    if (!this.take(')')) throw new Unreadable();
    return zeroWidth ? emptyPart() : { ...inner, text: undefined };
  }

  private scoped(kind: string): Part {
    const inner = new Reader(this.text.slice(0), { m: this.flags.m || /^\w*m/.test(kind), s: this.flags.s || /^\w*s/.test(kind) });
    inner.at = this.at;
    inner.depth = this.depth;
    const part = inner.alternatives();
    this.at = inner.at;
    if (!this.take(')')) throw new Unreadable();
    return { ...part, text: undefined };
  }

  private repetition(): readonly [least: number, most: number] {
    let counts: readonly [number, number] = [1, 1];
    const char = this.text[this.at];
    if (char === '*' || char === '+' || char === '?') {
      this.at += 1;
      counts = char === '*' ? [0, 2] : char === '+' ? [1, 2] : [0, 1];
    } else if (char === '{') {
      const match = /^\{(\d{0,6})(?:(,)(\d{0,6}))?\}/.exec(this.text.slice(this.at, this.at + 20));
      if (match === null) return counts;
      this.at += match[0].length;
      const least = Number(match[1] === '' ? 0 : match[1]);
      counts = [least, match[2] === undefined ? least : match[3] === undefined || match[3] === '' ? Infinity : Number(match[3])];
    }
    if (this.text[this.at] === '?' || this.text[this.at] === '+') this.at += counts[1] > 1 || counts[0] === 0 ? 1 : 0;
    return counts;
  }
}

/** Reads a pattern; `flags` are the letters of its flags (`m`, `s`, `x`). Undefined = too long or nothing that Python takes. */
export const patternFacts = (pattern: string, flags: string): PatternFacts | undefined => {
  if (pattern.length > maximumLength) return undefined;
  const inline = /^\(\?([aiLmsux]{1,7})\)/.exec(pattern)?.[1] ?? '';
  const all = flags + inline;
  const text = all.includes('x') ? pattern.replace(/(?<!\\)#.*$/gm, '').replace(/(?<!\\)\s+/g, '') : pattern;
  try {
    const reader = new Reader(text, { m: all.includes('m'), s: all.includes('s') });
    const part = reader.whole();
    return {
      free: part.free, first: part.firstFree, prefix: reader.prefix, anchoredStart: part.start, anchoredEnd: part.end,
      noDots: /\(\?!(?:\^?\.\*)?(?:\\\.|\[\.\]){2}/.test(text), single: part.single,
    };
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
};

const holds = (set: CharacterSet, characters: CharacterSet): boolean => (set & characters) !== 0n;

const harmful = {
  shell: charactersOf(';&|`$()<>\n\r\'"\\'),
  sql: charactersOf('\'"`;\\()') | blanks,
  html: charactersOf('<>"'),
  url: charactersOf('/\\:@.?#'),
  log: charactersOf('\n\r'),
  regex: charactersOf('()*+{[\\|'),
  call: charactersOf('([{%\n'),
} as const;
const slash = charactersOf('/');
const backslash = charactersOf('\\');
const star = charactersOf('*');
const dot = charactersOf('.');
const dash = charactersOf('-');

/** What a text is clear for when only these characters can be in it, and only those of `first` at its start. */
export const kindsOf = ({ free, first, prefix, noDots }: Pick<PatternFacts, 'free' | 'first' | 'prefix' | 'noDots'>): number => {
  let bits = 0;
  const clear = (kind: keyof typeof clearBit, when: boolean): void => {
    if (when) bits |= clearBit[kind];
  };
  const upwards = holds(free, dot) && !noDots && (holds(free, slash) || holds(first, dot));
  clear('shell', !holds(free, harmful.shell));
  clear('sql', !holds(free, harmful.sql) && !(holds(free, slash) && holds(free, star)));
  clear('html', !holds(free, harmful.html));
  clear('url', !holds(free, harmful.url) || /^https?:\/\/[^/\\@?#]+\//.test(prefix));
  clear('log', !holds(free, harmful.log));
  clear('regex', !holds(free, harmful.regex));
  // Without a call, or without a name, there is nothing that an expression could do.
  clear('code', !holds(free, harmful.call) || !holds(free, letters));
  clear('up', !upwards);
  clear('rooted', !holds(first, slash) && !holds(free, backslash));
  clear('path', !upwards && !holds(first, slash) && !holds(free, backslash));
  clear('option', (bits & clearBit.shell) !== 0 || !holds(first, dash));
  const everyUse = clearBit.shell | clearBit.sql | clearBit.html | clearBit.url | clearBit.log | clearBit.regex | clearBit.code | clearBit.path;
  clear('all', (bits & everyUse) === everyUse);
  return bits;
};

/** Kinds that a text is clear for when none of `excluded` is in it. */
export const kindsWithout = (excluded: CharacterSet, noDots: boolean): number => {
  const free = everything & ~excluded;
  return kindsOf({ free, first: free, prefix: '', noDots });
};

/** Kinds that a text is clear for when it is made of the characters of `allowed`. */
export const kindsWithin = (allowed: string): number => {
  const free = charactersOf(allowed);
  return kindsOf({ free, first: free, prefix: '', noDots: false });
};
