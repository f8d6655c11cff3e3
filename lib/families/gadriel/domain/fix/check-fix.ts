import { applyDiff, makeDiff } from '../../../../text/unified-diff.ts';
import { baselineOf, compareScans, isGrave } from '../campaign/compare-scans.ts';
import { cweFamilyOf } from '../cwe-families.ts';
import type { Finding } from '../finding.types.ts';
import { isPython } from '../source-path.ts';
import { isToolFailed } from '../tool-failed.ts';
import type { FixSource } from './fix-source.ts';
import { syntaxErrors } from './syntax-errors.ts';

/** Scans a text in the place of a file of the repository. */
export type Rescan = (text: string) => Promise<readonly Finding[]>;

/**
 * A diff that passed, with the whole file's text after it and the rules of lighter findings of the same kind that it leaves; or
 * what is wrong with the new text, said to whoever wrote it.
 */
export type FixCheck = { readonly diff: string; readonly after: string; readonly lighter: readonly string[] } | { readonly wrong: string };

/** Comments that silence a finding instead of mending it. */
const silencers = /\bnosec\b|\bnoqa\b|gitleaks:allow|allowlist secret|gadriel:ignore/gi;

/**
 * Checks a new text of a file: its diff must apply byte for byte, the code must parse no worse, and a scan must lack the finding,
 * with nothing new at its severity or above, nor anything of its kind on the changed lines that is high or critical. `scanned` is false for a finding
 * that no scan of this program shows: then it is only checked that nothing new comes in.
 */
export async function checkFix(
  source: FixSource, fixed: string, finding: Finding, scan: readonly Finding[], rescan: Rescan, scanned: boolean,
): Promise<FixCheck> {
  const { file, text, mark } = source;
  if (fixed === text) return { wrong: 'nothing was changed' };
  const diff = makeDiff(file, mark + text, mark + fixed);
  const after = applyDiff(mark + text, diff);
  if (after !== mark + fixed) return { wrong: 'the diff does not apply' };
  const syntax = syntaxProblem(file, text, fixed);
  if (syntax !== undefined) return { wrong: syntax };
  if (count(fixed, silencers) > count(text, silencers)) return { wrong: 'a comment that silences the finding is no fix' };
  try {
    const again = await rescan(fixed);
    const kin = kinOnAdded(finding, scan, again, diff);
    const grave = rulesOf(kin.filter(isGrave));
    if (grave.length > 0) return { wrong: `a scan of the new text finds a flaw of the same kind on the changed lines: ${grave.join(', ')}` };
    const verdict = compareScans(baselineOf(scan, scanned ? finding : undefined, text), again, fixed, finding.severity);
    if (verdict.kind === 'still_there') return { wrong: `a scan of the new text still finds ${finding.rule_id}` };
    if (verdict.kind === 'regressed') return { wrong: `a scan of the new text finds what was not there before: ${verdict.newRules.join(', ')}` };
    return { diff, after, lighter: rulesOf(kin) };
  } catch (error) {
    if (!isToolFailed(error)) throw error;
    return { wrong: `the new text can not be scanned: ${error.message}` };
  }
}

/** The findings under other rules by which the lines that a diff adds hold more of the CWE family than those it takes away; none where they hold no more. */
function kinOnAdded(finding: Finding, before: readonly Finding[], after: readonly Finding[], diff: string): readonly Finding[] {
  const { removed, added } = changedLines(diff);
  const family = cweFamilyOf(finding.cwe);
  const on = (lines: ReadonlySet<number>, scan: readonly Finding[]): readonly Finding[] => scan.filter((each) =>
    each.rule_id !== finding.rule_id && cweFamilyOf(each.cwe) === family && [...lines].some((line) => line >= each.line && line <= each.end_line));
  const now = on(added, after);
  return now.length > on(removed, before).length ? now : [];
}

const rulesOf = (findings: readonly Finding[]): string[] => [...new Set(findings.map(({ rule_id }) => rule_id))].sort();

/** The lines of the old text that a diff takes away, and those of the new one that it adds. */
function changedLines(diff: string): { readonly removed: ReadonlySet<number>; readonly added: ReadonlySet<number> } {
  const [removed, added] = [new Set<number>(), new Set<number>()];
  let [old, now, inside] = [0, 0, false];
  for (const line of diff.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk !== null) [old, now, inside] = [Number(hunk[1]), Number(hunk[2]), true];
    else if (!inside || line.startsWith('\\')) continue;
    else if (line.startsWith('-')) removed.add(old++);
    else if (line.startsWith('+')) added.add(now++);
    else [old, now] = [old + 1, now + 1];
  }
  return { removed, added };
}

function syntaxProblem(file: string, before: string, after: string): string | undefined {
  if (syntaxErrors(file, after) <= syntaxErrors(file, before)) return undefined;
  return `the new text is no valid ${isPython(file, before) ? 'Python' : 'JSON'}`;
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
