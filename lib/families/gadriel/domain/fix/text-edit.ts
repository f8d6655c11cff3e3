/** Replaces the text of `[start, end)`, in UTF-16 code units of the whole text; an empty range inserts. */
export type TextEdit = { readonly start: number; readonly end: number; readonly text: string };

/** The text with all edits made, or undefined where two of them overlap or one lies outside. Insertions at one place stand in their given order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string | undefined {
  const ordered = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let at = 0;
  for (const { start, end, text: put } of ordered) {
    if (start < at || end < start || end > text.length) return undefined;
    result += text.slice(at, start) + put;
    at = end;
  }
  return result + text.slice(at);
}
