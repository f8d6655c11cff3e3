import type { PyExpr } from '../../../../../../syntax/python.types.ts';
import type { TextEdit } from '../../text-edit.ts';
import { isRepeatable, isSurelySingle, madeText } from './plain-values.ts';
import type { PythonCode } from './python-code.ts';
import { loneAssignment, statementOf } from './scopes.ts';
import { isSurelyInt } from './sure-values.ts';
import { valueKind, type Reading } from './value-kind.ts';

/** A value in a text, and how it is shown: it is a text itself, is made one as by `str()` or as by `format()`, or is a whole number. */
export type ValuePiece = { readonly kind: 'value'; readonly value: PyExpr; readonly shown: 'text' | 'str' | 'format' | 'int' };

/** A piece of a text that a program puts together: written text, or a value. */
export type Piece = { readonly kind: 'text'; readonly text: string } | ValuePiece;

/** A text of more pieces is made by a program, not by hand, and each is looked at anew. */
const maxPieces = 300;

/** How a text is put together, and the expression that does it: the argument itself, or what its variable was assigned. */
export type Built = { readonly pieces: readonly Piece[]; readonly node: PyExpr };

/**
 * The pieces of a text built by an f-string, `+`, `%` or `.format`. A variable is looked through when it surely holds what it was
 * assigned, and that would still come to the same where it is read. A value that is used more often than it is read, or in another order,
 * has to be one that does not mind. Undefined for every other form, and where a value is formatted in another way than as plain text.
 */
export function builtString(code: PythonCode, argument: PyExpr): Built | undefined {
  const node = argument.type === 'Name' ? loneAssignment(code, argument) : argument;
  const pieces = node === undefined ? undefined : piecesOf(code, node);
  if (node === undefined || pieces === undefined || pieces.length > maxPieces || pieces.every(({ kind }) => kind === 'text')) return undefined;
  const moves = node !== argument && !/^[\s)]*$/.test(code.text.slice(node.end, statementOf(code, argument)!.start));
  return moves && pieces.some((piece) => piece.kind === 'value' && !isRepeatable(code, piece.value)) ? undefined : { pieces: joined(pieces), node };
}

function piecesOf(code: PythonCode, node: PyExpr): Piece[] | undefined {
  if (node.type === 'Constant') return node.kind === 'str' ? [{ kind: 'text', text: node.value }] : undefined;
  if (node.type === 'JoinedStr') return joinedPieces(node);
  if (node.type === 'BinOp' && node.op === '+') {
    const [left, right] = [sideOf(code, node.left), sideOf(code, node.right)];
    // What is added to a text is a text.
    return left === undefined || right === undefined ? undefined : [...left, ...right];
  }
  if (node.type === 'BinOp' && node.op === '%') return percentPieces(code, node.left, node.right);
  if (node.type === 'Call' && node.func.type === 'Attribute' && node.func.attr === 'format') return formatPieces(code, node.func.value, node);
  return undefined;
}

const sideOf = (code: PythonCode, node: PyExpr): Piece[] | undefined =>
  piecesOf(code, node) ?? (node.type === 'ErrorExpr' || node.type === 'Constant' ? undefined : [{ kind: 'value', value: node, shown: 'text' }]);

/** What would be several arguments, or needs brackets, outside of the f-string: `{a, b}`, `{*a}`, `{yield}`, `{a := b}`. */
const notAlone: ReadonlySet<PyExpr['type']> = new Set(['Tuple', 'Starred', 'Yield', 'NamedExpr']);

function joinedPieces(node: PyExpr & { type: 'JoinedStr' }): Piece[] | undefined {
  const pieces: Piece[] = [];
  for (const part of node.parts) {
    if (part.type === 'Text') pieces.push({ kind: 'text', text: part.value });
    else if ((part.conversion !== '' && part.conversion !== 's') || part.spec.length > 0 || notAlone.has(part.value.type)) return undefined;
    else pieces.push({ kind: 'value', value: part.value, shown: part.conversion === 's' ? 'str' : 'format' });
  }
  return pieces;
}

