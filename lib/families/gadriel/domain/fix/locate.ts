import type { Finding } from '../finding.types.ts';
import { fingerprints } from '../fingerprint.ts';

/** How many equal lines before a flagged one are thought of. */
const maxOrdinal = 16;

/**
 * The finding in a fresh scan of its file: the one of the same id, or of the same rule on the same text of line, as one of several
 * equal lines gets another id when another of them is mended. Undefined where the code is no longer what was scanned.
 */
export function locateFresh(finding: Finding, scan: readonly Finding[], text: string): Finding | undefined {
  const exact = scan.find(({ finding_id, fingerprint }) => finding_id === finding.finding_id || fingerprint === finding.fingerprint);
  if (exact !== undefined) return exact;
  const lines = text.split(/\r\n|\r|\n/);
  return scan.find((fresh) => fresh.rule_id === finding.rule_id && isLineOf(finding, lines[fresh.line - 1] ?? ''));
}

/** Whether the line that a finding names still has the text that its fingerprint was made of. */
export function standsInText(finding: Place & Pick<Finding, 'line'>, text: string): boolean {
  return isLineOf(finding, text.split(/\r\n|\r|\n/)[finding.line - 1] ?? '');
}

type Place = Pick<Finding, 'rule_id' | 'file' | 'fingerprint'>;

function isLineOf({ rule_id, file, fingerprint }: Place, lineText: string): boolean {
  const flagged = Array.from({ length: maxOrdinal }, (_, column) => ({ ruleId: rule_id, path: file, lineText, line: 1, column }));
  return fingerprints(flagged).includes(fingerprint);
}
