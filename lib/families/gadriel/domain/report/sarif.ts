import { version } from '../../../../text/version.ts';
import type { Finding, Severity, TraceStep } from '../finding.types.ts';
import { inSourceTag, type ReportMeta, type WaiverNote } from './report.types.ts';
import { ruleHelpOf, ruleMarkdown, ruleText, type RuleHelp } from './rule-help.ts';

/** GitHub's bands for `security-severity`: critical from 9.0, high from 7.0, medium from 4.0, low from 0.1. */
const securitySeverity: Readonly<Record<Severity, string>> = { critical: '9.5', high: '8.0', medium: '5.5', low: '2.5', info: '0.5' };
const levels: Readonly<Record<Severity, string>> = { critical: 'error', high: 'error', medium: 'warning', low: 'note', info: 'note' };

/**
 * Findings as a SARIF 2.1.0 log with one run: traces as codeFlows, waivers as suppressions, the text of `code rules ID`
 * as help. Holds no path of the machine and no secret; the same input gives the same object.
 */
export function toSarif(findings: readonly Finding[], { now, waiverOf }: ReportMeta): object {
  const ids = [...new Set(findings.map(({ rule_id }) => rule_id))].sort();
  const indexOf = new Map(ids.map((id, index) => [id, index]));
  const firstOf = new Map(findings.toReversed().map((finding) => [finding.rule_id, finding]));
  const time = new Date(now).toISOString();
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'gadriel', fullName: 'Gadriel code security', version, rules: ids.map((id) => toRule(id, firstOf.get(id) as Finding)) } },
        invocations: [{ executionSuccessful: true, endTimeUtc: time }],
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { '%SRCROOT%': { description: { text: 'The root of the repository.' } } },
        results: findings.map((finding) => toResult(finding, indexOf.get(finding.rule_id) as number, waiverOf?.(finding))),
      },
    ],
  };
}

/** The rule as the catalogue has it; one of another program is told by its first finding. */
function toRule(id: string, first: Finding): object {
  const help = ruleHelpOf(id) ?? helpOfFinding(first);
  return {
    id,
    name: nameOf(help.title),
    shortDescription: { text: plain(help.title) },
    fullDescription: { text: plain(help.why) },
    help: { text: ruleText(help), markdown: ruleMarkdown(help) },
    defaultConfiguration: { level: levels[help.severity] },
    properties: {
      tags: ['security', ...(help.cwe === undefined ? [] : [`external/cwe/${cweTag(help.cwe)}`]), ...help.owasp.map((entry) => `external/owasp/${entry.toLowerCase()}`)],
      precision: help.confidence === 'high' ? 'high' : help.confidence === 'medium' ? 'medium' : 'low',
      'security-severity': securitySeverity[help.severity],
    },
  };
}

function toResult(finding: Finding, ruleIndex: number, waiver: WaiverNote | undefined): object {
  const { severity, confidence, confidence_score, cwe, fingerprint, trace } = finding;
  return {
    ruleId: finding.rule_id,
    ruleIndex,
    level: levels[severity],
    message: { text: plain(finding.message) },
    locations: [{ physicalLocation: placeOf(finding) }],
    // The second is the one that GitHub compares; it stays as long as the fingerprint does.
    partialFingerprints: { 'gadriel/v1': fingerprint, primaryLocationLineHash: `${fingerprint.slice(0, 16)}:1` },
    ...(trace.length > 0 && { codeFlows: [{ threadFlows: [{ locations: stepsOf(finding) }] }] }),
    // An empty list says "not suppressed"; without the key a consumer can not tell.
    suppressions: suppressionsOf(finding, waiver),
    properties: {
      finding_id: finding.finding_id, cwe, severity, 'security-severity': securitySeverity[severity], confidence, confidence_score,
      scan_type: finding.scan_type, pillar: finding.pillar, source: finding.source, remediation: finding.remediation, tags: finding.tags,
      ...(finding.contested === true && { contested: true }),
    },
  };
}

/** The way of the value; it ends where the result is, as viewers expect it. */
function stepsOf(finding: Finding): readonly object[] {
  const { trace, file, line, message } = finding;
  const last = trace.at(-1);
  const endsThere = last?.line === line && (last.file ?? file) === file;
  const end = { location: { physicalLocation: placeOf(finding), message: { text: plain(endsThere ? last.note : message) } } };
  return [...(endsThere ? trace.slice(0, -1) : trace).map((step) => toStep(step, file)), end];
}

const placeOf = (finding: Finding): object => ({ artifactLocation: artifact(finding.file), region: regionOf(finding) });

const toStep = ({ line, note, file }: TraceStep, own: string): object => ({
  location: { physicalLocation: { artifactLocation: artifact(file ?? own), region: { startLine: line } }, message: { text: plain(note) } },
});

function suppressionsOf({ waived, tags }: Finding, waiver: WaiverNote | undefined): readonly object[] {
  if (!waived) return [];
  const inSource = tags.includes(inSourceTag) ? [{ kind: 'inSource', status: 'accepted', justification: 'A comment in the source silences it.' }] : [];
  if (inSource.length > 0 && waiver === undefined) return inSource;
  const kind = waiver?.kind;
  return [...inSource, { kind: 'external', status: 'accepted', ...(waiver !== undefined && { justification: waiver.reason }), ...(kind !== undefined && { properties: { kind } }) }];
}

const regionOf = ({ line, column, end_line, end_column }: Finding): object =>
  ({ startLine: line, startColumn: column, endLine: end_line, endColumn: end_column });

/** A path as a URI reference: relative ones against the root of the repository, absolute ones as `file:`. */
function artifact(file: string): object {
  // encodeURIComponent throws at a lone surrogate.
  const uri = file.replace(/\p{Cs}/gu, '\ufffd').split('/').map(encodeURIComponent).join('/');
  return uri.startsWith('/') ? { uri: `file://${uri}` } : { uri, uriBaseId: '%SRCROOT%' };
}

/** `CWE-89` as GitHub wants it in a tag: at least three digits. */
const cweTag = (cwe: string): string => cwe.toLowerCase().replace(/\d+$/, (digits) => digits.padStart(3, '0'));

/** SARIF takes `[text](target)` in a message for a link; the text of code must not make one. */
const plain = (text: string): string => text.replaceAll('](', '] (');

/** A title as an identifier in Pascal case, as the standard wants the name of a rule. */
const nameOf = (title: string): string =>
  title.split(/[^A-Za-z0-9]+/).filter((word) => word !== '').map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('') || 'Rule';

function helpOfFinding({ rule_id, title, message, severity, confidence, cwe, owasp, remediation, scan_type }: Finding): RuleHelp {
  return { id: rule_id, kind: scan_type, title, severity, confidence, cwe, owasp, why: message, remediation, examples: undefined };
}
