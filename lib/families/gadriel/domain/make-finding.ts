import type { PyModule } from '../../../syntax/python.types.ts';
import { maskSecrets } from '../../../secrets/mask-secrets.ts';
import type { SecretHit } from '../../../secrets/secrets.types.ts';
import type { RawFinding } from './analysis/model.types.ts';
import { baseScore, type Confidence, type Finding, type Pillar, type ScanType, type Severity, type TraceStep } from './finding.types.ts';
import { fingerprints } from './fingerprint.ts';
import { ruleById } from './rules/index.ts';
import { safeText } from '../../../text/safe-text.ts';

/** A finding before it has its fingerprint and its place in the order. */
export type Draft = {
  readonly ruleId: string;
  readonly title: string;
  readonly message: string;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly cwe: string;
  readonly line: number;
  readonly endLine: number;
  readonly column: number;
  readonly endColumn: number;
  readonly remediation: string;
  readonly scanType: ScanType;
  /** Security when not given. */
  readonly pillar?: Pillar;
  readonly owasp: readonly string[];
  readonly tags: readonly string[];
  readonly trace: readonly TraceStep[];
  /** Equal for equal secrets, within one process. */
  readonly sameAs?: string;
  /** A comment in the source silences it. */
  readonly suppressed?: boolean;
};

/** The tag of findings that a comment in the source silences; they are waived, and only scans of repositories tell of them. */
export const suppressedTag = 'suppressed:insource';

/** Text out of the analysed code, or about it, as a message or a trace note may carry it along: harmless to show, and short. */
export const safeNote = (text: string, max = 200): string => safeText(mayHoldSecret.test(text) ? maskSecrets(text) : text, max);

/** Names of the code get into notes, and a name may be a secret that slipped out of its quotes; none has a shape of its own that is shorter. */
const mayHoldSecret = /[\w-]{16}/;

/** The finding of a rule; what the report leaves open comes from the rule. */
export function sastFinding(raw: RawFinding, module: PyModule): Draft {
  const rule = ruleById(raw.ruleId);
  if (rule === undefined) throw new Error(`no rule ${raw.ruleId}`);
  return {
    ruleId: rule.id,
    title: rule.title,
    message: safeNote(raw.message ?? rule.message),
    severity: raw.severity ?? rule.severity,
    confidence: raw.confidence ?? rule.confidence,
    cwe: raw.cwe ?? rule.cwe,
    line: module.lineAt(raw.start),
    endLine: module.lineAt(raw.end),
    column: module.columnAt(raw.start),
    endColumn: module.columnAt(raw.end),
    remediation: rule.remediation,
    scanType: 'sast',
    owasp: rule.owasp,
    tags: [...rule.tags, ...raw.tags],
    trace: raw.trace.map(({ line, note, path }) => ({ line, note: safeNote(note), ...(path !== undefined && { file: path }) })),
  };
}

/** The finding of a secret; it tells the first characters and the length, never the secret. */
export function secretFinding(hit: SecretHit): Draft {
  return {
    ruleId: hit.detectorId,
    title: hit.title,
    message: `${hit.title} in the text: ${safeText(hit.preview)}`,
    severity: hit.severity,
    confidence: hit.confidence,
    cwe: 'CWE-798',
    line: hit.line,
    endLine: hit.endLine,
    column: hit.column,
    endColumn: hit.endColumn,
    remediation: 'Revoke the secret where it was issued, then read its successor from the environment or a secret store.',
    scanType: 'secrets',
    owasp: ['A07:2021'],
    tags: hit.provider === undefined ? [] : [`provider:${hit.provider}`],
    trace: [],
    sameAs: hit.sameAs,
  };
}

/** Puts drafts into the order of line and rule and gives each its fingerprint, score and id. */
export function finishFindings(drafts: readonly Draft[], text: string, path: string, secrets: readonly SecretHit[]): Finding[] {
  if (drafts.length === 0) return [];
  const ordered = [...drafts].sort((a, b) => a.line - b.line || compare(a.ruleId, b.ruleId) || a.column - b.column);
  const lineText = maskedLines(text, secrets);
  const hashes = fingerprints(ordered.map(({ ruleId, line, column }) => ({ ruleId, path, line, column, lineText: lineText(line) })));
  const groups = groupTags(ordered);
  return ordered.map((draft, index) => finish(draft, path, hashes[index] as string, groups.get(draft.sameAs ?? '')));
}

function finish(draft: Draft, path: string, fingerprint: string, group: string | undefined): Finding {
  const suppressed = draft.suppressed === true;
  return {
    finding_id: `${draft.ruleId}:${fingerprint.slice(0, 8)}`,
    rule_id: draft.ruleId,
    title: draft.title,
    message: draft.message,
    severity: draft.severity,
    confidence: draft.confidence,
    confidence_score: baseScore[draft.confidence],
    cwe: draft.cwe,
    file: path,
    line: draft.line,
    end_line: draft.endLine,
    column: draft.column,
    end_column: draft.endColumn,
    remediation: draft.remediation,
    pillar: draft.pillar ?? 'security',
    scan_type: draft.scanType,
    owasp: draft.owasp,
    tags: [...draft.tags, ...(group === undefined ? [] : [group]), ...(suppressed ? [suppressedTag] : [])],
    source: 'deterministic',
    fingerprint,
    trace: draft.trace,
    waived: suppressed,
  };
}

/** One secret in many places is one finding a place; a tag ties them together. */
function groupTags(drafts: readonly Draft[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const { sameAs } of drafts) if (sameAs !== undefined) counts.set(sameAs, (counts.get(sameAs) ?? 0) + 1);
  const repeated = [...counts].filter(([, count]) => count > 1);
  return new Map(repeated.map(([sameAs], index) => [sameAs, `same-secret:${index + 1}`]));
}

/** Gives the text of a line with each secret in it replaced by the id of its detector. */
function maskedLines(text: string, secrets: readonly SecretHit[]): (line: number) => string {
  let masked = '';
  let at = 0;
  // Hits are in order and do not overlap. A secret of several lines keeps its line breaks, so that line numbers stay.
  for (const { start, end, detectorId } of secrets) {
    masked += text.slice(at, start) + detectorId + text.slice(start, end).replace(/[^\r\n]/g, '');
    at = end;
  }
  const lines = (masked + text.slice(at)).split(/\r\n|\r|\n/);
  return (line) => lines[line - 1] ?? '';
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
