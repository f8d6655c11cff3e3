/** Conditions on every character of a text. */
import type { PyCall, PyExpr } from '../../../../syntax/python.types.ts';
import { evaluate } from './expressions.ts';
import { TAINTED } from './make-value.ts';
import { kindsWithin } from './pattern-characters.ts';
import { elementsOf, stringOf } from './values.ts';
import type { Walk } from './walk.ts';

/** A text and the kinds that its characters make it clear for. */
export type CharacterCheck = { readonly subject: PyExpr; readonly bits: number };

/** Methods of a text that say what all its characters are. */
export const textTests: ReadonlySet<string> = new Set(['isdigit', 'isalnum', 'isdecimal', 'isnumeric', 'isidentifier', 'isalpha']);

const maximumReplaced = 10;

/** `all(c in ALLOWED for c in x)`, `all(c.isalnum() or c == '-' for c in x)`: every character is one of these. */
export const everyCharacter = (walk: Walk, { clauses, element }: Extract<PyExpr, { type: 'Comprehension' }>): CharacterCheck | undefined => {
  const { iter, target } = clauses[0] ?? {};
  if (iter === undefined || target?.type !== 'Name') return undefined;
  const sides = element.type === 'BoolOp' && element.op === 'or' ? element.values : [element];
  let allowed = '';
  for (const side of sides) {
    const characters = charactersAllowed(walk, side, target.id);
    if (characters === undefined) return undefined;
    allowed += characters;
  }
  return { subject: iter, bits: kindsWithin(allowed) };
};

/** `set(x) <= ALLOWED`, `set(x).issubset(ALLOWED)`. */
export const charactersOfSet = (walk: Walk, left: PyExpr, right: PyExpr): CharacterCheck | undefined => {
  const subject = setArgument(left);
  const allowed = subject === undefined ? undefined : charactersIn(walk, setArgument(right) ?? right);
  return subject === undefined || allowed === undefined ? undefined : { subject, bits: kindsWithin(allowed) };
};

/** `x.replace('-', '').replace('_', '')` before a test of its characters: those that were taken out are let through too. */
export const withoutReplaced = (walk: Walk, node: PyExpr): CharacterCheck | undefined => {
  let subject = node;
  let allowed = 'a';
  for (let count = 0; count < maximumReplaced && isReplace(subject); count += 1) {
    const [from, to] = subject.args.map((argument) => stringOf(walk.quietly(() => evaluate(walk, argument.value))));
    if (from === undefined || to === undefined) return undefined;
    allowed += from;
    subject = subject.func.value;
  }
  return subject === node ? undefined : { subject, bits: kindsWithin(allowed) };
};

const isReplace = (node: PyExpr): node is PyCall & { readonly func: Extract<PyExpr, { type: 'Attribute' }> } =>
  node.type === 'Call' && node.func.type === 'Attribute' && node.func.attr === 'replace' && node.args.length === 2;

/** The text that `set(…)` makes a set of. */
const setArgument = (node: PyExpr): PyExpr | undefined =>
  node.type === 'Call' && node.func.type === 'Name' && ['set', 'frozenset'].includes(node.func.id) && node.args.length === 1 ? node.args[0]?.value : undefined;

/** The characters that `c in '…'`, `c == '…'` or `c.isalnum()` lets through. */
const charactersAllowed = (walk: Walk, node: PyExpr, name: string): string | undefined => {
  if (node.type === 'Compare' && node.left.type === 'Name' && node.left.id === name && node.comparators[0] !== undefined) {
    if (node.ops[0] === 'in') return charactersIn(walk, node.comparators[0]);
    return node.ops[0] === '==' ? stringOf(walk.quietly(() => evaluate(walk, node.comparators[0] as PyExpr))) : undefined;
  }
  return node.type === 'Call' && node.func.type === 'Attribute' && node.func.value.type === 'Name' && node.func.value.id === name
    && textTests.has(node.func.attr) ? 'a' : undefined;
};

/** The characters of a text or of a set of them; a set of the program whose content is not known stands for letters. */
const charactersIn = (walk: Walk, node: PyExpr): string | undefined => {
  const value = walk.quietly(() => evaluate(walk, node));
  const elements = elementsOf(value);
  if (value.level === TAINTED || elements?.some((element) => element.level === TAINTED) === true) return undefined;
  return stringOf(value) ?? elements?.map((element) => stringOf(element) ?? '').join('') ?? 'a';
};
