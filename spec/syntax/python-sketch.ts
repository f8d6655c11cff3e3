import { parsePython } from '../../lib/syntax/python.ts';

/** Writes a typed tree on one line: names as they are, constants as JSON, other nodes as `Type(field: value, …)`, empty fields left out. */
export function sketch(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sketch).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const node = value as Record<string, unknown>;
  if (node['type'] === 'Name') return String(node['id']);
  if (node['type'] === 'Constant') {
    const text = Number.isNaN(node['value']) ? String(node['text']) : JSON.stringify(node['value']);
    return node['kind'] === 'bytes' ? `b${text}` : node['kind'] === 'float' ? `${text}f` : node['kind'] === 'ellipsis' ? '...' : text;
  }
  const empty = (field: unknown): boolean => field === '' || field === false || (Array.isArray(field) && field.length === 0);
  const fields = Object.entries(node).filter(([name, field]) => !['type', 'start', 'end'].includes(name) && !empty(field));
  return `${String(node['type'] ?? '')}(${fields.map(([name, field]) => `${name}: ${sketch(field)}`).join(', ')})`;
}

/** The sketch of each top-level statement of a text, one a line. */
export const sketchOf = (text: string): string => parsePython(text).body.map(sketch).join('\n');

/** The dotted names of all calls in a tree, in the order they appear in the text. */
export function callNames(value: unknown): string[] {
  const found: { at: number; name: string }[] = [];
  // Without recursion, so that deep trees can be asked too.
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== 'object' || node === null) continue;
    const { type, func, start } = node as { type?: string; func?: unknown; start?: number };
    if (type === 'Call') found.push({ at: start ?? 0, name: dotted(func) });
    pending.push(...Object.values(node).filter((field) => typeof field === 'object'));
  }
  return found.sort((one, other) => one.at - other.at).map(({ name }) => name);
}

function dotted(node: unknown): string {
  const { type, id, value, attr } = node as { type: string; id?: string; value?: unknown; attr?: string };
  if (type === 'Name') return id!;
  return type === 'Attribute' ? `${dotted(value)}.${attr!}` : '?';
}

/** The names of all calls in a text. */
export const callsOf = (text: string): string[] => callNames(parsePython(text).body);

/** How many levels of nodes a tree has. */
export function depthOf(root: unknown): number {
  let deepest = 0;
  const pending: [unknown, number][] = [[root, 0]];
  while (pending.length > 0) {
    const [node, depth] = pending.pop()!;
    deepest = Math.max(deepest, depth);
    for (const field of Object.values(node as object)) if (typeof field === 'object' && field !== null) pending.push([field, depth + ('type' in (node as object) ? 1 : 0)]);
  }
  return deepest;
}
