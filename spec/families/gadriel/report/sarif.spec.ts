import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import type { ReportMeta } from '../../../../lib/families/gadriel/domain/report/report.types.ts';
import { ruleHelps } from '../../../../lib/families/gadriel/domain/report/rule-help.ts';
import { toSarif } from '../../../../lib/families/gadriel/domain/report/sarif.ts';
import { version } from '../../../../lib/version.ts';
import { scanSecrets } from '../../../../lib/secrets/scan.ts';
import { makeFinding } from '../support/finding.ts';
import { sarifFault } from './sarif-schema.ts';

type Log = { readonly runs: readonly [{ readonly tool: { driver: { rules: any[] } }; readonly results: any[] }] };
const meta: ReportMeta = { root: '/home/somebody/repo', now: 0 };

/** The log as a reader gets it, after its JSON; it must be valid. */
function logOf(findings: readonly Finding[], more: Partial<ReportMeta> = {}): Log {
  const log = JSON.parse(JSON.stringify(toSarif(findings, { ...meta, ...more }))) as Log;
  assert.equal(sarifFault(log), undefined);
  return log;
}

const resultOf = (members: Partial<Finding>, more: Partial<ReportMeta> = {}): any => logOf([makeFinding(members)], more).runs[0].results[0];

/** Path, line and text of each step. */
const stepsIn = (codeFlows: any): unknown[] => codeFlows[0].threadFlows[0].locations.map(({ location }: any) =>
  [location.physicalLocation.artifactLocation.uri, location.physicalLocation.region.startLine, location.message.text]);

