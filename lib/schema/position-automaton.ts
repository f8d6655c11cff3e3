import { anyChar } from './char-set.ts';
import type { CharSet } from './char-set.ts';
import type { PatternNode } from './pattern-syntax.ts';

/**
 * The position automaton (Glushkov) of a pattern: state 0 is the start, every other state is one character of the
 * pattern. `follow[s]` are the states that may come next, `final` the states a match may end in.
 */
export type PositionAutomaton = {
  readonly sets: readonly CharSet[];
  readonly follow: readonly ReadonlySet<number>[];
  readonly final: ReadonlySet<number>;
  /** Whether something after a character can still refuse a match: `$`, a late `^` or a word boundary. */
  readonly endsGuarded: boolean;
};

type Part = { readonly nullable: boolean; readonly first: readonly number[]; readonly last: readonly number[]; readonly anchored: boolean };

const nothing: Part = { nullable: true, first: [], last: [], anchored: false };

// More copies count as a loop, which keeps all ways through one copy after another apart or shows too many, never too few.
const maximumCopies = 100;
const maximumStates = 1000;

/** Two ways through the same text are plain from the pattern's shape, or it is too large to look into. */
class Unclear extends Error {}

class Builder {
  readonly sets: CharSet[] = [anyChar];
  readonly follow: Set<number>[] = [new Set()];
  endsGuarded = false;

  build(root: PatternNode): PositionAutomaton {
    const part = this.#part(root, true);
    this.#link([0], part.first);
    // A pattern without ^ may start anywhere: V8 tries every start, which is a loop over any character.
    if (!part.anchored) this.follow[0]!.add(0);
    return { sets: this.sets, follow: this.follow, final: new Set(part.last), endsGuarded: this.endsGuarded };
  }

  // `leading`: no character of the pattern can come before this node.
  #part(node: PatternNode, leading: boolean): Part {
    if (node.kind === 'char') return this.#state(node.set);
    if (node.kind === 'repeat') return this.#repeat(node.body, node.least, node.most);
    if (node.kind === 'edge') {
      if (node.edge !== '^' || !leading) this.endsGuarded = true;
      return { ...nothing, anchored: node.edge === '^' };
    }
    if (node.kind === 'look') throw new Unclear();
    if (node.kind === 'choice') return node.parts.map((part) => this.#part(part, leading)).reduce((a, b) => this.#either(a, b));
    return node.parts.reduce<Part>((done, next, index) => this.#join(done, this.#part(next, leading && index === 0)), nothing);
  }

  #either(a: Part, b: Part): Part {
    if (a.nullable && b.nullable) throw new Unclear();
    return {
      nullable: a.nullable || b.nullable,
      first: [...a.first, ...b.first],
      last: [...a.last, ...b.last],
      anchored: a.anchored && b.anchored,
    };
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

  // x{1,3} is x(x(x)?)? and x{2,} is xx with a loop on the last: there is one way to leave any copy out.
  #repeat(body: PatternNode, least: number, most: number): Part {
    if (most === 0) return nothing;
    const before = this.sets.length;
    const atom = this.#part(body, false);
    const copies = most === Infinity ? Math.max(least, 1) : most;
    // What may be empty and may also be left out is nothing in two ways; copies of no character would only cost time.
    if (atom.nullable && (least !== most || this.sets.length === before || copies > maximumCopies)) throw new Unclear();
    if (copies > maximumCopies) {
      // The loop cannot tell the copies that may end a match from those that may not.
      this.endsGuarded = true;
      this.#link(atom.last, atom.first);
      return { ...atom, nullable: least === 0, anchored: false };
    }
    let joined = atom;
    let previous = atom;
    const last = least <= 1 ? [...atom.last] : [];
    for (let copy = 2; copy <= copies; copy += 1) {
      const next = this.#part(body, false);
      // A copy that can be empty lets every later copy follow every earlier one.
      if (atom.nullable) joined = this.#join(joined, next);
      else this.#link(previous.last, next.first);
      if (copy >= least) last.push(...next.last);
      previous = next;
    }
    if (most === Infinity) this.#link(previous.last, previous.first);
    if (atom.nullable) return { ...joined, anchored: false };
    return { nullable: least === 0, first: atom.first, last, anchored: false };
  }

  // An edge that is already there means two ways through the same characters, as in (a+)+.
  #link(from: readonly number[], to: readonly number[]): void {
    for (const state of from) {
      for (const next of to) {
        if (this.follow[state]!.has(next)) throw new Unclear();
        this.follow[state]!.add(next);
      }
    }
  }

  #state(set: CharSet): Part {
    const state = this.sets.push(set) - 1;
    if (state > maximumStates) throw new Unclear();
    this.follow.push(new Set());
    return { nullable: false, first: [state], last: [state], anchored: false };
  }
}

/** The automaton of a pattern; undefined where its shape has two ways through one text, looks around or is too large. */
export function positionAutomaton(root: PatternNode): PositionAutomaton | undefined {
  try {
    return new Builder().build(root);
  } catch (error) {
    if (error instanceof Unclear) return undefined;
    throw error;
  }
}
