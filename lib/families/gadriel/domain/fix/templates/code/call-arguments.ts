import type { PyArgument, PyCall } from '../../../../../../syntax/python.types.ts';
import type { TextEdit } from '../../text-edit.ts';
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
export const setKeyword = (code: PythonCode, call: PyCall, name: string, value: string): TextEdit => setKeywords(code, call, { [name]: value })[0]!;

/** Gives keyword arguments these values; what is missing is added behind the others, by one edit. */
export function setKeywords(code: PythonCode, call: PyCall, wanted: Readonly<Record<string, string>>): TextEdit[] {
  const edits: TextEdit[] = [];
  const missing: string[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    const given = keywordOf(call, name)?.value;
    if (given === undefined) missing.push(`${name}=${value}`);
    else edits.push({ start: given.start, end: given.end, text: value });
  }
  return missing.length === 0 ? edits : [...edits, added(code, call, missing)];
}

function added(code: PythonCode, call: PyCall, arguments_: readonly string[]): TextEdit {
  const { close, commas } = layoutOf(code, call);
  const last = call.args.at(-1);
  if (last === undefined) return { start: close, end: close, text: arguments_.join(', ') };
  const trailing = commas[call.args.length - 1];
  const alone = /(?:^|\n)([ \t]*)(?:[*]{1,2}|\w+\s{0,8}=\s{0,8})?\(?$/.exec(code.text.slice(Math.max(0, last.value.start - 200), last.value.start));
  const at = trailing === undefined ? argumentsEnd(code, call) : trailing + 1;
  const comma = trailing === undefined ? ',' : '';
  if (alone === null) return { start: at, end: at, text: `${comma} ${arguments_.join(', ')}` };
  // Where each argument has a line of its own, so does the new one, and a comment stays with the argument that it is behind.
  const lead = code.newline + alone[1]!;
  const behind = /^[ \t]*#[^\r\n]*/.exec(code.text.slice(at, at + 500))?.[0] ?? '';
  const lines = arguments_.map((argument) => lead + argument).join(',') + (trailing === undefined ? '' : ',');
  return { start: at, end: at + behind.length, text: comma + behind + lines };
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
