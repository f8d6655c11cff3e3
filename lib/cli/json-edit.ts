import { skipTrivia, type JsonMember, type JsonNode } from './jsonc.ts';

/** An object of a JSON text. */
export type JsonObject = JsonNode & { readonly members: readonly JsonMember[] };

/**
 * The text with one more member at the end of one of its objects. All other characters stay as they are, comments and the
 * spelling of numbers too; the new ones follow the text's own indentation and line ends.
 */
export function insertMember(text: string, root: JsonObject, object: JsonObject, key: string, value: unknown): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = indentOf(text, root.members[0]) || '  ';
  const member = (indent: string): string => `${JSON.stringify(key)}: ${JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`)}`;
  const last = object.members.at(-1);
  if (last === undefined) {
    const outer = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', object.start) + 1))?.[0] ?? '';
    const inside = text.slice(object.start, object.end - 1).trimEnd();
    return `${text.slice(0, object.start)}${inside}${eol}${outer}${unit}${member(outer + unit)}${eol}${outer}${text.slice(object.end - 1)}`;
  }
  const end = last.comma === undefined ? last.node.end : last.comma + 1;
  const indent = indentOf(text, object.members[0]);
  const comma = last.comma === undefined ? ',' : '';
  if (indent === undefined) {
    const space = /\s/.test(text[object.start + 1] ?? '') ? ' ' : '';
    return `${text.slice(0, end)}${comma}${space}${JSON.stringify(key)}:${space}${JSON.stringify(value)}${text.slice(end)}`;
  }
  // A comment on the last member's line belongs to that member.
  const at = lineEnd(text, end);
  return `${text.slice(0, last.node.end)}${comma}${text.slice(last.node.end, at)}${eol}${indent}${member(indent)}${text.slice(at)}`;
}

/** The text with another value of a member; undefined where comments inside the old value would be lost. */
export function replaceValue(text: string, root: JsonObject, member: JsonMember, value: unknown): string | undefined {
  const { start, end } = member.node;
  if (hasComments(text.slice(start, end))) return undefined;
  const indent = indentOf(text, member);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = indentOf(text, root.members[0]) || '  ';
  const shown = indent === undefined ? JSON.stringify(value) : JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
  return text.slice(0, start) + shown + text.slice(end);
}

/** What stands before a member on its line, if that is indentation alone. */
function indentOf(text: string, member: JsonMember | undefined): string | undefined {
  if (member === undefined) return undefined;
  const line = text.lastIndexOf('\n', member.keyStart);
  const before = text.slice(line + 1, member.keyStart);
  return line >= 0 && /^[ \t]*$/.test(before) ? before : undefined;
}

/** The end of the line at an offset where nothing but spaces and comments follow there, else the offset. */
function lineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  if (newline < 0 || skipTrivia(text, from) <= newline) return from;
  // A comment of several lines that begins here is left whole behind the new member.
  const line = text.slice(from, newline);
  if (line.lastIndexOf('/*') > line.lastIndexOf('*/')) return from;
  return text[newline - 1] === '\r' ? newline - 1 : newline;
}

/** Whether there are comments in a JSON text that was found to be good. */
function hasComments(text: string): boolean {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, '').includes('/');
}
