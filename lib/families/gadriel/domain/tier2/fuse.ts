import { cweFamilyOf, isKnownCwe } from '../cwe-families.ts';
import { baseScore, confidences, type Confidence, type Finding } from '../finding.types.ts';
import { fingerprints } from '../fingerprint.ts';
import { InvalidParams } from '../../../../domain/invalid-params.ts';
import { safeNote } from '../make-finding.ts';
import { parseAiFindings, type AiFinding } from './ai-findings.ts';

/** What a scan found, and how many lines each file has that it looked at. */
export type ScannedFiles = { readonly findings: readonly Finding[]; readonly lineCounts: ReadonlyMap<string, number> };

/** `advisory` adds what a model alone found, at no gate; `corroborate_only` adds nothing. */
export type FusionMode = 'advisory' | 'corroborate_only';

/** What became of the submitted findings; the counters sum to their number. The keys are wire words. */
export type FusionReport = {
  readonly corroborated: number;
  readonly contested: number;
  readonly advisory_added: number;
  readonly rejected_count: number;
  readonly malformed_skipped: number;
};

/** Most findings of a model that one session takes. */
const maxTaken = 50;
/** How far from a finding's lines a model may point and still mean it. */
const nearLines = 3;
const maxRationale = 500;
/** No model needs as much for a reason; what is behind is not looked at. */
const maxRationaleRead = 20_000;

const advisoryRule = 'CODE-W1-AI-690';

/** The mode of that name; throws InvalidParams for another one. */
export function fusionMode(word: string): FusionMode {
  if (word === 'advisory' || word === 'corroborate_only') return word;
  throw new InvalidParams('mode must be advisory or corroborate_only');
}

/**
 * Joins a model's findings with those of a scan, by the table of the design (gadriel, section 1.3). No finding of the
 * scan is left out, none changes its severity, and what the model alone found is Low and never at a gate. The order of
 * what was submitted changes nothing.
 */
export function fuse(scanned: ScannedFiles, submitted: readonly unknown[], mode: FusionMode): { readonly findings: Finding[]; readonly report: FusionReport } {
  const { items, malformed } = parseAiFindings(submitted);
  const valid = items.filter((item) => isKnownCwe(item.cwe) && item.line <= (scanned.lineCounts.get(item.file) ?? 0));
  const taken = valid.slice(0, maxTaken);
  const said = new Map<Finding, { corroborated: boolean; contest: string | undefined }>();
  const advisory: AiFinding[] = [];
  const counts = { corroborated: 0, contested: 0 };
  for (const item of taken) {
    const hit = nearest(scanned.findings, item);
    if (hit === undefined) {
      if (item.kind === 'new_finding' && mode === 'advisory') advisory.push(item);
      continue;
    }
    const about = said.get(hit) ?? { corroborated: false, contest: undefined };
    said.set(hit, about);
    if (item.kind === 'contest') {
      about.contest ??= shortRationale(item);
      counts.contested++;
    } else {
      about.corroborated = true;
      counts.corroborated++;
    }
  }
  const findings = scanned.findings.map((finding) => apply(finding, said.get(finding)));
  const merged = [...findings, ...advisoryFindings(advisory)].sort((a, b) => compare(a.file, b.file) || a.line - b.line || compare(a.rule_id, b.rule_id));
  const rejected = items.length - counts.corroborated - counts.contested - advisory.length;
  return { findings: merged, report: { ...counts, advisory_added: advisory.length, rejected_count: rejected, malformed_skipped: malformed } };
}

/** The finding that a model means: of the same file and CWE family, the closest one. */
function nearest(findings: readonly Finding[], { file, line, cwe }: AiFinding): Finding | undefined {
  const family = cweFamilyOf(cwe);
  let best: Finding | undefined;
  let least = nearLines + 1;
  for (const finding of findings) {
    if (finding.file !== file || cweFamilyOf(finding.cwe) !== family) continue;
    const distance = Math.max(finding.line - line, line - finding.end_line, 0);
    if (distance >= least) continue;
    best = finding;
    least = distance;
  }
  return best;
}

function apply(finding: Finding, said: { readonly corroborated: boolean; readonly contest: string | undefined } | undefined): Finding {
  if (said === undefined) return finding;
  const contested = said.contest === undefined ? {} : { contested: true, contest_rationale: said.contest };
  if (!said.corroborated) return { ...finding, ...contested };
  const confidence = oneStepUp(finding.confidence);
  const score = Math.max(finding.confidence_score, baseScore[confidence]);
  return { ...finding, confidence, confidence_score: score, tags: [...finding.tags, 'tier2:corroborated'], source: 'fused', ...contested };
}

const oneStepUp = (confidence: Confidence): Confidence => confidences[Math.max(0, confidences.indexOf(confidence) - 1)] as Confidence;

/** Findings of the model alone. Their ids come from what is claimed and where: the text of the line is not kept. */
function advisoryFindings(items: readonly AiFinding[]): Finding[] {
  const hashes = fingerprints(items.map(({ file, line, cwe }) => ({ ruleId: advisoryRule, path: file, line, column: 1, lineText: `${cwe} ${line}` })));
  return items.map((item, index) => {
    const fingerprint = hashes[index] as string;
    return {
      finding_id: `${advisoryRule}:${fingerprint.slice(0, 8)}`,
      rule_id: advisoryRule,
      title: 'Reported by a model alone',
      message: shortRationale(item),
      severity: 'low',
      confidence: 'low',
      confidence_score: baseScore.low,
      cwe: item.cwe,
      file: item.file,
      line: item.line,
      end_line: item.line,
      column: 1,
      end_column: 1,
      remediation: 'Check it by hand: no rule confirms what the model reports.',
      pillar: 'security',
      scan_type: 'ai',
      owasp: [],
      tags: ['tier2:advisory'],
      source: 'ai',
      fingerprint,
      trace: [],
      waived: false,
      ai_severity: item.severity,
    };
  });
}

/** A reason as it may be shown: without secrets and short. A model quotes what it read. */
const shortRationale = ({ rationale }: AiFinding): string => safeNote(rationale.slice(0, maxRationaleRead), maxRationale);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
