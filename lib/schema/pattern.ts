import { isUnambiguous } from './ambiguity.ts';
import { patternMachine } from './pattern-machine.ts';
import { Obstructed, parsePattern } from './pattern-syntax.ts';

/** A pattern ready for use, or why it is refused. */
export type Pattern = { readonly matches: (text: string) => boolean } | { readonly refused: string };

/**
 * Compiles a JSON Schema pattern (ECMA-262, flag u, unanchored) so that its time grows no faster than the text: texts
 * come from strangers and the regular expressions of V8 cannot be stopped. V8 serves the patterns that give it nothing
 * to try twice, a machine of our own the others. Refused are patterns that do not compile, refer back to a group, nest
 * more than 50 groups or are too long for the machine. A text too long for either's memory or work does not match.
 */
export function compilePattern(source: string): Pattern {
  let regex: RegExp;
  try {
    regex = new RegExp(source, 'u');
  } catch {
    return { refused: 'is no regular expression of ECMAScript with flag u' };
  }
  try {
    const root = parsePattern(source);
    return { matches: isUnambiguous(root) ? backtracking(regex, () => patternMachine(root)) : patternMachine(root) };
  } catch (error) {
    if (error instanceof Obstructed) return { refused: `may take more than linear time (it ${error.message})` };
    throw error;
  }
}

/** V8's matcher; it throws where a text overflows its stack. */
function backtracking(regex: RegExp, machine: () => (text: string) => boolean): (text: string) => boolean {
  let arbiter: ((text: string) => boolean) | undefined;
  return (text) => {
    try {
      if (!regex.test(text)) return false;
      if (!astral.test(text)) return true;
      // V8 also tries an empty match inside of a surrogate pair, where the standard (AdvanceStringIndex) never looks.
      return isInsidePair(text, regex.exec(text)!.index) ? (arbiter ??= machine())(text) : true;
    } catch {
      return false;
    }
  };
}

const astral = /[\ud800-\udbff][\udc00-\udfff]/;

const isInsidePair = (text: string, at: number): boolean => at > 0 && astral.test(text.slice(at - 1, at + 1));
