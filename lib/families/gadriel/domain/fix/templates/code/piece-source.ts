/** How pieces of a built text are written as one text again, so that values show as they did. */
import type { PyExpr } from '../../../../../../syntax/python.types.ts';
import { literalOf, type Piece, type ValuePiece } from './built-string.ts';
import { isSurelyNoMember } from './plain-values.ts';
import type { PythonCode } from './python-code.ts';

/** Several pieces as one text: an f-string, or a sum where that shows a value in another way. Undefined where there is no such text. */
export function asOneText(code: PythonCode, pieces: readonly Piece[]): string | undefined {
  const values = pieces.filter((piece): piece is ValuePiece => piece.kind === 'value');
  const doubtful = new Set(values.filter(({ value }) => !isSurelyNoMember(code, value)));
  if (values.some((piece) => piece.shown === 'text' && doubtful.has(piece))) {
    return values.every(({ shown }) => shown === 'text') ? pieces.map((piece) => (piece.kind === 'text' ? literalOf(code, piece.text) : operand(code, piece.value))).join(' + ') : undefined;
  }
  const parts = pieces.map((piece) => (piece.kind === 'text' ? piece.text : `{${code.source(piece.value)}${piece.shown === 'str' && doubtful.has(piece) ? '!s' : ''}}`)).join('');
  // Before Python 3.12 the quotes of the text may not stand in its values, nor may backslashes.
  const quote = parts.includes('"') ? "'" : '"';
  return values.some(({ value }) => /[\\\n{}]/.test(code.source(value))) || parts.includes(quote) ? undefined : `f${quote}${parts}${quote}`;
}

const operand = (code: PythonCode, value: PyExpr): string =>
  ['Name', 'Attribute', 'Subscript', 'Call', 'Constant', 'JoinedStr'].includes(value.type) ? code.source(value) : `(${code.source(value)})`;
