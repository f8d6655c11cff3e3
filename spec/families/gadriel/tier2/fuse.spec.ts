import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import { reaches } from '../../../../lib/families/gadriel/cli/show-findings.ts';
import { fuse, fusionMode } from '../../../../lib/families/gadriel/domain/tier2/fuse.ts';
import { makeFinding } from '../support/finding.ts';
import { githubToken } from '../support/sample-secrets.ts';

const sql = makeFinding({ finding_id: 'CODE-W1-L3-014:00000001', rule_id: 'CODE-W1-L3-014', cwe: 'CWE-89', file: 'src/db.py', line: 10, end_line: 12, confidence: 'medium', confidence_score: 65 });
const evil = makeFinding({ finding_id: 'CODE-W1-L3-002:00000002', cwe: 'CWE-95', file: 'src/db.py', line: 30, end_line: 30, severity: 'critical' });
const scanned = { findings: [sql, evil], lineCounts: new Map([['src/db.py', 50]]) };
const item = (members: object = {}): object => ({ cwe: 'CWE-89', severity: 'high', file: 'src/db.py', line: 11, rationale: 'flows into execute', confidence: 'low', kind: 'new_finding', ...members });
const zero = { corroborated: 0, contested: 0, advisory_added: 0, rejected_count: 0, malformed_skipped: 0 };

