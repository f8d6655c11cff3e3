import { intersect } from './char-set.ts';
import type { CharSet } from './char-set.ts';
import { positionAutomaton } from './position-automaton.ts';
import type { PositionAutomaton } from './position-automaton.ts';

/** A pattern ready for use, or why it is refused. */
export type Pattern = { readonly matches: (text: string) => boolean } | { readonly refused: string };

// Steps of the search before a pattern counts as too tangled to prove linear; common patterns take under 5,000.
const maximumSteps = 300_000;

/**
 * Compiles a JSON Schema pattern (ECMA-262, flag u, unanchored) and refuses one that does not compile or whose time
 * could grow faster than the text: texts come from strangers and the regular expressions of V8 cannot be stopped.
 * A text too long for V8's backtracking stack does not match.
 */
export function compilePattern(source: string): Pattern {
  let regex: RegExp;
  try {
    regex = new RegExp(source, 'u');
  } catch {
    return { refused: 'is no regular expression of ECMAScript with flag u' };
  }
  const automaton = positionAutomaton(source);
  const reason = 'obstacle' in automaton ? automaton.obstacle : ambiguity(automaton);
  if (reason !== undefined) {
    return { refused: `may take more than linear time (${reason}); anchor it with ^ or keep what repeats apart` };
  }
  return {
    matches: (text) => {
      try {
        return regex.test(text);
      } catch {
        return false;
      }
    },
  };
}

/**
 * Backtracking is super-linear when a word leads from a state p to itself, from p to another state q, and from q to
 * itself (Weber and Seidl 1991, "On the degree of ambiguity of finite automata", criterion IDA; the exponential
 * criterion EDA implies it). The search walks the three paths at once over characters all three accept.
 */
function ambiguity(automaton: PositionAutomaton): string | undefined {
  const { follow, final, endsGuarded } = automaton;
  // States are numbered as they stand in the pattern, so every loop has a step back; most patterns have one or none.
  const stepsBack = follow.flatMap((next, state) => [...next].filter((to) => to <= state).map((to) => to === state));
  if (stepsBack.length === 0 || (stepsBack.length === 1 && stepsBack[0])) return undefined;
  const reach = reachable(follow);
  const loops = follow.map((_, state) => state).filter((state) => reach[state]!.has(state));
  // Where no state on from p ever has a choice, two paths that begin in p with the same text are the same path.
  const hasChoice = follow.map((next) => overlaps([...next].map((state) => automaton.sets[state]!)));
  let steps = 0;
  for (const p of loops) {
    if (![...reach[p]!].some((state) => hasChoice[state])) continue;
    for (const q of loops) {
      // In a final state that nothing guards the match has succeeded: there is nothing to come back from.
      if (p === q || !reach[p]!.has(q) || (final.has(q) && !endsGuarded)) continue;
      steps += tripleSearch(automaton, reach, p, q, maximumSteps - steps);
      if (steps < 0) return 'two of its repeats can share the same text';
      if (steps >= maximumSteps) return 'it is too tangled to tell';
    }
  }
  return undefined;
}

// For every state, the states that one or more steps lead to.
type Reach = readonly ReadonlySet<number>[];

function overlaps(sets: readonly CharSet[]): boolean {
  return sets.some((set, index) => sets.slice(0, index).some((other) => intersect(set, other).length > 0));
}

/** Steps it took to see that (p, p, q) does not lead to (p, q, q); -Infinity when it does. */
function tripleSearch(automaton: PositionAutomaton, reach: Reach, p: number, q: number, limit: number): number {
  const { sets, follow } = automaton;
  const size = sets.length;
  const goal = (p * size + q) * size + q;
  const first = (p * size + p) * size + q;
  const seen = new Set([first]);
  const open = [first];
  let steps = 0;
  for (let code = open.pop(); code !== undefined && steps < limit; code = open.pop()) {
    const [a, b, c] = [Math.floor(code / size / size), Math.floor(code / size) % size, code % size];
    for (const nextA of follow[a]!) {
      if (!reach[nextA]!.has(p)) continue;
      for (const nextB of follow[b]!) {
        const shared = intersect(sets[nextA]!, sets[nextB]!);
        steps += 1;
        if (shared.length === 0 || !reach[nextB]!.has(q)) continue;
        for (const nextC of follow[c]!) {
          steps += 1;
          if (!reach[nextC]!.has(q) || intersect(shared, sets[nextC]!).length === 0) continue;
          const next = (nextA * size + nextB) * size + nextC;
          if (next === goal) return -Infinity;
          if (!seen.has(next)) {
            seen.add(next);
            open.push(next);
          }
        }
      }
    }
  }
  return steps;
}

function reachable(follow: PositionAutomaton['follow']): Reach {
  return follow.map((start) => {
    const seen = new Set(start);
    const open = [...start];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      for (const next of follow[state]!) {
        if (seen.has(next)) continue;
        seen.add(next);
        open.push(next);
      }
    }
    return seen;
  });
}
