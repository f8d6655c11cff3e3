import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { baselineOf, compareScans, locateFinding } from '../../../../lib/families/gadriel/domain/campaign/compare-scans.ts';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import { makeFinding } from '../support/finding.ts';

const at = (line: number, members: Partial<Finding> = {}): Finding => makeFinding({ line, end_line: line, fingerprint: `f${line}`, ...members });

describe('locateFinding', () => {
  const cases: readonly (readonly [what: string, scan: readonly Finding[], line: number | undefined, taken?: readonly string[]])[] = [
    ['by its fingerprint, wherever it is', [at(10), at(900, { fingerprint: 'wanted' })], 900],
    ['else the nearest of its rule', [at(30), at(12), at(1)], 12],
    ['else none that is far away', [at(36)], undefined],
    ['else none of another rule', [at(10, { rule_id: 'OTHER' })], undefined],
    ['else none that is another item', [at(10), at(14)], 14, ['f10']],
    ['else none', [], undefined],
  ];
  for (const [what, scan, line, taken = []] of cases) {
    it(`finds ${what}`, () => assert.equal(locateFinding(at(10, { fingerprint: 'wanted' }), scan, new Set(taken))?.line, line));
  }
});

describe('a baseline', () => {
  const secret = (start: number, end: number, members: Partial<Finding> = {}): Finding => at(1, { scan_type: 'secrets', rule_id: 'CODE-W1-SECRET-004', column: start, end_column: end, ...members });

  it('holds nothing that is made of a secret', () => {
    const keys = (value: string): unknown => {
      const text = `a = "${value}", "${value}"`;
      return baselineOf([secret(6, 6 + value.length), secret(10 + value.length, 10 + 2 * value.length), at(1)], undefined, text);
    };
    assert.deepEqual(keys('one-secret'), keys('another-secret-of-other-length'));
  });

  it('masks each line of a secret of several lines, and overlapping ones once', () => {
    const keys = (body: string): unknown => {
      const key = secret(6, 4, { end_line: 3 });
      return baselineOf([key, secret(7, 9), at(2), at(3)], key, `k = "${body}\n${body}\n---"\n`);
    };
    assert.deepEqual(keys('AAAA'), keys('BBBBBB'));
  });

  it('does not depend on blanks', () => {
    assert.deepEqual(baselineOf([at(1)], undefined, 'a  =\t1'), baselineOf([at(1)], undefined, '  a = 1  '));
  });
});

describe('compareScans', () => {
  const line = fc.integer({ min: 1, max: 6 });
  const finding = fc.record({ line, rule_id: fc.constantFrom('A', 'B', 'C'), severity: fc.constantFrom('high' as const, 'low' as const) }).map(({ line: where, ...members }) => at(where, members));
  const text = 'one\ntwo\ntwo\nthree\ntwo\nfour\n';
  const scan = fc.array(finding, { minLength: 1, maxLength: 8 });

  it('finds a finding again in an unchanged file, and nothing new', () => {
    fc.assert(fc.property(scan, (findings) => {
      assert.deepEqual(compareScans(baselineOf(findings, findings[0], text), findings, text, 'info'), { kind: 'still_there' });
      assert.deepEqual(compareScans(baselineOf(findings, undefined, text), findings, text, 'info'), { kind: 'unseen' });
    }));
  });

  it('sees that one finding is gone, however lines moved', () => {
    fc.assert(fc.property(scan, fc.integer({ min: 0, max: 5 }), (findings, moved) => {
      const [target, ...others] = findings;
      const after = others.map((each) => ({ ...each, line: each.line + moved }));
      assert.deepEqual(compareScans(baselineOf(findings, target, text), after, '\n'.repeat(moved) + text, 'info'), { kind: 'gone' });
    }));
  });

  it('never calls a finding gone while its line is flagged, whatever became of others of its rule', () => {
    fc.assert(fc.property(scan, fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), (findings, kept) => {
      const [target, ...others] = findings as [Finding, ...Finding[]];
      const verdict = compareScans(baselineOf(findings, target, text), [target, ...others.filter((_, index) => kept[index])], text, 'info');
      assert.equal(verdict.kind, others.some((each, index) => !kept[index] && each.rule_id === target.rule_id && text.split('\n')[each.line - 1] === text.split('\n')[target.line - 1]) ? 'gone' : 'still_there');
    }));
  });

  for (const [what, members, kind] of [
    ['of its family', { cwe: 'CWE-77' }, 'gone'], ['of its family and medium', { cwe: 'CWE-88', severity: 'medium' }, 'gone'],
    ['of its family and high', { cwe: 'CWE-77', severity: 'high' }, 'still_there'], ['of another family', { cwe: 'CWE-79' }, 'gone'], ['of its family and as severe', { cwe: 'CWE-77', severity: 'critical' }, 'regressed'],
  ] as const) {
    it(`tells ${kind} when a finding ${what} is new`, () => {
      const target = at(1, { rule_id: 'A', severity: 'critical', cwe: 'CWE-78' });
      const verdict = compareScans(baselineOf([target], target, text), [at(2, { rule_id: 'B', severity: 'low', ...members })], text, 'critical');
      assert.equal(verdict.kind, kind);
    });
  }

  it('sees what is new, from the severity of the finding on', () => {
    fc.assert(fc.property(scan, fc.constantFrom('high' as const, 'low' as const), (findings, severity) => {
      const [target, ...others] = findings as [Finding, ...Finding[]];
      const after = [...others, at(1, { rule_id: 'NEW', severity, cwe: 'CWE-1' })];
      const verdict = compareScans(baselineOf(findings, target, text), after, text, target.severity);
      assert.deepEqual(verdict, severity === 'low' && target.severity === 'high' ? { kind: 'gone' } : { kind: 'regressed', newRules: ['NEW'] });
    }));
  });
});
