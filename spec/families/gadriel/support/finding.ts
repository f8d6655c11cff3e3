import type { RawFinding } from '../../../../lib/families/gadriel/domain/analysis/model.types.ts';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';

/** A finding with plausible members; the given ones replace them. */
export function makeFinding(members: Partial<Finding> = {}): Finding {
  return {
    finding_id: 'CODE-W1-L3-002:00000000', rule_id: 'CODE-W1-L3-002', title: 'title', message: 'message', severity: 'high', confidence: 'high',
    confidence_score: 90, cwe: 'CWE-95', file: 'a.py', line: 1, end_line: 1, column: 1, end_column: 2, remediation: 'Do not.', pillar: 'security',
    scan_type: 'sast', owasp: [], tags: [], source: 'deterministic', fingerprint: '0'.repeat(64), trace: [], waived: false, ...members,
  };
}

/** What the engine reports; the given members replace the defaults, of which most leave the word to the rule. */
export function makeRaw(members: Partial<RawFinding> & { readonly ruleId: string }): RawFinding {
  return {
    start: 0, end: 1, level: 2, message: undefined, severity: undefined, confidence: undefined, cwe: undefined, tags: [], trace: [], ...members,
  };
}
