import { baseScore, type Confidence, type Finding, type Severity } from '../finding.types.ts';
import { readExtras } from './ocsf-extras.ts';
import { fieldsOf, type Fields } from './ocsf-fields.ts';

/** The OCSF schema that the attributes and their requirements are from (github.com/ocsf/ocsf-schema). */
const schemaVersion = '1.9.0-dev';
const vulnerabilityFinding = 2002;
const detectionFinding = 2004;

const severityIds = { info: 1, low: 2, medium: 3, high: 4, critical: 5 } as const satisfies Record<Severity, number>;
const severityCaptions: Readonly<Record<Severity, string>> = { info: 'Informational', low: 'Low', medium: 'Medium', high: 'High', critical: 'Critical' };
const confidenceIds = { low: 1, medium: 2, high: 3 } as const satisfies Record<Confidence, number>;
const confidenceCaptions: Readonly<Record<Confidence, string>> = { low: 'Low', medium: 'Medium', high: 'High' };

/** A finding as an OCSF event of class 2002, Vulnerability Finding; what OCSF has no place for is in `unmapped.gadriel`. `now` in milliseconds. */
export function toOcsf(finding: Finding, now: number): Record<string, unknown> {
  const { finding_id, rule_id, title, message, severity, confidence, confidence_score, cwe, remediation, ...placed } = finding;
  const { file, line, end_line, column, end_column, ...gadriel } = placed;
  const name = file.slice(file.lastIndexOf('/') + 1);
  return {
    activity_id: 1,
    activity_name: 'Create',
    category_uid: 2,
    category_name: 'Findings',
    class_uid: vulnerabilityFinding,
    class_name: 'Vulnerability Finding',
    type_uid: vulnerabilityFinding * 100 + 1,
    time: now,
    severity_id: severityIds[severity],
    severity: severityCaptions[severity],
    confidence_id: confidenceIds[confidence],
    confidence: confidenceCaptions[confidence],
    confidence_score,
    // Suppressed, or new.
    status_id: finding.waived ? 3 : 1,
    status: finding.waived ? 'Suppressed' : 'New',
    message,
    metadata: { version: schemaVersion, product: { name: 'gadriel', vendor_name: 'toolwire' } },
    finding_info: { uid: finding_id, title, analytic: { uid: rule_id, type_id: 1, type: 'Rule' } },
    vulnerabilities: [
      {
        cwe: { uid: cwe },
        affected_code: [
          {
            file: { name, path: file, type_id: 1, type: 'Regular File' },
            start_line: line, end_line, start_column: column, end_column,
            rule: { uid: rule_id },
          },
        ],
        remediation: { desc: remediation },
      },
    ],
    unmapped: { gadriel },
  };
}

/**
 * The flat finding of an OCSF event of class 2002 or 2004, of this program or another's.
 *
 * Attributes that are required must be there and be right, those that are known must be right; others may be anything.
 * Throws ToolFailed that names the element by its index (from 0) and the key.
 */
export function fromOcsf(element: unknown, index: number): Finding {
  const event = fieldsOf(element, index);
  checkEvent(event);
  const info = event.object('finding_info');
  const vulnerability = vulnerabilityOf(event);
  const code = vulnerability?.first('affected_code');
  const file = code?.optionalObject('file');
  const extras = event.optionalObject('unmapped')?.optionalObject('gadriel');
  const finding_id = info.text('uid');
  const ruleId = code?.optionalObject('rule')?.optionalText('uid') ?? info.optionalObject('analytic')?.optionalText('uid');
  // Another program's event need not come from a rule; without its rule one of ours was broken by hand.
  const rule_id = ruleId ?? (extras === undefined ? foreignRule(vulnerability, finding_id) : info.missing('analytic.uid'));
  const line = code?.optionalInteger('start_line', 1) ?? 1;
  const column = code?.optionalInteger('start_column', 1) ?? 1;
  const confidence = wordOf(confidenceIds, event.optionalInteger('confidence_id', 0)) ?? 'low';
  return {
    finding_id,
    rule_id,
    title: info.optionalText('title') ?? rule_id,
    message: event.optionalText('message') ?? info.optionalText('desc') ?? vulnerability?.optionalText('desc') ?? '',
    severity: severityOf(event.integer('severity_id', 0)),
    confidence,
    confidence_score: event.optionalInteger('confidence_score', 0, 100) ?? baseScore[confidence],
    cwe: vulnerability?.optionalObject('cwe')?.optionalText('uid') ?? '',
    file: file?.optionalText('path') ?? file?.text('name') ?? '',
    line,
    end_line: code?.optionalInteger('end_line', 1) ?? line,
    column,
    end_column: code?.optionalInteger('end_column', 1) ?? column,
    remediation: vulnerability?.optionalObject('remediation')?.optionalText('desc') ?? event.optionalObject('remediation')?.optionalText('desc') ?? '',
    ...readExtras(extras, event.optionalInteger('status_id', 0) === 3),
  };
}

/** What the schema requires of both classes. */
function checkEvent(event: Fields): void {
  const activity = event.integer('activity_id', 0, 99);
  event.integer('category_uid', 2, 2);
  const classUid = event.integer('class_uid', 0);
  if (classUid !== vulnerabilityFinding && classUid !== detectionFinding) event.wrong('class_uid', `must be ${vulnerabilityFinding} or ${detectionFinding}`);
  const typeUid = classUid * 100 + activity;
  // Either of the two may be the wrong one.
  if (event.integer('type_uid', 0) !== typeUid) event.wrong('type_uid', `must be class_uid times 100 plus activity_id: ${typeUid} with activity_id ${activity}`);
  event.integer('time', 0);
  const severity = event.integer('severity_id', 0, 99);
  if (severity > 6 && severity !== 99) event.wrong('severity_id', 'must be 0 to 6, or 99');
  const metadata = event.object('metadata');
  metadata.text('version');
  const product = metadata.object('product');
  product.text('name');
  product.text('vendor_name');
}

const references = ['advisory', 'cve', 'cwe'] as const;

/** The first vulnerability, all of them checked; a Detection Finding need not have one. */
function vulnerabilityOf(event: Fields): Fields | undefined {
  if (event.integer('class_uid', 0) === detectionFinding && !event.has('vulnerabilities')) return undefined;
  const vulnerabilities = event.list('vulnerabilities');
  for (const vulnerability of vulnerabilities) {
    const named = references.filter((name) => vulnerability.has(name));
    if (named.length !== 1) vulnerability.wrong('cwe', 'needs exactly one of advisory, cve and cwe beside it');
    for (const name of named) vulnerability.object(name).text('uid');
  }
  return vulnerabilities[0] ?? event.wrong('vulnerabilities', 'must not be empty');
}

const foreignRule = (vulnerability: Fields | undefined, fallback: string): string =>
  references.map((name) => vulnerability?.optionalObject(name)?.optionalText('uid')).find((uid) => uid !== undefined) ?? fallback;

/** 6 is Fatal; 0 Unknown and 99 Other say nothing of how severe it is. */
const severityOf = (id: number): Severity => (id === 6 ? 'critical' : (wordOf(severityIds, id) ?? 'info'));

function wordOf<W extends string>(ids: Readonly<Record<W, number>>, id: number | undefined): W | undefined {
  return (Object.keys(ids) as W[]).find((word) => ids[word] === id);
}
