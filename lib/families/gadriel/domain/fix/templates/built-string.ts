import type { PyExpr } from '../../../../../syntax/python.types.ts';
import type { TextEdit } from '../text-edit.ts';
import type { PythonCode } from './python-code.ts';
import { loneAssignment } from './scopes.ts';
import { valueKind, type Reading } from './value-kind.ts';

/** A piece of a text that a program puts together: written text, or a value; `text` says that the value surely is one. */
export type Piece = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'value'; readonly value: PyExpr; readonly isText: boolean };

/** How a text is put together, and the expression that does it: the argument itself, or what its variable was assigned. */
export type Built = { readonly pieces: readonly Piece[]; readonly node: PyExpr };

/**
 * The pieces of a text built by an f-string, `+`, `%` or `.format`. A variable is looked through when it surely holds what it was
 * assigned, and that would still come to the same where it is read. Undefined for every other form, and where a value is formatted in another way than as plain text.
 */
export function builtString(code: PythonCode, argument: PyExpr): Built | undefined {
  const node = argument.type === 'Name' ? loneAssignment(code, argument) : argument;
  const pieces = node === undefined ? undefined : piecesOf(node);
  return node === undefined || pieces === undefined || pieces.every(({ kind }) => kind === 'text') ? undefined : { pieces: joined(pieces), node };
}

function piecesOf(node: PyExpr): Piece[] | undefined {
  if (node.type === 'Constant') return node.kind === 'str' ? [{ kind: 'text', text: node.value }] : undefined;
  if (node.type === 'JoinedStr') return joinedPieces(node);
  if (node.type === 'BinOp' && node.op === '+') {
    const [left, right] = [sideOf(node.left), sideOf(node.right)];
    // What is added to a text is a text.
    return left === undefined || right === undefined ? undefined : [...left, ...right];
  }
  if (node.type === 'BinOp' && node.op === '%') return percentPieces(node.left, node.right);
  if (node.type === 'Call' && node.func.type === 'Attribute' && node.func.attr === 'format') return formatPieces(node.func.value, node);
  return undefined;
}

const sideOf = (node: PyExpr): Piece[] | undefined =>
  piecesOf(node) ?? (node.type === 'ErrorExpr' || node.type === 'Constant' ? undefined : [{ kind: 'value', value: node, isText: true }]);

function joinedPieces(node: PyExpr & { type: 'JoinedStr' }): Piece[] | undefined {
  const pieces: Piece[] = [];
  for (const part of node.parts) {
    if (part.type === 'Text') pieces.push({ kind: 'text', text: part.value });
    else if ((part.conversion !== '' && part.conversion !== 's') || part.spec.length > 0) return undefined;
    else pieces.push({ kind: 'value', value: part.value, isText: false });
  }
  return pieces;
}

function percentPieces(left: PyExpr, right: PyExpr): Piece[] | undefined {
  if (left.type !== 'Constant' || left.kind !== 'str') return undefined;
  // A name like this holds a tuple of values, not one.
  if (right.type === 'Name' && /^(?:args|params|parameters|values|vals|tup\w*)$/.test(right.id)) return undefined;
  const values = right.type === 'Tuple' ? right.elements : [right];
  const pieces: Piece[] = [];
  let used = 0;
  for (const part of left.value.split(/(%[%a-zA-Z(])/)) {
    if (part === '%%') pieces.push({ kind: 'text', text: '%' });
    else if (part === '%s' || part === '%d' || part === '%i') {
      const value = values[used++];
      if (value === undefined || value.type === 'Starred' || value.type === 'Dict') return undefined;
      pieces.push({ kind: 'value', value, isText: false });
    } else if (part.includes('%')) return undefined;
    else if (part !== '') pieces.push({ kind: 'text', text: part });
  }
  return used === values.length ? pieces : undefined;
}

function formatPieces(template: PyExpr, call: PyExpr & { type: 'Call' }): Piece[] | undefined {
  if (template.type !== 'Constant' || template.kind !== 'str') return undefined;
  const pieces: Piece[] = [];
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
      pieces.push({ kind: 'value', value: argument.value, isText: false });
    } else if (/[{}]/.test(part)) return undefined;
    else if (part !== '') pieces.push({ kind: 'text', text: part });
  }
  return pieces;
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
 * than a value, or where none is left to wrap.
 */
export function wrapValues(code: PythonCode, { pieces }: Built, reading: Reading, wrap: (source: string, isText: boolean) => string): TextEdit[] | undefined {
  const edits: TextEdit[] = [];
  for (const piece of pieces) {
    const kind = piece.kind === 'text' ? 'safe' : valueKind(code, piece.value, reading);
    if (kind === 'unsure') return undefined;
    if (piece.kind === 'value' && kind === 'single') edits.push({ start: piece.value.start, end: piece.value.end, text: wrap(code.source(piece.value), piece.isText) });
  }
  return edits.length === 0 ? undefined : edits;
}
