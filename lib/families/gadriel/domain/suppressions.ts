import type { LiteralSpan } from '../../../secrets/secrets.types.ts';
import { foreignIds } from './foreign-ids.ts';
import { ruleIdSpellings } from './records/rule-ids.ts';

/** The lines (1-based, inclusive) on which a comment silences a finding, and what the finding is. */
export type Suppressible = { readonly ruleId: string; readonly firstLine: number; readonly lastLine: number };

/** A comment that silences findings of its line. `rules` undefined = all rules; ids are full rule ids. */
type Marker = { readonly line: number; readonly rules: ReadonlySet<string> | undefined; readonly secretsOnly: boolean };

/** Decides whether a finding is silenced by a comment in the source. */
export type Suppressions = { covers(finding: Suppressible): boolean };

/**
 * Reads the suppression comments of a text: `nosec`, `noqa: Sxxx`, `gitleaks:allow`, `pragma: allowlist secret` and
 * `gadriel:ignore[rule] reason`. Only comments are given to it, so a marker inside a string silences nothing.
 */
export function readSuppressions(text: string, comments: readonly Pick<LiteralSpan, 'start' | 'end'>[], lineAt: (offset: number) => number): Suppressions {
  const byLine = new Map<number, Marker[]>();
  for (const { start, end } of comments) {
    const comment = text.slice(start, end);
    if (!/nosec|noqa|gitleaks|allowlist|gadriel/i.test(comment)) continue;
    // A block comment may have several lines; a marker counts for its own.
    const first = lineAt(start);
    comment.split(/\r\n|\r|\n/).forEach((line, index) => {
      for (const marker of markersIn(line, first + index)) {
        const markers = byLine.get(marker.line);
        if (markers === undefined) byLine.set(marker.line, [marker]);
        else markers.push(marker);
      }
    });
  }
  const covers = new Map<string, Cover>();
  return {
    covers: ({ ruleId, firstLine, lastLine }) => {
      if (byLine.size === 0) return false;
      // A statement of a hundred thousand lines may hold as many findings: its lines are gone through once.
      const key = `${firstLine}-${lastLine}`;
      let cover = covers.get(key);
      if (cover === undefined) covers.set(key, (cover = coverOf(byLine, firstLine, lastLine)));
      return cover.everything || cover.rules.has(ruleId) || (cover.secrets && ruleId.includes('-SECRET-'));
    },
  };
}

/** What the markers of some lines silence together. */
type Cover = { readonly everything: boolean; readonly secrets: boolean; readonly rules: ReadonlySet<string> };

function coverOf(byLine: ReadonlyMap<number, readonly Marker[]>, firstLine: number, lastLine: number): Cover {
  const rules = new Set<string>();
  let everything = false;
  let secrets = false;
  for (let line = firstLine; line <= lastLine; line++) {
    for (const marker of byLine.get(line) ?? []) {
      secrets ||= marker.secretsOnly;
      everything ||= marker.rules === undefined && !marker.secretsOnly;
      for (const id of marker.rules ?? []) rules.add(id);
    }
  }
  return { everything, secrets, rules };
}

// A marker opens its comment, or stands right behind a further `#`, as the tools want it that it comes from: prose that
// merely speaks of one silences nothing.
const nosecMarker = /(?:^\s{0,200}[^\w\s]{0,4}\s{0,8}|#\s{0,8})nosec(?![-\w]):?([^#]{0,400})/i;
const noqaMarker = /(?:^\s{0,200}[^\w\s]{0,4}\s{0,8}|#\s{0,8})noqa\s{0,4}:([^#]{0,400})/i;

function markersIn(comment: string, line: number): Marker[] {
  const markers: Marker[] = [];
  const nosec = nosecMarker.exec(comment);
  if (nosec !== null) markers.push({ line, rules: idsIn(nosec[1] ?? ''), secretsOnly: false });
  // A bare noqa is about style: it silences nothing here.
  const noqa = noqaMarker.exec(comment);
  if (noqa !== null) markers.push({ line, rules: idsIn(noqa[1] ?? '') ?? new Set(), secretsOnly: false });
  if (/gitleaks:allow\b/i.test(comment) || /pragma:\s{0,4}allowlist secret\b/i.test(comment)) markers.push({ line, rules: undefined, secretsOnly: true });
  if (/pragma:\s{0,4}allowlist nextline secret\b/i.test(comment)) markers.push({ line: line + 1, rules: undefined, secretsOnly: true });
  for (const [, list = ''] of comment.matchAll(/gadriel:ignore\[([^\]]{0,400})\]/gi)) {
    markers.push({ line, rules: new Set(list.split(',').flatMap((id) => ruleIdSpellings(id.trim()))), secretsOnly: false });
  }
  return markers;
}

/** An id of a rule, with its prefix or without; a secret of the user's own has an id of letters, digits and hyphens. */
const ownId = /\b(?:CODE-W\d-[A-Z\d]+(?:-[A-Z\d]+){0,8}|SECRET-OWN-[A-Z\d]+(?:-[A-Z\d]+){0,8}|(?:L\d|CONFIG(?:-MCP)?|CRYPTO|AI|SECRET)-\d{3})\b/gi;

// What begins a list like an id is one, also of another tool or misspelt: it must not pass for a bare marker with a reason.
const leadingId = /^[\s,:]{0,8}[A-Z]{1,4}\d{2,5}\b/i;

/** The rules that a list of ids covers; undefined when it has no id at all (a bare marker, perhaps with a reason). */
function idsIn(list: string): ReadonlySet<string> | undefined {
  const foreign = [...list.matchAll(/\b[BS](\d{3})\b/gi)].map(([, number = '']) => foreignIds.get(number) ?? []);
  const own = [...list.matchAll(ownId)].map(([id]) => id);
  const known = [...foreign.flat(), ...own.flatMap(ruleIdSpellings)];
  return foreign.length + own.length === 0 && !leadingId.test(list) ? undefined : new Set(known);
}
