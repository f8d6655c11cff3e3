import { anyChar, invert, namedClasses, unite } from './char-set.ts';
import type { CharSet } from './char-set.ts';

/**
 * The position automaton (Glushkov) of a pattern: state 0 is the start, every other state is one character of the
 * pattern. `follow[s]` are the states that may come next, `final` the states a match may end in.
 */
export type PositionAutomaton = {
  readonly sets: readonly CharSet[];
  readonly follow: readonly ReadonlySet<number>[];
  readonly final: ReadonlySet<number>;
  /** Whether something at an end of a match can still refuse it: `$` or a word boundary. */
  readonly endsGuarded: boolean;
};

/** Why no automaton was built: the shape itself backtracks, or it is out of reach of the analysis. */
export type Obstacle = { readonly obstacle: string };

type Part = { nullable: boolean; first: readonly number[]; last: readonly number[]; anchored: boolean };

const nothing: Part = { nullable: true, first: [], last: [], anchored: false };

// A bounded repeat of more copies counts as unbounded; a pattern of more states or deeper groups is refused.
const maximumCopies = 100;
const maximumStates = 1000;
const maximumNesting = 50;

// Reads the pattern by recursive descent; each part knows the states it can begin and end with.
class Builder {
  readonly sets: CharSet[] = [anyChar];
  readonly follow: Set<number>[] = [new Set()];
  endsGuarded = false;
  #at = 0;
  #nesting = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  build(): PositionAutomaton {
    const part = this.#alternatives();
    this.#link([0], part.first);
    // A pattern without ^ may start anywhere: V8 tries every start, which is a loop over any character.
    if (!part.anchored) this.follow[0]!.add(0);
    return { sets: this.sets, follow: this.follow, final: new Set(part.last), endsGuarded: this.endsGuarded };
  }

  #alternatives(): Part {
    let result = this.#sequence();
    while (this.#eat('|')) {
      const next = this.#sequence();
      result = {
        nullable: result.nullable || next.nullable,
        first: [...result.first, ...next.first],
        last: [...result.last, ...next.last],
        anchored: result.anchored && next.anchored,
      };
    }
    return result;
  }

  #sequence(): Part {
    let result = nothing;
    while (this.#at < this.#text.length && !this.#sees('|') && !this.#sees(')')) result = this.#join(result, this.#term());
    return result;
  }

  #join(a: Part, b: Part): Part {
    this.#link(a.last, b.first);
    return {
      nullable: a.nullable && b.nullable,
      first: a.nullable ? [...a.first, ...b.first] : a.first,
      last: b.nullable ? [...a.last, ...b.last] : b.last,
      anchored: a.anchored || (a === nothing && b.anchored),
    };
  }

  // An edge that is already there means two ways through the same characters, as in (a+)+.
  #link(from: readonly number[], to: readonly number[]): void {
    for (const state of from) {
      for (const next of to) {
        if (this.follow[state]!.has(next)) throw new Obstructed('repeats a group that already repeats in itself');
        this.follow[state]!.add(next);
      }
    }
  }

  #term(): Part {
    const start = this.#at;
    const atom = this.#atom();
    if (this.#eat('*')) return this.#loop(atom, true);
    if (this.#eat('+')) return this.#loop(atom, false);
    if (this.#eat('?')) return this.#optional(atom);
    const braces = /\{(\d+)(?:(,)(\d*))?\}/y;
    braces.lastIndex = this.#at;
    const found = braces.exec(this.#text);
    if (found === null) return atom;
    const least = Number(found[1]);
    const most = found[2] === undefined ? least : found[3] === '' ? Infinity : Number(found[3]);
    if (most > maximumCopies) {
      this.#at = braces.lastIndex;
      return this.#loop(atom, least === 0);
    }
    return this.#copies(atom, start, braces.lastIndex, least, most);
  }

  #loop(atom: Part, nullable: boolean): Part {
    this.#eat('?');
    this.#link(atom.last, atom.first);
    return { ...atom, nullable: nullable || atom.nullable, anchored: false };
  }

  #optional(atom: Part): Part {
    this.#eat('?');
    return { ...atom, nullable: true, anchored: false };
  }

  // x{1,3} is x(x(x)?)?: the optional copies are nested, so that there is one way to leave any of them out.
  #copies(atom: Part, start: number, end: number, least: number, most: number): Part {
    if (most === 0) {
      this.#at = end;
      this.#eat('?');
      return nothing;
    }
    let previous = atom;
    let joined = atom;
    const last = least <= 1 ? [...atom.last] : [];
    for (let copy = 2; copy <= most; copy += 1) {
      this.#at = start;
      const next = this.#atom();
      // A copy that can be empty lets every later copy follow every earlier one.
      if (atom.nullable) joined = this.#join(joined, next);
      else this.#link(previous.last, next.first);
      if (copy >= least) last.push(...next.last);
      previous = next;
    }
    this.#at = end;
    this.#eat('?');
    if (atom.nullable) return { ...joined, anchored: false };
    return { nullable: least === 0, first: atom.first, last, anchored: false };
  }

  #atom(): Part {
    if (this.#eat('(')) return this.#group();
    if (this.#eat('[')) return this.#state(this.#bracket());
    if (this.#eat('^')) return { ...nothing, anchored: true };
    if (this.#eat('$')) return this.#guard();
    if (this.#eat('.')) return this.#state(namedClasses.get('.')!);
    if (!this.#sees('\\')) return this.#state(this.#one(this.#next()));
    const letter = this.#text[this.#at + 1]!;
    if (letter === 'b' || letter === 'B') {
      this.#at += 2;
      return this.#guard();
    }
    if (/[1-9k]/.test(letter)) throw new Obstructed('refers back to a group');
    return this.#state(this.#escape());
  }

  #guard(): Part {
    this.endsGuarded = true;
    return { ...nothing };
  }

  #group(): Part {
    this.#nesting += 1;
    if (this.#nesting > maximumNesting) throw new Obstructed('nests its groups too deeply');
    const kind = /\?(?:<?[=!]|:|<[^>]*>)/y;
    kind.lastIndex = this.#at;
    const head = kind.exec(this.#text)?.[0] ?? '';
    this.#at += head.length;
    const part = this.#alternatives();
    this.#eat(')');
    this.#nesting -= 1;
    if (head === '?<=' || head === '?<!') throw new Obstructed('looks behind');
    if (head !== '?=' && head !== '?!') return part;
    // What is looked at ahead is a branch that leads nowhere: its loops still count against the loops before it.
    this.endsGuarded = true;
    return { nullable: true, first: part.first, last: [], anchored: false };
  }

  #state(set: CharSet): Part {
    const state = this.sets.push(set) - 1;
    if (state > maximumStates) throw new Obstructed('is too long');
    this.follow.push(new Set());
    return { nullable: false, first: [state], last: [state], anchored: false };
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

class Obstructed extends Error {}

/** Builds the automaton of a pattern that `new RegExp(text, 'u')` has taken; reads no other syntax. */
export function positionAutomaton(text: string): PositionAutomaton | Obstacle {
  try {
    return new Builder(text).build();
  } catch (error) {
    if (error instanceof Obstructed) return { obstacle: error.message };
    throw error;
  }
}
