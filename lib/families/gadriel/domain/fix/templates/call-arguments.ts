import type { PyArgument, PyCall } from '../../../../../syntax/python.types.ts';
import type { TextEdit } from '../text-edit.ts';
import type { PythonCode } from './python-code.ts';

/** The value of a keyword argument. */
export function keywordOf(call: PyCall, name: string): PyArgument | undefined {
  return call.args.find((argument) => argument.kind === 'keyword' && argument.name === name);
}

/** The positional argument at a place, where no `*args` before it may shift it. */
export function positionalOf(call: PyCall, index: number): PyArgument | undefined {
  const argument = call.args[index];
  return argument?.kind === 'positional' && call.args.slice(0, index).every(({ kind }) => kind === 'positional') ? argument : undefined;
}

/** The argument given by keyword, else by place. */
export const argumentOf = (call: PyCall, index: number, name: string): PyArgument | undefined => keywordOf(call, name) ?? positionalOf(call, index);

/** Gives a keyword argument this value, adding it behind the others where it is missing. */
export function setKeyword(code: PythonCode, call: PyCall, name: string, value: string): TextEdit {
  const given = keywordOf(call, name);
  if (given !== undefined) return { start: given.value.start, end: given.value.end, text: value };
  const { close, commas } = layoutOf(code, call);
  const last = call.args.at(-1);
  if (last === undefined) return { start: close, end: close, text: `${name}=${value}` };
  const trailing = commas[call.args.length - 1];
  const alone = /(?:^|\n)([ \t]*)(?:[*]{1,2}|\w+\s{0,8}=\s{0,8})?\(?$/.exec(code.text.slice(Math.max(0, last.value.start - 200), last.value.start));
  // Where each argument has a line of its own, so does the new one.
  const lead = alone === null ? ' ' : code.newline + alone[1]!;
  if (trailing !== undefined) return { start: trailing + 1, end: trailing + 1, text: `${lead}${name}=${value}${alone === null ? '' : ','}` };
  const end = argumentsEnd(code, call);
  return { start: end, end, text: `,${lead}${name}=${value}` };
}

/** Takes a keyword argument out of a call, with its comma. */
export function removeKeyword(code: PythonCode, call: PyCall, name: string): TextEdit | undefined {
  const index = call.args.findIndex((argument) => argument.kind === 'keyword' && argument.name === name);
  if (index < 0) return undefined;
  const line = ownLine(code.text, call.args[index]!, name);
  if (line !== undefined) return { ...line, text: '' };
  const { open, close, commas } = layoutOf(code, call);
  // The comma before goes along; of the first argument the comma behind and the blanks after it.
  if (index > 0) return { start: commas[index - 1]!, end: commas[index] ?? trimEnd(code.text, commas[index - 1]!, close), text: '' };
  const comma = commas[0];
  if (comma === undefined) return { start: open + 1, end: close, text: '' };
  let end = comma + 1;
  while (/\s/.test(code.text[end] ?? '')) end += 1;
  return { start: firstInk(code.text, open + 1), end, text: '' };
}

/** The lines that hold a keyword argument, its comma and comment and nothing else. */
function ownLine(text: string, { value }: PyArgument, name: string): { readonly start: number; readonly end: number } | undefined {
  const lead = /\n[ \t]*(\w+)[ \t]*=[ \t]*$/.exec(text.slice(Math.max(0, value.start - 200), value.start));
  const tail = /^[ \t]*,[ \t]*(?:#[^\n]*)?\r?\n/.exec(text.slice(value.end, value.end + 500));
  return lead?.[1] === name && tail !== null ? { start: value.start - lead[0].length + 1, end: value.end + tail[0].length } : undefined;
}

type Layout = { readonly open: number; readonly close: number; readonly commas: readonly number[] };

/** Where a call's brackets are, and the comma behind each argument that has one. */
function layoutOf(code: PythonCode, call: PyCall): Layout {
  const close = call.end - 1;
  const open = find(code, '(', call.func.end, close);
  const commas: number[] = [];
  call.args.forEach((argument, index) => {
    const comma = find(code, ',', argument.value.end, call.args[index + 1]?.value.start ?? close);
    if (comma >= 0) commas[index] = comma;
  });
  return { open, close, commas };
}

/** The first such character in a range, comments left out; -1 without one. */
function find(code: PythonCode, character: string, from: number, to: number): number {
  let at = from;
  while (at < to) {
    const comment = code.text[at] === '#' ? code.commentEnd(at) : undefined;
    if (comment !== undefined) at = comment;
    else if (code.text[at] === character) return at;
    else at += 1;
  }
  return -1;
}

/** Where the last argument ends, with the brackets around its value; of a call without arguments its closing bracket. */
export function argumentsEnd(code: PythonCode, call: PyCall): number {
  let end = call.args.at(-1)?.value.end ?? call.end - 1;
  for (let at = find(code, ')', end, call.end - 1); at >= 0; at = find(code, ')', end, call.end - 1)) end = at + 1;
  return end;
}

function trimEnd(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && /\s/.test(text[end - 1]!)) end -= 1;
  return end;
}

function firstInk(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text[at] ?? '')) at += 1;
  return at;
}