describe('toSarif', () => {
  it('is checked by a schema that refuses what is broken', () => {
    assert.match(sarifFault({ version: '2.1.0', runs: [{ results: [] }] }) ?? '', /tool/);
    const log = structuredClone(toSarif([makeFinding()], meta)) as Log;
    log.runs[0].results[0].level = 'fatal';
    assert.match(sarifFault(log) ?? '', /level/);
  });

  it('makes a valid log of nothing', () => {
    assert.deepEqual(logOf([]).runs[0].results, []);
  });

  it('places a result in the repository, columns as they are', () => {
    const { ruleId, message, locations } = resultOf({ file: 'src/a b#ü.py', line: 3, end_line: 4, column: 5, end_column: 2 });
    assert.deepEqual({ ruleId, message }, { ruleId: 'CODE-W1-L3-002', message: { text: 'message' } });
    assert.deepEqual(locations[0].physicalLocation, {
      artifactLocation: { uri: 'src/a%20b%23%C3%BC.py', uriBaseId: '%SRCROOT%' },
      region: { startLine: 3, startColumn: 5, endLine: 4, endColumn: 2 },
    });
  });

  const uris: readonly (readonly [string, object])[] = [
    ['/tmp/x.py', { uri: 'file:///tmp/x.py' }],
    ['c:/x.py', { uri: 'c%3A/x.py', uriBaseId: '%SRCROOT%' }],
    ['a\ud800.py', { uri: 'a%EF%BF%BD.py', uriBaseId: '%SRCROOT%' }],
  ];
  for (const [file, location] of uris) {
    it(`writes the path ${JSON.stringify(file)} as a URI`, () => {
      assert.deepEqual(resultOf({ file }).locations[0].physicalLocation.artifactLocation, location);
    });
  }

  const levels = [['critical', 'error', '9.5'], ['high', 'error', '8.0'], ['medium', 'warning', '5.5'], ['low', 'note', '2.5'], ['info', 'note', '0.5']] as const;
  for (const [severity, level, score] of levels) {
    it(`calls ${severity} ${level}, ${score} of 10`, () => {
      const result = resultOf({ severity });
      assert.deepEqual([result.level, result.properties['security-severity']], [level, score]);
    });
  }

  it('tells a trace as a code flow, in its order and across files', () => {
    const { codeFlows } = resultOf({ file: 'a.py', line: 2, trace: [{ line: 1, note: 'read', file: 'b.py' }, { line: 2, note: 'used' }] });
    assert.deepEqual(stepsIn(codeFlows), [['b.py', 1, 'read'], ['a.py', 2, 'used']]);
    assert.ok(!('codeFlows' in resultOf({ trace: [] })));
  });

  for (const [what, members, expected] of [
    ['the last step stands in another line', { line: 9, trace: [{ line: 2, note: 'used' }] }, [['a.py', 2, 'used'], ['a.py', 9, 'message']]],
    ['the last step stands in another file', { line: 2, trace: [{ line: 2, note: 'used', file: 'b.py' }] }, [['b.py', 2, 'used'], ['a.py', 2, 'message']]],
    ['the last step is the place itself', { line: 2, trace: [{ line: 2, note: 'used', file: 'a.py' }] }, [['a.py', 2, 'used']]],
  ] as const) {
    it(`ends a code flow at the place of the result where ${what}`, () => {
      const result = resultOf({ file: 'a.py', ...members });
      assert.deepEqual(stepsIn(result.codeFlows), expected);
      assert.deepEqual(result.codeFlows[0].threadFlows[0].locations.at(-1).location.physicalLocation, result.locations[0].physicalLocation);
    });
  }

  it('names the version of the program', () => {
    assert.equal((logOf([]).runs[0].tool.driver as { version?: string }).version, version);
  });

  it('says for each result whether and why it is suppressed', () => {
    assert.deepEqual(resultOf({}).suppressions, []);
    assert.equal(resultOf({ waived: true, tags: ['suppressed:insource'] }).suppressions[0].kind, 'inSource');
    const waiverOf = (): { reason: string; kind: string } => ({ reason: 'by design', kind: 'accepted_risk' });
    assert.deepEqual(resultOf({ waived: true }, { waiverOf }).suppressions, [
      { kind: 'external', status: 'accepted', justification: 'by design', properties: { kind: 'accepted_risk' } },
    ]);
    // Silenced twice: whoever takes one away must know of the other.
    assert.deepEqual(resultOf({ waived: true, tags: ['suppressed:insource'] }, { waiverOf }).suppressions.map(({ kind, justification }: any) => [kind, justification]), [
      ['inSource', 'A comment in the source silences it.'], ['external', 'by design'],
    ]);
    assert.deepEqual(resultOf({ waived: true }).suppressions, [{ kind: 'external', status: 'accepted' }]);
    // What is not waived has no suppression, whatever the file of waivers says.
    assert.deepEqual(resultOf({}, { waiverOf }).suppressions, []);
  });

  it('carries the fingerprint in its own form and in the form that GitHub compares', () => {
    const fingerprint = 'ab'.repeat(32);
    assert.deepEqual(resultOf({ fingerprint }).partialFingerprints, { 'gadriel/v1': fingerprint, primaryLocationLineHash: `${'ab'.repeat(8)}:1` });
  });

  it('lists each rule once with its help, and points at it', () => {
    const log = logOf([makeFinding({ rule_id: 'CODE-W1-L3-017' }), makeFinding({ rule_id: 'CODE-W1-L3-002' }), makeFinding({ rule_id: 'CODE-W1-L3-017' })]);
    const { rules } = log.runs[0].tool.driver;
    assert.deepEqual(rules.map(({ id }) => id), ['CODE-W1-L3-002', 'CODE-W1-L3-017']);
    assert.deepEqual(log.runs[0].results.map(({ ruleIndex }) => ruleIndex), [1, 0, 1]);
    const [, shell] = rules;
    assert.equal(shell.name, 'SubprocessCallWithShellTrueAndADynamicCommand');
    assert.ok(shell.properties.tags.includes('external/cwe/cwe-078'));
    assert.match(shell.help.text, /\nBad\n[^]*\nGood\n[^]*gadriel:ignore\[L3-017\]/);
    assert.match(shell.help.markdown, /```python\n/);
  });

  it('tells a rule of another program by what its finding says', () => {
    const log = logOf([makeFinding({ rule_id: 'OTHER-1', title: '!', message: 'see [here](1)', cwe: 'CWE-9' })]);
    const [rule] = log.runs[0].tool.driver.rules;
    assert.deepEqual([rule.id, rule.name, rule.fullDescription.text], ['OTHER-1', 'Rule', 'see [here] (1)']);
    assert.equal(log.runs[0].results[0].message.text, 'see [here] (1)');
  });

  it('is valid for every rule that there is', () => {
    const log = logOf(ruleHelps.map(({ id, confidence }) => makeFinding({ rule_id: id, confidence, contested: true })));
    assert.equal(log.runs[0].tool.driver.rules.length, ruleHelps.length);
  });

  it('is valid whatever texts a finding brings along, and the same for the same', () => {
    const text = fc.string({ unit: 'binary', maxLength: 30 });
    fc.assert(fc.property(text, text, text, (file, message, note) => {
      const findings = [makeFinding({ file, message, trace: [{ line: 1, note, file }] })];
      logOf(findings);
      assert.equal(JSON.stringify(toSarif(findings, meta)), JSON.stringify(toSarif(structuredClone(findings), meta)));
    }), { numRuns: 100 });
  });

  it('is no leak itself when it lies in a repository', () => {
    const log = JSON.stringify(toSarif(ruleHelps.map(({ id }) => makeFinding({ rule_id: id })), meta), undefined, 2);
    assert.deepEqual(scanSecrets(log, { path: 'gadriel.sarif' }), []);
  });

  it('holds no path of the machine', () => {
    assert.ok(!JSON.stringify(toSarif([makeFinding()], meta)).includes('somebody'));
  });
});
