import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { confidences, findingSources, pillars, scanTypes, severities, type Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import { fromOcsf, toOcsf } from '../../../../lib/families/gadriel/domain/records/ocsf.ts';
import { makeFinding } from '../support/finding.ts';
import { assertToolFailed } from '../support/tool-failure.ts';
import { noon } from './records-kit.ts';

const place = fc.integer({ min: 1, max: 1_000_000 });
const text = fc.string({ unit: 'grapheme' });
const name = fc.string({ minLength: 1 });
/** Every key of a finding, the optional ones present or not. */
const anyFinding: fc.Arbitrary<Finding> = fc.record(
  {
    finding_id: name, rule_id: name, title: text, message: text, severity: fc.constantFrom(...severities), confidence: fc.constantFrom(...confidences),
    confidence_score: fc.integer({ min: 0, max: 100 }), cwe: fc.integer({ min: 1, max: 2000 }).map((number) => `CWE-${number}`), file: name, line: place, end_line: place,
    column: place, end_column: place, remediation: text, pillar: fc.constantFrom(...pillars), scan_type: fc.constantFrom(...scanTypes), owasp: fc.array(text),
    tags: fc.array(text), source: fc.constantFrom(...findingSources), fingerprint: text, waived: fc.boolean(), contested: fc.boolean(), contest_rationale: text,
    trace: fc.array(fc.record({ line: place, note: text, file: name }, { requiredKeys: ['line', 'note'] })),
    ai_severity: fc.constantFrom(...severities), attack_path_length: fc.nat(),
  },
  {
    requiredKeys: [
      'finding_id', 'rule_id', 'title', 'message', 'severity', 'confidence', 'confidence_score', 'cwe', 'file', 'line', 'end_line', 'column', 'end_column',
      'remediation', 'pillar', 'scan_type', 'owasp', 'tags', 'source', 'fingerprint', 'trace', 'waived',
    ],
  },
);

type Json = any;
const event = (members: Partial<Finding> = {}): Json => JSON.parse(JSON.stringify(toOcsf(makeFinding(members), noon)));

/** What github.com/ocsf/ocsf-schema requires of a Vulnerability Finding, by path. */
const required = [
  'activity_id', 'category_uid', 'class_uid', 'type_uid', 'time', 'severity_id', 'metadata', 'metadata.version', 'metadata.product', 'finding_info', 'finding_info.uid',
  'vulnerabilities', 'vulnerabilities.0.cwe', 'vulnerabilities.0.affected_code.0.file.name', 'vulnerabilities.0.affected_code.0.file.type_id', 'finding_info.analytic.type_id',
];

function holderOf(root: Json, path: string): [Json, string] {
  const keys = path.split('.');
  const last = keys.pop() as string;
  return [keys.reduce((value, key) => value[key], root), last];
}

describe('a finding as an OCSF event', () => {
  it('comes back with every key as it was', () => {
    fc.assert(fc.property(anyFinding, (finding) => {
      const read = fromOcsf(JSON.parse(JSON.stringify(toOcsf(finding, noon))), 0);
      assert.deepEqual(read, JSON.parse(JSON.stringify(finding)));
    }), { numRuns: 300 });
  });

  it('keeps the order of its keys, so that answers look alike', () => {
    const finding = makeFinding({ contested: true, contest_rationale: 'why', ai_severity: 'low', attack_path_length: 3 });
    assert.deepEqual(Object.keys(fromOcsf(event(finding), 0)).slice(0, 21), Object.keys(makeFinding()).slice(0, 21));
  });

  it('has what the schema requires of class 2002', () => {
    const made = event({ waived: true, severity: 'critical', file: 'src/a b.py' });
    for (const path of required) {
      const [holder, key] = holderOf(made, path);
      assert.ok(holder[key] !== undefined, path);
    }
    assert.deepEqual(
      [made.activity_id, made.category_uid, made.class_uid, made.type_uid, made.time, made.severity_id, made.severity, made.confidence_id, made.status_id],
      [1, 2, 2002, 200201, noon, 5, 'Critical', 3, 3],
    );
    assert.deepEqual(made.vulnerabilities[0].affected_code[0].file, { name: 'a b.py', path: 'src/a b.py', type_id: 1, type: 'Regular File' });
    assert.equal(made.finding_info.analytic.type_id, 1);
    assert.equal(event().status_id, 1);
  });

  it('numbers severities and confidences as the schema does', () => {
    assert.deepEqual(severities.map((severity) => event({ severity }).severity_id), [5, 4, 3, 2, 1]);
    assert.deepEqual(confidences.map((confidence) => event({ confidence }).confidence_id), [3, 2, 1]);
  });
});

describe('an event that was broken by hand', () => {
  const broken = (change: (made: Json) => void): Json => {
    const made = event();
    change(made);
    return made;
  };
  const invalid = (fault: string): string => `.security/findings.json is not valid OCSF: element 7: ${fault}`;
  for (const key of ['activity_id', 'category_uid', 'class_uid', 'type_uid', 'time', 'severity_id', 'metadata', 'finding_info', 'vulnerabilities']) {
    it(`is refused without ${key}, by index and key`, () => {
      assertToolFailed(() => fromOcsf(broken((made) => delete made[key]), 7), invalid(`${key} is missing`));
    });
  }
  const faults: [fault: string, change: (made: Json) => void][] = [
    ['finding_info.uid is missing', (made) => delete made.finding_info.uid],
    ['finding_info.uid must not be empty', (made) => (made.finding_info.uid = '')],
    ['metadata.version is missing', (made) => delete made.metadata.version],
    ['metadata.product is missing', (made) => delete made.metadata.product],
    ['metadata.product.name is missing', (made) => (made.metadata.product = {})],
    ['metadata.product.name is missing', (made) => delete made.metadata.product.name],
    ['metadata.product.vendor_name is missing', (made) => delete made.metadata.product.vendor_name],
    ['severity_id must be 0 to 6, or 99', (made) => (made.severity_id = 9)],
    ['finding_info must be an object', (made) => (made.finding_info = ['uid'])],
    ['finding_info.analytic.uid is missing', (made) => { delete made.finding_info.analytic; delete made.vulnerabilities[0].affected_code[0].rule; }],
    ['category_uid must be 2', (made) => (made.category_uid = 3)],
    ['class_uid must be 2002 or 2004', (made) => (made.class_uid = 2001)],
    ['type_uid must be class_uid times 100 plus activity_id: 200201 with activity_id 1', (made) => (made.type_uid = 200202)],
    ['time must be a whole number from 0 on', (made) => (made.time = '2026')],
    ['severity_id must be a whole number from 0 to 99', (made) => (made.severity_id = 4.5)],
    ['vulnerabilities must not be empty', (made) => (made.vulnerabilities = [])],
    ['vulnerabilities must be a list of objects', (made) => (made.vulnerabilities = [null])],
    ['vulnerabilities[0].cwe needs exactly one of advisory, cve and cwe beside it', (made) => delete made.vulnerabilities[0].cwe],
    ['vulnerabilities[1].cwe needs exactly one of advisory, cve and cwe beside it', (made) => made.vulnerabilities.push({ cwe: { uid: 'CWE-1' }, cve: { uid: 'CVE-1-1' } })],
    ['vulnerabilities[0].cwe.uid is missing', (made) => (made.vulnerabilities[0].cwe = {})],
    ['vulnerabilities[0].affected_code[0].start_line must be a whole number from 1 on', (made) => (made.vulnerabilities[0].affected_code[0].start_line = 0)],
    ['vulnerabilities[0].affected_code[0].file.path must be text', (made) => (made.vulnerabilities[0].affected_code[0].file.path = 5)],
    ['confidence_score must be a whole number from 0 to 100', (made) => (made.confidence_score = 101)],
    ['unmapped.gadriel.pillar must be one of security, compliance, safety, operational, finops, coherence, teamwork, bias', (made) => (made.unmapped.gadriel.pillar = 'W1')],
    ['unmapped.gadriel.waived must be true or false', (made) => (made.unmapped.gadriel.waived = 'yes')],
    ['unmapped.gadriel.tags must be a list of texts', (made) => (made.unmapped.gadriel.tags = [1])],
    ['unmapped.gadriel.trace[0].line is missing', (made) => (made.unmapped.gadriel.trace = [{ note: 'x' }])],
  ];
  for (const [fault, change] of faults) {
    it(`is refused because ${fault}`, () => assertToolFailed(() => fromOcsf(broken(change), 7), invalid(fault)));
  }

  it('is refused where it is no object at all', () => {
    for (const element of [null, 'text', [], 4]) assertToolFailed(() => fromOcsf(element, 7), invalid('it must be an object'));
  });

  it('is never taken for good because of what every object inherits', () => {
    const made = event();
    delete made.metadata;
    Object.setPrototypeOf(made, { metadata: { version: '1', product: { name: 'x' } } });
    assertToolFailed(() => fromOcsf(made, 7), invalid('metadata is missing'));
  });

  it('never crashes the reader, whatever stands in the place of a value', () => {
    const spots = [...required, 'message', 'unmapped', 'unmapped.gadriel', 'unmapped.gadriel.trace', 'unmapped.gadriel.ai_severity', 'vulnerabilities.0.affected_code', 'vulnerabilities.0.remediation'];
    fc.assert(fc.property(fc.constantFrom(...spots), fc.jsonValue(), (path, value) => {
      const made = event();
      const [holder, key] = holderOf(made, path);
      holder[key] = value;
      try {
        assert.equal(typeof fromOcsf(made, 0).rule_id, 'string');
      } catch (error) {
        assert.match((error as Error).message, /^\.security\/findings\.json is not valid OCSF: element 0: /);
      }
    }), { numRuns: 500 });
  });
});

describe('an event of another program', () => {
  const foreign = (members: object): unknown => ({
    activity_id: 2, category_uid: 2, class_uid: 2004, type_uid: 200402, time: 1, severity_id: 4, metadata: { version: '1.1.0', product: { name: 'n', vendor_name: 'v' } },
    finding_info: { uid: 'f-1' }, ...members,
  });

  it('of class 2004 needs no vulnerability and no rule', () => {
    const { finding_id, rule_id, title, severity, file, line, confidence, confidence_score, source, waived } = fromOcsf(foreign({ status_id: 3 }), 0);
    assert.deepEqual([finding_id, rule_id, title, severity, file, line, confidence, confidence_score, source, waived], ['f-1', 'f-1', 'f-1', 'high', '', 1, 'low', 35, 'deterministic', true]);
  });

  it('may have attributes that nobody here knows, and nulls for what it has not', () => {
    const extra = { vendor: { deep: [1] }, resources: [{ uid: 'x' }], unmapped: { other: 1 }, vulnerabilities: null, confidence_id: null, remediation: { desc: 'Update.' } };
    assert.equal(fromOcsf(foreign(extra), 0).remediation, 'Update.');
  });

  it('of class 2002 takes what stands for its rule from its reference', () => {
    const vulnerabilities = [{ cve: { uid: 'CVE-2024-1' }, desc: 'Bad.', affected_code: [{ file: { name: 'a.py' }, start_line: 9 }] }];
    const { rule_id, message, file, line, end_line, cwe } = fromOcsf(foreign({ class_uid: 2002, type_uid: 200202, vulnerabilities }), 0);
    assert.deepEqual([rule_id, message, file, line, end_line, cwe], ['CVE-2024-1', 'Bad.', 'a.py', 9, 9, '']);
  });

  it('is as severe as it says, and unknown is little', () => {
    const severityOf = (severity_id: number): string => fromOcsf(foreign({ severity_id }), 0).severity;
    assert.deepEqual([0, 1, 5, 6, 99].map(severityOf), ['info', 'info', 'critical', 'critical', 'info']);
  });
});
