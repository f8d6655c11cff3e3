/**
 * The 1-based line where a key stands in a TOML text: in the `nth` (from 0) table of that name, '' for the top. Where it can
 * not be found (an inline table, a dotted key) the line of the table, else 1.
 */
export function lineOfKey(text: string, table: string, key: string, nth: number): number {
  const lines = text.split('\n');
  let current = '';
  let count = -1;
  let header = 0;
  for (let index = 0; index < lines.length; index++) {
    const line = (lines[index] as string).trim();
    const opened = /^\[{1,2}([^[\]]{1,200})\]/.exec(line)?.[1]?.trim();
    if (opened !== undefined) {
      current = plain(opened);
      if (current === table) count++;
      if (current === table && count === nth) header = index + 1;
      if (table === '' && current.split('.')[0] === key) return index + 1;
      continue;
    }
    const equals = line.indexOf('=');
    if (equals < 0 || line.startsWith('#')) continue;
    const name = plain(line.slice(0, equals).trim());
    if (table === '' && current === '' && (name === key || name.split('.')[0] === key)) return index + 1;
    if (table !== '' && current === table && count === nth && name === key) return index + 1;
    if (current === '' && name === table && header === 0) header = index + 1;
  }
  return Math.max(1, header);
}

const plain = (name: string): string => name.replace(/^(["'])(.{1,200})\1$/, '$2');
