import { parser } from '@lezer/python';

const types = parser.nodeSet.types;

/**
 * The one number that stands for a node name of the grammar in a flat tree.
 *
 * The grammar gives one name to several term numbers (`BinaryExpression`, `AssignOp`, `FormatReplacement`); the lowest
 * of them is used for all. Throws a RangeError for a name the grammar does not have.
 */
export function term(name: string): number {
  const type = types.find((candidate) => candidate.name === name);
  if (type === undefined) throw new RangeError(`@lezer/python has no node named ${name}`);
  return type.id;
}

/** Marks a term that leaves no node of its own in a flat tree: its children move up to its parent. */
export const dropped = 0xffff;

// Brackets and dots say nothing that their parent's name does not; leaving them out halves the tree.
const needless = new Set(['(', ')', '[', ']', '{', '}', '.', ';', 'At', 'FormatSelfDoc']);

/** What a term number of the parser becomes in a flat tree: its canonical number, or `dropped`. */
export const canonical: Uint16Array = Uint16Array.from(types, (type) =>
  type.isAnonymous || needless.has(type.name) ? dropped : term(type.name),
);

/** The term of text the grammar could not place. */
export const ERROR = 0;
export const COMMENT = term('Comment');
export const NAME = term('VariableName');
export const COMMA = term(',');
export const STAR = term('*');
export const STARS = term('**');
export const COLON = term(':');
export const ASSIGN = term('AssignOp');
export const TYPE_DEF = term('TypeDef');
export const BODY = term('Body');
