import { anyChar, invert, namedClasses, unite } from './char-set.ts';
import type { CharSet } from './char-set.ts';

/** A place a pattern asks about without taking text: the start, the end, a word boundary or none. */
export type Edge = '^' | '$' | 'b' | 'B';

/** A pattern as a tree. `most` of a repeat may be Infinity; `exact` decides where `set` holds more than the pattern says. */
export type PatternNode =
  | { readonly kind: 'char'; readonly set: CharSet; readonly exact: RegExp | undefined }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly least: number; readonly most: number }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'look'; readonly ahead: boolean; readonly negated: boolean; readonly body: PatternNode };

/** Why a pattern is out of reach of whoever threw it; the message ends a sentence about the pattern. */
export class Obstructed extends Error {}

// Whoever walks the tree recurses as deep as its groups nest.
const maximumNesting = 50;

/** Reads a pattern that `new RegExp(text, 'u')` has taken; throws Obstructed for back references and deep nesting. */
export function parsePattern(text: string): PatternNode {
  return new Reader(text).alternatives();
}

// Recursive descent over text that is known to be well formed.
class Reader {
  #at = 0;
  #nesting = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  alternatives(): PatternNode {
    const parts = [this.#sequence()];
    while (this.#eat('|')) parts.push(this.#sequence());
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#text.length && !this.#sees('|') && !this.#sees(')')) parts.push(this.#term());
    return { kind: 'sequence', parts };
  }

  #term(): PatternNode {
    const body = this.#atom();
    const bounds = this.#bounds();
    if (bounds === undefined) return body;
    // A lazy repeat tries its ways in another order; whether there is a match is the same.
    this.#eat('?');
    return { kind: 'repeat', body, least: bounds[0], most: bounds[1] };
  }

  #bounds(): readonly [least: number, most: number] | undefined {
    const quantifier = /[*+?]|\{(\d+)(?:(,)(\d*))?\}/y;
    quantifier.lastIndex = this.#at;
    const found = quantifier.exec(this.#text);
    if (found === null) return undefined;
    this.#at = quantifier.lastIndex;
    const [sign, digits, comma, end] = found;
    if (digits === undefined) return [sign === '+' ? 1 : 0, sign === '?' ? 1 : Infinity];
    return [Number(digits), comma === undefined ? Number(digits) : end === '' ? Infinity : Number(end)];
  }

  #atom(): PatternNode {
    if (this.#eat('(')) return this.#group();
    const start = this.#at;
    if (this.#eat('[')) return this.#char(this.#bracket(), start);
    if (this.#eat('^')) return { kind: 'edge', edge: '^' };
    if (this.#eat('$')) return { kind: 'edge', edge: '$' };
    if (this.#eat('.')) return this.#char(namedClasses.get('.')!, start);
    if (!this.#sees('\\')) return this.#char(this.#one(this.#next()), start);
    const letter = this.#text[this.#at + 1]!;
    if (letter === 'b' || letter === 'B') {
      this.#at += 2;
      return { kind: 'edge', edge: letter };
    }
    if (/[1-9k]/.test(letter)) throw new Obstructed('refers back to a group');
    return this.#char(this.#escape(), start);
  }

  #char(set: CharSet, start: number): PatternNode {
    const source = this.#text.slice(start, this.#at);
    // Sets of Unicode properties are not spelled out here; inside [^…] they must not count as nothing either.
    if (/\\[pP]\{/.test(source)) return { kind: 'char', set: anyChar, exact: new RegExp(`^${source}$`, 'u') };
    return { kind: 'char', set, exact: undefined };
  }

  #group(): PatternNode {
    this.#nesting += 1;
    if (this.#nesting > maximumNesting) throw new Obstructed('nests its groups too deeply');
    const kind = /\?(?:<?[=!]|:|<[^>]*>)/y;
    kind.lastIndex = this.#at;
    const head = kind.exec(this.#text)?.[0] ?? '';
    // Newer engines know more groups, such as (?i:…): what is not read here must not be judged as if it were text.
    if (head === '' && this.#sees('?')) throw new Obstructed('has a group of a newer kind');
    this.#at += head.length;
    const body = this.alternatives();
    this.#eat(')');
    this.#nesting -= 1;
    if (!/^\?<?[=!]$/.test(head)) return body;
    return { kind: 'look', ahead: head.length === 2, negated: head.endsWith('!'), body };
  }

  #bracket(): CharSet {
    const negated = this.#eat('^');
    const sets: CharSet[] = [];
    while (!this.#eat(']')) {
      const from = this.#member();
      if (this.#sees('-') && this.#text[this.#at + 1] !== ']') {
        this.#at += 1;
        sets.push([from[0]!, this.#member().at(-1)!]);
      } else {
        sets.push(from);
      }
    }
    return negated ? invert(unite(sets)) : unite(sets);
  }

  #member(): CharSet {
    if (!this.#sees('\\')) return this.#one(this.#next());
    if (this.#text[this.#at + 1] !== 'b') return this.#escape();
    this.#at += 2;
    return this.#one(0x08);
  }

  #escape(): CharSet {
    this.#at += 1;
    const letter = String.fromCodePoint(this.#next());
    if (letter === 'p' || letter === 'P') this.#at = this.#text.indexOf('}', this.#at) + 1;
    const named = namedClasses.get(letter);
    if (named && letter !== '.') return named;
    if (letter === 'c') return this.#one(this.#next() % 32);
    if (letter === 'x') return this.#hex(2);
    if (letter === 'u' && !this.#sees('{')) return this.#unit();
    if (letter === 'u') {
      const end = this.#text.indexOf('}', this.#at);
      const code = Number.parseInt(this.#text.slice(this.#at + 1, end), 16);
      this.#at = end + 1;
      return this.#one(code);
    }
    const control = 'tnvfr'.indexOf(letter);
    if (letter === '0') return this.#one(0);
    return this.#one(control === -1 ? letter.codePointAt(0)! : 9 + control);
  }

  // Under the u flag two \u escapes that make a surrogate pair are one character.
  #unit(): CharSet {
    const pair = /[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/y;
    pair.lastIndex = this.#at;
    const found = pair.exec(this.#text);
    if (found === null) return this.#hex(4);
    this.#at = pair.lastIndex;
    const [high, low] = [Number.parseInt(found[0].slice(0, 4), 16), Number.parseInt(found[0].slice(6), 16)];
    return this.#one((high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000);
  }

  #hex(length: number): CharSet {
    const code = Number.parseInt(this.#text.slice(this.#at, this.#at + length), 16);
    this.#at += length;
    return this.#one(code);
  }

  #one(code: number): CharSet {
    return [code, code];
  }

  #next(): number {
    const code = this.#text.codePointAt(this.#at)!;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  #sees(character: string): boolean {
    return this.#text[this.#at] === character;
  }

  #eat(character: string): boolean {
    if (!this.#sees(character)) return false;
    this.#at += 1;
    return true;
  }
}
