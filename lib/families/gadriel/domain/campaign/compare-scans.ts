import { createHash } from 'node:crypto';
import { severities, type Finding, type Severity } from '../finding.types.ts';
import type { Baseline } from './campaign.types.ts';

/** What a re-scan says of a fix; `unseen`: no scan shows the finding, so its end can not be seen either. */
export type Verdict = { readonly kind: 'gone' | 'still_there' | 'unseen' } | { readonly kind: 'regressed'; readonly newRules: readonly string[] };

/** How far code may have moved and a finding of the same rule still be the same one. */
const movedLines = 25;

/**
 * The finding of a scan that a worklist means: of the same fingerprint, else the nearest of its rule within 25 lines.
 * `taken` are fingerprints that belong to other items.
 */
export function locateFinding(
  wanted: Pick<Finding, 'fingerprint' | 'rule_id' | 'line'>, scan: readonly Finding[], taken: ReadonlySet<string>,
): Finding | undefined {
  const exact = scan.find(({ fingerprint }) => fingerprint === wanted.fingerprint);
  if (exact !== undefined) return exact;
  const distance = ({ line }: Finding): number => Math.abs(line - wanted.line);
  const near = scan.filter((finding) => finding.rule_id === wanted.rule_id && !taken.has(finding.fingerprint) && distance(finding) <= movedLines);
  return near.sort((a, b) => distance(a) - distance(b))[0];
}

/**
 * What to remember of a file before a fix. A key is a rule and a hash of the flagged line: fingerprints would not do, as
 * they count equal lines, so that mending the first of two gives its fingerprint to the second.
 */
export function baselineOf(scan: readonly Finding[], target: Finding | undefined, text: string): Baseline {
  const keyOf = keysFor(scan, text);
  return { ...(target !== undefined && { target: keyOf(target) }), others: scan.filter((finding) => finding !== target).map(keyOf) };
}

/**
 * Compares a scan of the fixed file with the baseline. Findings pair up by key, then by rule alone, as a fix may change a
 * line that others stand on; waived ones count like all others, so that silencing a finding does not mend it. What is
 * left over is the finding itself, or new.
 */
export function compareScans({ target, others }: Baseline, scan: readonly Finding[], text: string, severity: Severity): Verdict {
  const keyOf = keysFor(scan, text);
  const unpaired = takeEach(scan, others, keyOf);
  const left = takeEach(unpaired.items, unpaired.words.map(ruleOfKey), ({ rule_id }) => rule_id).items;
  const rule = target === undefined ? undefined : ruleOfKey(target);
  const isNew = (finding: Finding): boolean => finding.rule_id !== rule && severities.indexOf(finding.severity) <= severities.indexOf(severity);
  // One of its rule may be the finding itself on a line that was changed; two can not.
  const same = left.filter(({ rule_id }) => rule_id === rule);
  const fresh = [...left.filter(isNew), ...same.slice(1)];
  if (fresh.length > 0) return { kind: 'regressed', newRules: [...new Set(fresh.map(({ rule_id }) => rule_id))].sort() };
  if (rule === undefined) return { kind: 'unseen' };
  return { kind: same.length > 0 ? 'still_there' : 'gone' };
}

/** Pairs items with words one to one; what finds no partner is left. */
function takeEach(items: readonly Finding[], words: readonly string[], wordOf: (finding: Finding) => string): { items: Finding[]; words: string[] } {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const left = items.filter((item) => {
    const word = wordOf(item);
    const count = counts.get(word) ?? 0;
    if (count > 0) counts.set(word, count - 1);
    return count === 0;
  });
  return { items: left, words: [...counts].flatMap(([word, count]) => new Array<string>(count).fill(word)) };
}

const ruleOfKey = (key: string): string => key.slice(0, key.lastIndexOf(' '));

/** Keys of the findings in a text: `<rule_id> <16 hex of the line>`, blanks squeezed and secrets replaced by their rule. */
function keysFor(scan: readonly Finding[], text: string): (finding: Finding) => string {
  const lines = text.split(/\r\n|\r|\n/);
  const secrets = scan.filter(({ scan_type }) => scan_type === 'secrets');
  const hashes = new Map<number, string>();
  return ({ rule_id, line }) => {
    let hash = hashes.get(line);
    if (hash === undefined) {
      const masked = maskLine(lines[line - 1] ?? '', line, secrets).trim().replace(/\s+/g, ' ');
      hashes.set(line, (hash = createHash('sha256').update(masked).digest('hex').slice(0, 16)));
    }
    return `${rule_id} ${hash}`;
  };
}

/** A line without the secrets that were found in it: nothing that is written down is made of a secret. */
function maskLine(text: string, line: number, secrets: readonly Finding[]): string {
  let masked = '';
  let at = 0;
  for (const secret of secrets.filter((each) => each.line <= line && line <= each.end_line).sort((a, b) => a.column - b.column)) {
    const start = secret.line === line ? secret.column - 1 : 0;
    const end = secret.end_line === line ? secret.end_column - 1 : text.length;
    if (start < at) continue;
    masked += text.slice(at, start) + secret.rule_id;
    at = end;
  }
  return masked + text.slice(at);
}
