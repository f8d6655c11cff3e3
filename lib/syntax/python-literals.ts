import type { FlatTree } from './python-flat.ts';
import { flatten } from './python-flat.ts';
import type { PyConstant, PyExpr, PyStringPart } from './python.types.ts';
import { readSequence } from './python-reader.ts';
import type { ExprReader } from './python-reader.ts';
import { term } from './python-terms.ts';

const STRING = term('String');
const FORMAT_STRING = term('FormatString');
const REPLACEMENT = term('FormatReplacement');
const CONVERSION = term('FormatConversion');
const SPEC = term('FormatSpec');
const ESCAPE = term('Escape');

/** Reads a number: `value` is what Python would compute, NaN when imaginary, and a leading zero means octal as in Python 2. */
function readNumber(tree: FlatTree, index: number): PyConstant {
  const start = tree.nodes[index + 1]!;
  const end = tree.nodes[index + 2]!;
  const text = tree.text.slice(start, end);
  const last = text.charCodeAt(text.length - 1) | 0x20;
  const second = text.charCodeAt(1) | 0x20;
  const digits = text.includes('_') ? text.replaceAll('_', '') : text;
  if (second === 0x78 /* x */ || second === 0x62 /* b */ || second === 0x6f /* o */) {
    return { type: 'Constant', start, end, kind: 'int', value: Number(digits), text };
  }
  if (last === 0x6a /* j */) return { type: 'Constant', start, end, kind: 'complex', value: Number.NaN, text };
  if (/^0[0-7]+$/.test(digits)) return { type: 'Constant', start, end, kind: 'int', value: Number.parseInt(digits, 8), text };
  const kind = /[.eE]/.test(digits) ? 'float' : 'int';
  return { type: 'Constant', start, end, kind, value: Number(digits), text };
}

/** Reads one literal or several adjacent ones; any f-string among them makes the whole a JoinedStr. */
function readString(tree: FlatTree, index: number): PyExpr {
  const { nodes } = tree;
  const start = nodes[index + 1]!;
  const end = nodes[index + 2]!;
  if (nodes[index] === STRING) return plainString(tree, index, start, end);
  const parts: PyStringPart[] = [];
  let formatted = false;
  let bytes = false;
  let value = '';
  const one = nodes[index] === FORMAT_STRING;
  for (let child = one ? index : index + 4, last = nodes[index + 3]!; child < last; child = nodes[child + 3]!) {
    if (nodes[child] === STRING) {
      const literal = plainString(tree, child, start, end);
      bytes ||= literal.kind === 'bytes';
      value += literal.value as string;
      addText(parts, literal.value as string);
    } else if (nodes[child] === FORMAT_STRING) {
      formatted = true;
      formatParts(tree, child, parts);
    }
  }
  if (formatted) return { type: 'JoinedStr', start, end, parts };
  return { type: 'Constant', start, end, kind: bytes ? 'bytes' : 'str', value };
}

/** A literal without an Escape node, which is nearly every one, is cut out as it stands. */
function plainString(tree: FlatTree, index: number, start: number, end: number): PyConstant {
  const { nodes, text } = tree;
  const from = nodes[index + 1]!;
  const to = nodes[index + 2]!;
  const { open, close, bytes } = quotesOf(text, from, to);
  const content = text.slice(open, close);
  const escaped = nodes[index + 3] !== index + 4;
  return { type: 'Constant', start, end, kind: bytes ? 'bytes' : 'str', value: escaped ? unescape(content, bytes) : lines(content) };
}

const readNone: ExprReader = (tree, index) => ({ type: 'Constant', start: tree.nodes[index + 1]!, end: tree.nodes[index + 2]!, kind: 'none', value: null });
const readEllipsis: ExprReader = (tree, index) => ({ type: 'Constant', start: tree.nodes[index + 1]!, end: tree.nodes[index + 2]!, kind: 'ellipsis', value: null });
const readBoolean: ExprReader = (tree, index) => {
  const start = tree.nodes[index + 1]!;
  const value = tree.text.charCodeAt(start) === 0x54; /* T */
  return { type: 'Constant', start, end: tree.nodes[index + 2]!, kind: 'bool', value };
};

/** Readers of numbers, strings, f-strings and the named constants. */
export const literalReaders: Readonly<Record<string, ExprReader>> = {
  Number: readNumber, String: readString, FormatString: readString, ContinuedString: readString,
  None: readNone, Ellipsis: readEllipsis, Boolean: readBoolean,
};

/** Where the content of a literal begins and ends; an unfinished literal has no closing quote to leave out. */
function quotesOf(text: string, from: number, to: number): { open: number; close: number; bytes: boolean; raw: boolean } {
  let open = from;
  let bytes = false;
  let raw = false;
  let quote = text.charCodeAt(open);
  // Where the parser made up a literal to go on, there may be no quote at all.
  while (open < to && quote !== 0x22 && quote !== 0x27) {
    bytes ||= (quote | 0x20) === 0x62;
    raw ||= (quote | 0x20) === 0x72;
    open += 1;
    quote = text.charCodeAt(open);
  }
  const long = to - open >= 3 && text.charCodeAt(open + 1) === quote && text.charCodeAt(open + 2) === quote;
  const width = long ? 3 : 1;
  open = Math.min(open + width, to);
  const closed = to - width >= open && text.charCodeAt(to - 1) === quote && (!long || (text.charCodeAt(to - 2) === quote && text.charCodeAt(to - 3) === quote));
  return { open, close: closed ? to - width : to, bytes, raw };
}