describe('fuse', () => {
  const counters: readonly (readonly [string, unknown, Partial<typeof zero>, mode?: 'corroborate_only'])[] = [
    ['a new finding on a finding of the scan', item(), { corroborated: 1 }],
    ['one of the same CWE family', item({ cwe: 'CWE-564' }), { corroborated: 1 }],
    ['one three lines before it', item({ line: 7 }), { corroborated: 1 }],
    ['one three lines behind its end', item({ line: 15 }), { corroborated: 1 }],
    ['one four lines before it', item({ line: 6 }), { advisory_added: 1 }],
    ['one four lines behind it', item({ line: 16 }), { advisory_added: 1 }],
    ['one of another family on its line', item({ cwe: 'CWE-79' }), { advisory_added: 1 }],
    ['agreement', item({ kind: 'corroborate' }), { corroborated: 1 }],
    ['agreement with nothing', item({ kind: 'corroborate', line: 40 }), { rejected_count: 1 }],
    ['a contest', item({ kind: 'contest' }), { contested: 1 }],
    ['a contest of nothing', item({ kind: 'contest', line: 40 }), { rejected_count: 1 }],
    ['a new finding alone', item({ cwe: 'CWE-862', line: 40 }), { advisory_added: 1 }],
    ['a new finding alone where nothing is to be added', item({ cwe: 'CWE-862', line: 40 }), { rejected_count: 1 }, 'corroborate_only'],
    ['a new finding on one of the scan where nothing is to be added', item(), { corroborated: 1 }, 'corroborate_only'],
    ['no confidence', item({ confidence: undefined }), { corroborated: 1 }],
    ['another file', item({ file: 'src/other.py' }), { rejected_count: 1 }],
    ['the same file, spelled otherwise', item({ file: './src/db.py' }), { rejected_count: 1 }],
    ['the last line', item({ cwe: 'CWE-862', line: 50 }), { advisory_added: 1 }],
    ['a line past the end', item({ cwe: 'CWE-862', line: 51 }), { rejected_count: 1 }],
    ['a CWE that is not known', item({ cwe: 'CWE-99999' }), { rejected_count: 1 }],
    ['a CWE that is none', item({ cwe: 'sql' }), { rejected_count: 1 }],
    ...[null, undefined, 7, 'x', [], {}, true].map((value) => [`${JSON.stringify(value)}`, value, { malformed_skipped: 1 }] as const),
    ...['cwe', 'file', 'line', 'severity', 'kind', 'rationale'].map((key) => [`a missing ${key}`, item({ [key]: undefined }), { malformed_skipped: 1 }] as const),
    ...[0, -1, 1.5, '11', Number.MAX_VALUE, null].map((line) => [`line ${JSON.stringify(line)}`, item({ line }), { malformed_skipped: 1 }] as const),
    ['an empty rationale', item({ rationale: ' \n' }), { malformed_skipped: 1 }],
    ['an unknown severity', item({ severity: 'High' }), { malformed_skipped: 1 }],
    ['an unknown confidence', item({ confidence: 'sure' }), { malformed_skipped: 1 }],
    ['an unknown kind', item({ kind: 'suppress' }), { malformed_skipped: 1 }],
  ];
  for (const [what, submitted, expected, mode = 'advisory'] of counters) {
    it(`counts ${what} as ${Object.keys(expected)[0]}`, () => {
      const { report, findings } = fuse(scanned, [submitted], mode);
      assert.deepEqual(report, { ...zero, ...expected });
      assert.equal(findings.length, 2 + report.advisory_added);
    });
  }

  it('raises the confidence of a confirmed finding by one step, however often it is confirmed', () => {
    const { findings } = fuse(scanned, [item(), item({ kind: 'corroborate' }), item({ line: 12 })], 'advisory');
    const { confidence, confidence_score, severity, source, tags } = findings.find(({ rule_id }) => rule_id === sql.rule_id) as Finding;
    assert.deepEqual({ confidence, confidence_score, severity, source, tags }, { confidence: 'high', confidence_score: 90, severity: 'high', source: 'fused', tags: ['tier2:corroborated'] });
    const low = fuse({ ...scanned, findings: [{ ...sql, confidence: 'low', confidence_score: 70 }] }, [item()], 'advisory').findings[0];
    assert.deepEqual([low?.confidence, low?.confidence_score], ['medium', 70]);
    const high = fuse(scanned, [item({ cwe: 'CWE-95', line: 30 })], 'advisory').findings[1];
    assert.deepEqual([high?.confidence, high?.source], ['high', 'fused']);
  });

  it('marks a contested finding and leaves all else of it alone', () => {
    const { findings } = fuse(scanned, [item({ kind: 'contest', rationale: 'the table is a constant' })], 'advisory');
    assert.deepEqual(findings, [{ ...sql, contested: true, contest_rationale: 'the table is a constant' }, evil]);
  });

  it('adds what the model alone found as Low, unsure and of its own source, in order of line', () => {
    const { findings } = fuse(scanned, [item({ cwe: 'CWE-862', line: 20, severity: 'critical', confidence: 'high', rationale: 'no owner check' })], 'advisory');
    assert.deepEqual(findings.map(({ line }) => line), [10, 20, 30]);
    const { finding_id, fingerprint, remediation, title, ...rest } = findings[1] as Finding;
    assert.match(finding_id, /^CODE-W1-AI-690:[0-9a-f]{8}$/);
    assert.ok(fingerprint.startsWith(finding_id.slice(-8)) && title !== '' && remediation !== '');
    assert.deepEqual(rest, {
      rule_id: 'CODE-W1-AI-690', message: 'no owner check', severity: 'low', confidence: 'low', confidence_score: 35, cwe: 'CWE-862', file: 'src/db.py', line: 20,
      end_line: 20, column: 1, end_column: 1, pillar: 'security', scan_type: 'ai', owasp: [], tags: ['tier2:advisory'], source: 'ai', trace: [], waived: false,
      ai_severity: 'critical',
    });
  });

  it('gives equal claims ids of their own', () => {
    const { findings } = fuse(scanned, [1, 2].map(() => item({ cwe: 'CWE-862', line: 20 })), 'advisory');
    assert.equal(new Set(findings.map(({ finding_id }) => finding_id)).size, 4);
  });

  it('means the closest finding', () => {
    const near = { ...sql, finding_id: 'near', line: 14, end_line: 14 };
    const { findings } = fuse({ ...scanned, findings: [sql, near] }, [item({ line: 14, kind: 'contest' })], 'advisory');
    assert.deepEqual(findings.map(({ contested }) => contested === true), [false, true]);
  });

  it('takes the fifty most severe of too many', () => {
    const submitted = Array.from({ length: 80 }, (_, index) => item({ cwe: 'CWE-862', line: 40, severity: index < 60 ? 'low' : 'high', rationale: `r${index}` }));
    const { findings, report } = fuse(scanned, submitted, 'advisory');
    assert.deepEqual(report, { ...zero, advisory_added: 50, rejected_count: 30 });
    assert.equal(findings.filter(({ ai_severity }) => ai_severity === 'high').length, 20);
  });

  it('shows neither secrets nor terminal controls nor endless texts of a model', () => {
    const token = githubToken(4);
    const rationale = `the token ${token} \u001b[2J\u202e leaks ${'x '.repeat(50_000)}`;
    const { findings } = fuse(scanned, [item({ cwe: 'CWE-862', line: 40, rationale }), item({ kind: 'contest', rationale })], 'advisory');
    for (const text of [findings[0]?.contest_rationale ?? '', findings[2]?.message ?? '']) {
      assert.ok(text.startsWith('the token *** ') && text.length <= 500);
      assert.doesNotMatch(text, /[\p{Cc}\p{Cf}]/u);
    }
  });

  it('knows two modes', () => {
    assert.deepEqual(['advisory', 'corroborate_only'].map(fusionMode), ['advisory', 'corroborate_only']);
    for (const word of ['', 'Advisory', 'suppress']) assert.throws(() => fusionMode(word), { name: 'InvalidParams', message: 'mode must be advisory or corroborate_only' });
  });
});