function percentPieces(code: PythonCode, left: PyExpr, right: PyExpr): Piece[] | undefined {
  if (left.type !== 'Constant' || left.kind !== 'str') return undefined;
  if (right.type !== 'Tuple' && !isSurelySingle(code, right)) return undefined;
  const values = right.type === 'Tuple' ? right.elements : [right];
  const pieces: Piece[] = [];
  let used = 0;
  for (const part of left.value.split(/(%[%a-zA-Z(])/)) {
    if (part === '%%') pieces.push({ kind: 'text', text: '%' });
    else if (part === '%s' || part === '%d' || part === '%i') {
      const value = values[used++];
      // `%d` cuts off what is behind the point.
      if (value === undefined || value.type === 'Starred' || (part !== '%s' && !isSurelyInt(code, value))) return undefined;
      pieces.push({ kind: 'value', value, shown: part === '%s' ? 'str' : 'int' });
    } else if (part.includes('%')) return undefined;
    else if (part !== '') pieces.push({ kind: 'text', text: part });
  }
  return used === values.length ? pieces : undefined;
}

function formatPieces(code: PythonCode, template: PyExpr, call: PyExpr & { type: 'Call' }): Piece[] | undefined {
  if (template.type !== 'Constant' || template.kind !== 'str') return undefined;
  const pieces: Piece[] = [];
  const used: PyExpr[] = [];
  let next = 0;
  for (const part of template.value.split(/(\{\{|\}\}|\{\w*\})/)) {
    if (part === '{{' || part === '}}') pieces.push({ kind: 'text', text: part[0]! });
    else if (/^\{\w*\}$/.test(part)) {
      const name = part.slice(1, -1);
      const argument = /^\d*$/.test(name)
        ? call.args[name === '' ? next++ : Number(name)]
        : call.args.find((each) => each.kind === 'keyword' && each.name === name);
      if (argument === undefined || argument.kind === 'star' || argument.kind === 'doublestar' || (argument.kind === 'keyword') === /^\d*$/.test(name)) {
        return undefined;
      }
      used.push(argument.value);
      pieces.push({ kind: 'value', value: argument.value, shown: 'format' });
    } else if (/[{}]/.test(part)) return undefined;
    else if (part !== '') pieces.push({ kind: 'text', text: part });
  }
  // The arguments are read once each, as they stand in the call, whether and wherever they are shown.
  const inOrder = used.length === call.args.length && call.args.every(({ value }, index) => used[index] === value);
  return inOrder || call.args.every(({ value }) => isRepeatable(code, value)) ? pieces : undefined;
}

/** Neighbouring texts as one. */
function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (piece.kind === 'text' && last?.kind === 'text') result[result.length - 1] = { kind: 'text', text: last.text + piece.text };
    else result.push(piece);
  }
  return result;
}

/** A Python literal of a text that replaces `node`: in triple quotes where that has some, else on one line. */
export function literalOf(code: PythonCode, text: string, node?: PyExpr): string {
  const escaped = text.replaceAll('\\', '\\\\').replace(/[\x00-\x09\x0b-\x1f\x7f]/g, (found) => `\\x${found.charCodeAt(0).toString(16).padStart(2, '0')}`);
  if (node !== undefined && /"""|'''/.test(code.source(node)) && !text.includes('"""') && !text.endsWith('"')) {
    return `"""${escaped.replaceAll('\n', code.newline)}"""`;
  }
  const quote = text.includes('"') && !text.includes("'") ? "'" : '"';
  return quote + escaped.replaceAll('\n', '\\n').replaceAll(quote, `\\${quote}`) + quote;
}

/**
 * Puts each value of a built text into a call, where it stands; those that are safe already stay. Undefined where one may be more
 * than a value, or where none is left to wrap. `wrap` gets the source of each, and whether that is a text as it should be shown.
 */
export function wrapValues(code: PythonCode, { pieces }: Built, reading: Reading, wrap: (source: string, isText: boolean, value: PyExpr) => string): TextEdit[] | undefined {
  // By place: what `.format` shows twice stands there once.
  const edits = new Map<number, TextEdit>();
  for (const piece of pieces) {
    // A text where `%d` stands would fail.
    const kind = piece.kind === 'text' || piece.shown === 'int' ? 'safe' : valueKind(code, piece.value, reading);
    if (kind === 'unsure') return undefined;
    if (piece.kind === 'text' || kind === 'safe') continue;
    const { value: { start, end }, shown } = piece;
    const text = madeText(code, piece);
    if (text === undefined) return undefined;
    edits.set(start, { start, end, text: text.startsWith('format(') && shown === 'format' ? wrap(text, true, piece.value) : wrap(code.source(piece.value), shown === 'text', piece.value) });
  }
  return edits.size === 0 ? undefined : [...edits.values()];
}
