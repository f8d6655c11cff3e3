import { createHash } from 'node:crypto';
import { cweFamilyOf } from '../cwe-families.ts';
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
  const others = scan.filter((finding) => finding !== target);
  if (target === undefined) return { others: others.map(keyOf) };
  const beside = others.filter(({ rule_id, line }) => rule_id === target.rule_id && line === target.line).length;
  return { target: keyOf(target), cwe: target.cwe, ...(beside > 0 && { beside }), others: others.map(keyOf) };
}

/**
 * Compares a scan of the fixed file with the baseline. Findings pair up by key, then by rule alone, as a fix may change a
 * line that others stand on; waived ones count like all others, so that silencing a finding does not mend it. What is
 * left over is the finding itself, or new.
 *
 * Of the finding's own rule none pairs up by rule alone: where another one of it was mended, the finding would pass for
 * that one. It is there as long as its line is left over, or a line that was changed beyond those that share its line; and
 * as long as a finding of its CWE family is new, however light that is: the flaw then goes by another rule.
 */
export function compareScans({ target, cwe, beside = 0, others }: Baseline, scan: readonly Finding[], text: string, severity: Severity): Verdict {
  const keyOf = keysFor(scan, text);
  const unpaired = takeEach(scan, others, keyOf);
  const rule = target === undefined ? undefined : ruleOfKey(target);
  const own = unpaired.items.filter(({ rule_id }) => rule_id === rule);
  const lost = unpaired.words.map(ruleOfKey);
  const left = takeEach(unpaired.items.filter(({ rule_id }) => rule_id !== rule), lost, ({ rule_id }) => rule_id).items;
  // Each of its rule that is gone may be one of the changed lines, and so may the finding; beyond these it is a new one.
  const more = own.slice(lost.filter((each) => each === rule).length + 1);
  const fresh = [...left.filter((finding) => severities.indexOf(finding.severity) <= severities.indexOf(severity)), ...more];
  if (fresh.length > 0) return { kind: 'regressed', newRules: [...new Set(fresh.map(({ rule_id }) => rule_id))].sort() };
  if (rule === undefined) return { kind: 'unseen' };
  const remains = own.length > beside || own.some((finding) => keyOf(finding) === target);
  const kin = cwe !== undefined && left.some((finding) => isGrave(finding) && cweFamilyOf(finding.cwe) === cweFamilyOf(cwe));
  return { kind: remains || kin ? 'still_there' : 'gone' };
}

/** High or critical, as the gate has it; an option in the place of a shell (L3-006) is better than the shell. */
export const isGrave = ({ severity }: Pick<Finding, 'severity'>): boolean => severities.indexOf(severity) <= severities.indexOf('high');

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
