import path from 'node:path';
import { scanSecrets } from '../../../../secrets/scan.ts';
import { cweFamilyOf } from '../cwe-families.ts';
import { decodePython } from '../decode-source.ts';
import { confidences, severities, type Finding } from '../finding.types.ts';
import { finishFindings, suppressedTag, type Draft } from '../make-finding.ts';
import { readSource } from '../read-source.ts';
import { isToolFailed } from '../tool-failed.ts';
import { findOwnSecrets } from './own-secrets.ts';
import type { FileScan, ForeignDrafts } from './repository.types.ts';
import type { ScanSettings } from './settings.types.ts';

/**
 * Puts what calls out of other units brought about into the scans of the modules where it lies. At one place the more
 * severe finding of a CWE family stays, then the one of which more is sure.
 */
export function mergeForeign(
  scans: Map<string, FileScan>, foreign: readonly ForeignDrafts[], root: string, texts: Readonly<Record<string, string>>, settings: ScanSettings,
): void {
  const byPath = new Map<string, Draft[]>();
  for (const { path: file, drafts } of foreign) byPath.set(file, [...(byPath.get(file) ?? []), ...drafts]);
  for (const [file, drafts] of byPath) {
    const scan = scans.get(file);
    if (scan === undefined || scan.failed !== undefined) continue;
    const own = scan.findings.map(draftOf);
    const merged = mergeDrafts(own, drafts);
    if (merged === undefined) continue;
    try {
      const text = Object.hasOwn(texts, file) ? (texts[file] as string) : decodePython(readSource(path.join(root, file)));
      // As in the scan of the file itself: secrets in a line do not count for its fingerprint.
      const hits = scanSecrets(text, { path: file, language: 'python' });
      const secrets = settings.secrets.length === 0 ? hits : findOwnSecrets(text, settings.secrets, hits);
      scans.set(file, { ...scan, findings: finishFindings(merged, text, file, secrets) });
    } catch (error) {
      // Gone since: what was found in it stands as it is.
      if (!isToolFailed(error)) throw error;
    }
  }
}

/** Undefined where the others add nothing. */
function mergeDrafts(own: readonly Draft[], others: readonly Draft[]): Draft[] | undefined {
  const places = new Map(own.map((draft) => [placeOf(draft), draft]));
  let changed = false;
  // The order of workers must not show: of equals the one whose trace reads first stays.
  for (const draft of [...others].sort((a, b) => rank(a) - rank(b) || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))) {
    const old = places.get(placeOf(draft));
    if (old !== undefined && rank(old) <= rank(draft)) continue;
    const taken = old === undefined || old.ruleId === draft.ruleId ? [] : [old.ruleId];
    places.set(placeOf(draft), { ...draft, tags: [...new Set([...draft.tags, ...taken])] });
    changed = true;
  }
  return changed ? [...places.values()] : undefined;
}

const placeOf = (draft: Draft): string => [draft.line, draft.column, draft.scanType, draft.suppressed === true, cweFamilyOf(draft.cwe)].join(':');
const rank = (draft: Draft): number => severities.indexOf(draft.severity) * 10 + confidences.indexOf(draft.confidence);

/** A finding as it was before it was finished. */
function draftOf(finding: Finding): Draft {
  const { title, message, severity, confidence, cwe, line, column, remediation, pillar, owasp, trace } = finding;
  return {
    title, message, severity, confidence, cwe, line, column, remediation, pillar, owasp, trace,
    ruleId: finding.rule_id, endLine: finding.end_line, endColumn: finding.end_column, scanType: finding.scan_type,
    tags: finding.tags.filter((tag) => tag !== suppressedTag), suppressed: finding.waived,
  };
}
