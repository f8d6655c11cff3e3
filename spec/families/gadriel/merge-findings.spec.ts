import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { RawFinding } from '../../../lib/families/gadriel/domain/analysis/model.types.ts';
import { leaveSecrets, mergeFindings } from '../../../lib/families/gadriel/domain/merge-findings.ts';
import { makeRaw } from './support/finding.ts';

const raw = (rule: string, members: Partial<RawFinding> = {}): RawFinding => makeRaw({ ruleId: `CODE-W1-${rule}`, ...members });
const merged = (...findings: readonly RawFinding[]): (readonly [string, readonly string[]])[] =>
  mergeFindings(findings).map(({ ruleId, tags }) => [ruleId.slice(8), tags]);

describe('leaveSecrets', () => {
  const password = (start: number, end: number): RawFinding => raw('L3-045', { cwe: 'CWE-259', start, end });
  const left = (findings: readonly RawFinding[], ...secrets: readonly (readonly [number, number])[]): readonly number[] =>
    leaveSecrets(findings, secrets.map(([start, end]) => ({ start, end }))).map(({ start }) => start);

  it('leaves passwords to the secret detectors where these found one in the same place', () => {
    assert.deepEqual(left([password(10, 20), password(30, 40)], [1, 5], [11, 19], [50, 60]), [30]);
  });

  it('keeps what only touches a secret, and findings of other kinds', () => {
    assert.deepEqual(left([password(10, 20), raw('L3-017', { start: 12, end: 18 })], [5, 11], [13, 15], [20, 25]), [12]);
    assert.deepEqual(left([password(10, 20)], [5, 11], [20, 25]), [10]);
    assert.deepEqual(left([password(10, 20)]), [10]);
  });
});

describe('mergeFindings', () => {
  it('leaves one finding of a sink call and CWE family, with the ids of the others as tags', () => {
    assert.deepEqual(merged(raw('L3-006'), raw('L3-017')), [['L3-017', ['CODE-W1-L3-006']]]);
    assert.deepEqual(merged(raw('L3-004', { tags: ['mine'] }), raw('L3-006'), raw('L3-003')), [['L3-003', ['CODE-W1-L3-004', 'CODE-W1-L3-006']]]);
  });

  it('keeps findings of one call whose CWEs are of different families', () => {
    assert.deepEqual(merged(raw('L3-017'), raw('L3-044')), [['L3-017', []], ['L3-044', []]]);
  });

  it('keeps findings of different calls', () => {
    assert.deepEqual(merged(raw('L3-017', { start: 1 }), raw('L3-006', { start: 2 })), [['L3-017', []], ['L3-006', []]]);
  });

  it('goes by the severity that was reported, before that of the rule', () => {
    assert.deepEqual(merged(raw('L3-017', { severity: 'low' }), raw('L3-006')), [['L3-006', ['CODE-W1-L3-017']]]);
  });

  it('takes the more sure one of two that are equally severe', () => {
    assert.deepEqual(merged(raw('L3-015', { severity: 'critical', confidence: 'medium' }), raw('L3-014')), [['L3-014', ['CODE-W1-L3-015']]]);
  });

  it('takes the rule of the narrower kind where all else is equal', () => {
    assert.deepEqual(merged(raw('L3-002'), raw('AI-603', { cwe: 'CWE-95' })), [['AI-603', ['CODE-W1-L3-002']]]);
    assert.deepEqual(merged(raw('AI-603', { cwe: 'CWE-95' }), raw('L3-002')), [['AI-603', ['CODE-W1-L3-002']]]);
  });

  it('goes by the CWE that was reported, before that of the rule', () => {
    assert.equal(merged(raw('AI-603', { cwe: 'CWE-89' }), raw('L3-002')).length, 2);
    assert.equal(merged(raw('AI-603', { cwe: 'CWE-89' }), raw('L3-014')).length, 1);
  });

  it('loses no rule id, and gives the same whatever the order of a group', () => {
    const rules = ['L3-001', 'L3-002', 'L3-003', 'L3-006', 'L3-014', 'L3-015', 'L3-017', 'L3-021', 'L3-044', 'CRYPTO-001', 'AI-603'];
    const groups = fc.uniqueArray(fc.record({ rule: fc.constantFrom(...rules), start: fc.nat({ max: 2 }) }), { selector: ({ rule, start }) => `${rule}@${start}` });
    fc.assert(fc.property(groups, (found) => {
      const raws = found.map(({ rule, start }) => raw(rule, { start }));
      const winners = mergeFindings(raws);
      assert.deepEqual(winners.flatMap(({ ruleId, tags }) => [ruleId, ...tags]).sort(), raws.map(({ ruleId }) => ruleId).sort());
      const named = (list: readonly RawFinding[]): string[] => list.map(({ ruleId, start }) => `${ruleId}@${start}`).sort();
      assert.deepEqual(named(mergeFindings([...raws].reverse())), named(winners));
    }));
  });
});