describe('fusion of anything', () => {
  const word = (...words: readonly unknown[]): fc.Arbitrary<unknown> => fc.constantFrom(...words, undefined, null, 'odd', 7);
  const file = fc.constantFrom('a.py', 'b.py');
  const cwe = fc.constantFrom('CWE-89', 'CWE-564', 'CWE-79', 'CWE-862', 'CWE-95');
  const line = fc.integer({ min: 1, max: 30 });
  const aiFinding = fc.oneof(
    { weight: 6, arbitrary: fc.record({ cwe, file, line, severity: fc.constantFrom('critical', 'low'), rationale: fc.string({ minLength: 1 }), confidence: fc.constantFrom('high', 'low'), kind: fc.constantFrom('new_finding', 'corroborate', 'contest') }) },
    { weight: 2, arbitrary: fc.record({ cwe: word('CWE-89'), file: word('a.py', 'c.py'), line: word(1, 99), severity: word('high'), rationale: word('r'), confidence: word('low'), kind: word('contest') }) },
    fc.anything(),
  );
  const deterministic = fc.array(fc.record({ cwe, file, line, severity: fc.constantFrom('critical', 'high', 'medium', 'low'), confidence: fc.constantFrom('high', 'medium', 'low'), waived: fc.boolean() }), { maxLength: 6 })
    .map((all) => all.map((members, index) => makeFinding({ ...members, end_line: members.line, finding_id: `F-${index}`, confidence_score: 35 } as Partial<Finding>)));
  const lineCounts = new Map([['a.py', 30], ['b.py', 20]]);
  const mode = fc.constantFrom('advisory' as const, 'corroborate_only' as const);

  it('keeps every finding of the scan with its severity and waiver, and the gate', () => {
    fc.assert(fc.property(deterministic, fc.array(aiFinding, { maxLength: 70 }), mode, (findings, submitted, how) => {
      const fused = fuse({ findings, lineCounts }, submitted, how);
      for (const before of findings) {
        const after = fused.findings.find(({ finding_id }) => finding_id === before.finding_id) as Finding;
        assert.deepEqual([after.severity, after.waived, after.cwe, after.line, after.rule_id], [before.severity, before.waived, before.cwe, before.line, before.rule_id]);
        assert.ok(after.confidence_score >= before.confidence_score);
      }
      for (const gate of ['critical', 'high', 'medium', 'low', 'info'] as const) assert.equal(reaches(fused.findings, gate), reaches(findings, gate));
    }));
  });

  it('adds as many as it says, and counts each submitted one once', () => {
    fc.assert(fc.property(deterministic, fc.array(aiFinding, { maxLength: 70 }), mode, (findings, submitted, how) => {
      const { findings: all, report } = fuse({ findings, lineCounts }, submitted, how);
      assert.equal(all.length, findings.length + report.advisory_added);
      assert.equal(Object.values(report).reduce((sum, each) => sum + each, 0), submitted.length);
      assert.ok(how === 'advisory' || report.advisory_added === 0);
      assert.ok(report.advisory_added + report.contested + report.corroborated <= 50);
      for (const added of all.filter(({ source }) => source === 'ai')) assert.deepEqual([added.severity, added.confidence], ['low', 'low']);
    }));
  });

  it('does not depend on the order of what was submitted', () => {
    const shuffled = fc.array(aiFinding, { maxLength: 70 }).chain((items) => fc.tuple(fc.constant(items), fc.shuffledSubarray(items, { minLength: items.length })));
    fc.assert(fc.property(deterministic, shuffled, mode, (findings, [one, other], how) => {
      assert.deepEqual(fuse({ findings, lineCounts }, one, how), fuse({ findings, lineCounts }, other, how));
    }));
  });
});