/** Python reads every kind of line end in a literal as `\n`. */
function lines(content: string): string {
  return content.includes('\r') ? content.replace(/\r\n?/g, '\n') : content;
}

/** Neighbouring texts become one part, as adjacent literals do. */
function addText(parts: PyStringPart[], value: string): void {
  if (value === '') return;
  const last = parts[parts.length - 1];
  if (last?.type === 'Text') parts[parts.length - 1] = { type: 'Text', value: last.value + value };
  else parts.push({ type: 'Text', value });
}

/** Appends the texts and replacements of an f-string. */
function formatParts(tree: FlatTree, index: number, parts: PyStringPart[]): void {
  const { nodes, text } = tree;
  const { open, close, raw } = quotesOf(text, nodes[index + 1]!, nodes[index + 2]!);
  if (raw && tree.hiddenBraces && text.slice(open, close).includes('\\{')) {
    // The grammar lets a backslash hide the brace behind it, which in a raw f-string it does not.
    const fragment = flatten(text.slice(nodes[index + 1]!, nodes[index + 2]!).replaceAll('\\{', ' {'), { text, base: nodes[index + 1]!, effort: tree.effort });
    fragment.hiddenBraces = false;
    fragment.depth = tree.depth;
    const inner = fragment.first + 4;
    if (fragment.nodes[inner + 1] === nodes[index + 1]) return formatParts(fragment, inner, parts);
  }
  const last = nodes[index + 3]!;
  let at = open;
  for (let child = index + 4; child < last; child = nodes[child + 3]!) {
    const kind = nodes[child]!;
    const from = nodes[child + 1]!;
    const to = nodes[child + 2]!;
    if (kind === ESCAPE) {
      addText(parts, braces(text.slice(at, from)) + unescape(text.slice(from, to), false));
    } else if (kind === REPLACEMENT) {
      addText(parts, braces(text.slice(at, from)));
      replacement(tree, child, parts);
    } else continue;
    at = to;
  }
  if (at < close) addText(parts, braces(text.slice(at, close)));
}

/** Doubled braces stand for one. */
function braces(content: string): string {
  const doubled = content.includes('{') || content.includes('}') ? content.replace(/\{\{|\}\}/g, (pair) => pair[0]!) : content;
  return lines(doubled);
}

/** Appends the part for `{value!conversion:spec}`. */
function replacement(tree: FlatTree, index: number, parts: PyStringPart[]): void {
  const { nodes, text } = tree;
  const last = nodes[index + 3]!;
  const value = readSequence(tree, index + 4, last, nodes[index + 1]! + 1);
  let conversion = '';
  const spec: PyStringPart[] = [];
  for (let child = index + 4; child < last; child = nodes[child + 3]!) {
    if (nodes[child] === CONVERSION) conversion = text.charAt(nodes[child + 1]! + 1);
    else if (nodes[child] === SPEC) specParts(tree, child, spec);
  }
  // `{x = }` also prints what stands before the value: up to the equals sign and the spaces around it.
  const tail = /^\s*=\s*(?=[}!:])/.exec(text.slice(value.end, nodes[index + 2]));
  if (tail !== null) {
    addText(parts, text.slice(nodes[index + 1]! + 1, value.end + tail[0].length));
    if (conversion === '' && spec.length === 0) conversion = 'r';
  }
  parts.push({ type: 'Formatted', value, conversion, spec });
}

/** A format spec is text with replacements of its own, without escapes. */
function specParts(tree: FlatTree, index: number, spec: PyStringPart[]): void {
  const { nodes, text } = tree;
  const last = nodes[index + 3]!;
  let at = nodes[index + 1]! + 1;
  for (let child = index + 4; child < last; child = nodes[child + 3]!) {
    if (nodes[child] !== REPLACEMENT) continue;
    addText(spec, text.slice(at, nodes[child + 1]));
    replacement(tree, child, spec);
    at = nodes[child + 2]!;
  }
  addText(spec, text.slice(at, nodes[index + 2]));
}

const simpleEscapes: Readonly<Record<string, string>> = {
  '\n': '', '\\': '\\', "'": "'", '"': '"', a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v',
};

/** Decodes backslash escapes; `\N{…}` and what is no escape stay as written. */
function unescape(content: string, bytes: boolean): string {
  return lines(content).replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([^]))/g, (whole, x?: string, u?: string, wide?: string, octal?: string, simple?: string) => {
    if (simple !== undefined) return simpleEscapes[simple] ?? whole;
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    if (x !== undefined) return String.fromCharCode(Number.parseInt(x, 16));
    if (bytes) return whole;
    const code = Number.parseInt((u ?? wide)!, 16);
    return code > 0x10ffff ? whole : String.fromCodePoint(code);
  });
}
