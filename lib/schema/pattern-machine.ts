import type { CharSet } from './char-set.ts';
import { Obstructed } from './pattern-syntax.ts';
import type { Edge, PatternNode } from './pattern-syntax.ts';

type Step =
  | CharStep
  | { readonly do: 'fork'; to: number }
  | { readonly do: 'jump'; readonly to: number }
  | { readonly do: 'edge'; readonly edge: Edge }
  | { readonly do: 'look'; readonly index: number; readonly negated: boolean }
  | { readonly do: 'match' };

/** `ascii[c]` is 1 where the first 128 characters fit. */
type CharStep = { readonly do: 'char'; readonly set: CharSet; readonly exact: RegExp | undefined; readonly ascii: Uint8Array };

/** `seen` holds when a step was last reached on the `clock` that counts places of all texts, so that it is never cleared. */
type Program = {
  readonly steps: readonly Step[];
  readonly backward: boolean;
  readonly seen: Float64Array;
  /** Room for the ways open at a place and for those yet to look at; kept, since making it takes longer than most texts. */
  readonly open: Int32Array;
  readonly stack: Int32Array;
  clock: number;
};

/** Work left for one text, and for every look around whether it finds its body at each place. */
type Scene = { readonly text: string; readonly found: Uint8Array[]; work: number };

const maximumSteps = 10_000;
// Half a second: a text that needs more does not match. Ordinary patterns take up to 30 steps a character.
const maximumWork = 20_000_000;

/**
 * A matcher that keeps every way through the pattern at once (Thompson 1968; Cox, "Regular Expression Matching: the
 * Virtual Machine Approach"), so that its work is text length x pattern length whatever the text. Look arounds are
 * found for all places in one run of their own, against the reading direction for lookahead. Throws Obstructed for a
 * pattern of more than 10,000 steps. A text that takes more than 20 million steps does not match.
 */
export function patternMachine(root: PatternNode): (text: string) => boolean {
  const parts: Parts = { looks: [], places: new Map(), chars: new Map(), size: 0 };
  const { looks } = parts;
  const main = program(root, false, parts);
  return (text) => {
    const scene: Scene = { text, found: [], work: maximumWork };
    for (const look of looks) {
      if (scene.work <= 0) return false;
      const found = new Uint8Array(text.length + 1);
      scan(look, scene, found);
      scene.found.push(found);
    }
    return scan(main, scene, undefined) && scene.work > 0;
  };
}

// The programs of look arounds, inner ones first, and what copies of one node share; `size` counts the steps of all.
type Parts = {
  readonly looks: Program[];
  readonly places: Map<PatternNode, number>;
  readonly chars: Map<PatternNode, CharStep>;
  size: number;
};

function program(root: PatternNode, backward: boolean, all: Parts): Program {
  const steps: Step[] = [];
  const add = (step: Step): number => {
    all.size += 1;
    if (all.size > maximumSteps) throw new Obstructed('is too long');
    return steps.push(step) - 1;
  };
  const forks = (places: readonly number[]): void => {
    for (const place of places) (steps[place] as { to: number }).to = steps.length;
  };
  const emit = (node: PatternNode): void => {
    if (node.kind === 'char') {
      const step = all.chars.get(node) ?? charStep(node.set, node.exact);
      all.chars.set(node, step);
      add(step);
    }
    else if (node.kind === 'edge') add({ do: 'edge', edge: node.edge });
    else if (node.kind === 'sequence') for (const part of backward ? [...node.parts].reverse() : node.parts) emit(part);
    else if (node.kind === 'repeat') repeat(node.body, node.least, node.most);
    else if (node.kind === 'look') {
      // Copies of a look around find the same.
      const index = all.places.get(node) ?? all.looks.push(program(node.body, node.ahead, all)) - 1;
      all.places.set(node, index);
      add({ do: 'look', index, negated: node.negated });
    } else choice(node.parts);
  };
  const choice = (parts: readonly PatternNode[]): void => {
    const ends: number[] = [];
    parts.forEach((part, index) => {
      if (index === parts.length - 1) return emit(part);
      const fork = add({ do: 'fork', to: 0 });
      emit(part);
      ends.push(add({ do: 'jump', to: 0 }));
      forks([fork]);
    });
    forks(ends);
  };
  const repeat = (body: PatternNode, least: number, most: number): void => {
    for (let copy = 0; copy < least; copy += 1) {
      const before = steps.length;
      emit(body);
      // An empty body is the same however often; counting on could take for ever.
      if (steps.length === before) return;
    }
    if (most === Infinity) {
      const fork = add({ do: 'fork', to: 0 });
      emit(body);
      add({ do: 'jump', to: fork });
      return forks([fork]);
    }
    const ends: number[] = [];
    for (let copy = least; copy < most; copy += 1) {
      ends.push(add({ do: 'fork', to: 0 }));
      emit(body);
    }
    forks(ends);
  };
  emit(root);
  add({ do: 'match' });
  const size = steps.length;
  return { steps, backward, seen: new Float64Array(size), open: new Int32Array(size), stack: new Int32Array(2 * size + 2), clock: 0 };
}

