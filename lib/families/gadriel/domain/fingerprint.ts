import { createHash } from 'node:crypto';

/** What a fingerprint is made of. */
export type Flagged = { readonly ruleId: string; readonly path: string; readonly lineText: string; readonly line: number; readonly column: number };

/**
 * Fingerprints of findings, in their order: SHA-256 over rule, path, the flagged line with blanks squeezed, and the
 * ordinal among findings that are equal in all three. So an id survives lines moving, and no secret is in the hash:
 * `lineText` must have each detected secret replaced already.
 */
export function fingerprints(flagged: readonly Flagged[]): string[] {
  const lines = new Map<string, string>();
  const keys = flagged.map(({ ruleId, path, lineText }) => {
    let line = lines.get(lineText);
    if (line === undefined) lines.set(lineText, (line = squeeze(lineText)));
    return JSON.stringify([ruleId, path, line]);
  });
  const order = flagged.map((_, index) => index).sort((a, b) => comparePlace(flagged[a] as Flagged, flagged[b] as Flagged));
  const seen = new Map<string, number>();
  const result: string[] = new Array<string>(flagged.length);
  for (const index of order) {
    const key = keys[index] as string;
    const ordinal = seen.get(key) ?? 0;
    seen.set(key, ordinal + 1);
    result[index] = createHash('sha256').update(`${key}#${ordinal}`).digest('hex');
  }
  return result;
}

/** A line with its blanks squeezed. A minified one, which may hold thousands of findings, stands as its hash. */
function squeeze(lineText: string): string {
  const line = lineText.trim().replace(/\s+/g, ' ');
  return line.length <= longestLine ? line : createHash('sha256').update(line).digest('hex');
}

const longestLine = 2_000;

const comparePlace = (a: Flagged, b: Flagged): number => a.line - b.line || a.column - b.column;
