/** Conditions that compare a text with a regular expression. */
import type { PyCall, PyExpr } from '../../../../syntax/python.types.ts';
import { evaluate } from './expressions.ts';
import { TAINTED } from './make-value.ts';
import { kindsOf, kindsWithout, patternFacts } from './pattern-characters.ts';
import { clearBit } from './value-bits.ts';
import { elementsOf, stringOf } from './values.ts';
import type { Walk } from './walk.ts';

/** The text that a call matches, and the kinds it is clear for when the call's truth is `truth`; undefined = no such check. */
export const patternCheck = (walk: Walk, test: PyCall, method: string, truth: boolean): { readonly subject: PyExpr; readonly bits: number } | undefined => {
  const func = test.func;
  const compiled = func.type === 'Attribute' ? walk.quietly(() => evaluate(walk, func.value)) : undefined;
  const isCompiled = compiled?.name?.path === 're.compile()';
  const [first, second, third] = test.args.map((argument) => argument.value);
  if (first === undefined) return undefined;
  // A compiled pattern from elsewhere: a full match says that it is meant as a check.
  if (compiled !== undefined && !isCompiled && test.args.length === 1) {
    return truth && method === 'fullmatch' && compiled.level < TAINTED ? { subject: first, bits: clearBit.all } : undefined;
  }
  const subject = isCompiled ? first : second;
  const given = isCompiled ? elementsOf(compiled) : [walk.quietly(() => evaluate(walk, first))];
  const pattern = stringOf(given?.[0]);
  if (pattern === undefined || subject === undefined) return undefined;
  const flags = isCompiled ? stringOf(given?.[1]) ?? '' : third === undefined ? '' : flagLetters(walk, third);
  const facts = patternFacts(pattern, flags);
  if (facts === undefined) return undefined;
  if (!truth) {
    // Nothing found of what must not be in it.
    return facts.single === undefined || method !== 'search' && method !== 'findall' ? undefined
      : { subject, bits: kindsWithout(facts.single, /\\\.\\\.|\\\.\{2/.test(pattern)) };
  }
  if (method === 'findall' || method === 'search' && !facts.anchoredStart || method !== 'fullmatch' && !facts.anchoredEnd) return undefined;
  return { subject, bits: kindsOf(facts) };
};

/** `m`, `s` and `x` of `re.M | re.DOTALL`, as written: their numbers are of no use. */
export const flagLetters = (walk: Walk, node: PyExpr): string => {
  const text = walk.info.module.text.slice(node.start, node.end);
  return `${/\bM(?:ULTILINE)?\b/.test(text) ? 'm' : ''}${/\b(?:S|DOTALL)\b/.test(text) ? 's' : ''}${/\b(?:X|VERBOSE)\b/.test(text) ? 'x' : ''}`;
};