function charStep(set: CharSet, exact: RegExp | undefined): CharStep {
  const fits = exact === undefined ? (code: number) => holds(set, code) : (code: number) => exact.test(String.fromCodePoint(code));
  return { do: 'char', set, exact, ascii: Uint8Array.from({ length: 128 }, (_, code) => Number(fits(code))) };
}

/** Marks in `found` every place where a match that began anywhere before ends; without `found` stops at the first. */
function scan(program: Program, scene: Scene, found: Uint8Array | undefined): boolean {
  const { steps, backward, seen, open, stack } = program;
  const { text } = scene;
  const first = steps[0]!;
  const onlyAtStart = !backward && first.do === 'edge' && first.edge === '^';
  let count = 0;
  for (let at = backward ? text.length : 0; ; ) {
    const now = (program.clock += 1);
    let [height, matched] = [count, false];
    stack.set(open.subarray(0, count));
    if (!onlyAtStart || at === 0) stack[height++] = 0;
    else if (count === 0) return false;
    count = 0;
    while (height > 0) {
      const index = stack[--height]!;
      if (seen[index] === now) continue;
      seen[index] = now;
      scene.work -= 1;
      const step = steps[index]!;
      if (step.do === 'char') open[count++] = index;
      else if (step.do === 'match') matched = true;
      else if (step.do === 'jump') stack[height++] = step.to;
      else if (step.do === 'fork') {
        stack[height++] = step.to;
        stack[height++] = index + 1;
      } else if (step.do === 'edge' ? holdsAt(step.edge, text, at) : (scene.found[step.index]![at] === 1) !== step.negated) stack[height++] = index + 1;
    }
    if (matched && found === undefined) return true;
    if (matched) found![at] = 1;
    if (at === (backward ? 0 : text.length) || scene.work <= 0) return false;
    const code = backward ? codeBefore(text, at) : text.codePointAt(at)!;
    at += (code > 0xffff ? 2 : 1) * (backward ? -1 : 1);
    // The ways whose character fits stay, one step on.
    const waiting = count;
    count = 0;
    for (let place = 0; place < waiting; place += 1) {
      const index = open[place]!;
      if (takes(steps[index] as CharStep, code, scene)) open[count++] = index + 1;
    }
  }
}

function takes({ set, exact, ascii }: CharStep, code: number, scene: Scene): boolean {
  if (code < 128) return ascii[code] === 1;
  if (exact === undefined) return holds(set, code);
  scene.work -= 9;
  return exact.test(String.fromCodePoint(code));
}

function codeBefore(text: string, at: number): number {
  const code = at > 1 ? text.codePointAt(at - 2)! : 0;
  return code > 0xffff ? code : text.charCodeAt(at - 1);
}

function holdsAt(edge: Edge, text: string, at: number): boolean {
  if (edge === '^') return at === 0;
  if (edge === '$') return at === text.length;
  return (isWord(text.charCodeAt(at - 1)) === isWord(text.charCodeAt(at))) === (edge === 'B');
}

// NaN, beyond either end, is none.
function isWord(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f;
}

// The ranges are sorted: halves the pairs until one is left.
function holds(set: CharSet, code: number): boolean {
  let low = 0;
  let high = set.length / 2 - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (set[2 * middle]! <= code) low = middle;
    else high = middle - 1;
  }
  return high >= 0 && set[2 * low]! <= code && code <= set[2 * low + 1]!;
}
