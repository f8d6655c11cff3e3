import { intersect } from './char-set.ts';
import { positionAutomaton } from './position-automaton.ts';
import type { PositionAutomaton } from './position-automaton.ts';
import type { PatternNode } from './pattern-syntax.ts';

// Steps of the search before a pattern counts as too tangled; common patterns take under 5,000.
const maximumSteps = 100_000;

/**
 * Whether at most one way through the pattern leads to each of its characters at each place of a text. Backtracking
 * then tries no more ways than text length x pattern length. Repeats with a bound are looked at copy by copy, because
 * they blow up as loops do: (x{1,30}){1,30}. False also where the search gives up.
 */
export function isUnambiguous(root: PatternNode): boolean {
  const automaton = positionAutomaton(root);
  return automaton !== undefined && pathsStayApart(automaton);
}

// From every pair of states that one character leads to from the same state, walks on by characters that both take.
function pathsStayApart({ sets, follow, final, endsGuarded }: PositionAutomaton): boolean {
  const size = sets.length;
  const seen = new Set<number>();
  const open: (readonly [number, number])[] = [];
  let steps = 0;
  const visit = (a: number, b: number): void => {
    steps += 1;
    const key = a < b ? a * size + b : b * size + a;
    if (seen.has(key) || intersect(sets[a]!, sets[b]!).length === 0) return;
    seen.add(key);
    open.push([a, b]);
  };
  for (const next of follow) {
    const states = [...next];
    for (let i = 1; i < states.length && steps < maximumSteps; i += 1) {
      for (let j = 0; j < i && steps < maximumSteps; j += 1) visit(states[i]!, states[j]!);
    }
  }
  for (let pair = open.pop(); pair !== undefined && steps < maximumSteps; pair = open.pop()) {
    for (const a of follow[pair[0]]!) {
      for (const b of follow[pair[1]]!) {
        if (a !== b) visit(a, b);
        // In a final state that nothing guards the match has succeeded: no second way is ever tried.
        else if (endsGuarded || !final.has(a)) return false;
      }
    }
  }
  return steps < maximumSteps;
}
