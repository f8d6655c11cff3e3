import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { effectiveRisk, lookupFinding } from '../../../../lib/families/gadriel/domain/records/lookup.ts';
import { makeFinding } from '../support/finding.ts';

describe('looking a finding up', () => {
  const make = (finding_id: string, members: Parameters<typeof makeFinding>[0]): ReturnType<typeof makeFinding> => makeFinding({ finding_id, rule_id: finding_id.slice(0, 2), ...members });
  const findings = [
    make('R1:1', { severity: 'low', file: 'a.py' }),
    make('R1:2', { severity: 'high', confidence: 'low', file: 'a.py' }),
    make('R1:3', { severity: 'medium', confidence: 'high', file: 'b.py', line: 10 }),
    make('R1:4', { severity: 'medium', confidence: 'high', file: 'b.py', line: 9 }),
    make('R1:5', { severity: 'medium', confidence: 'high', file: 'b.py', line: 9, column: 7 }),
    make('R2:1', {}),
  ];

  it('takes the exact id first', () => assert.deepEqual(lookupFinding(findings, 'R1:1'), { finding: findings[0] }));

  it('takes of a rule the first by risk, path and line, and says how many there are', () => {
    assert.deepEqual(lookupFinding(findings, 'R1'), { finding: findings[3], ambiguous: 5 });
    assert.deepEqual(lookupFinding([...findings].reverse(), 'R1'), { finding: findings[3], ambiguous: 5 });
  });

  it('says nothing of being ambiguous for a rule with one finding', () => assert.deepEqual(lookupFinding(findings, 'R2'), { finding: findings[5] }));

  it('finds nothing by a part of an id', () => {
    for (const id of ['', 'R', 'R1:', 'r1:1', 'R1:99']) assert.equal(lookupFinding(findings, id), undefined);
  });

  it('weighs severity times confidence', () => {
    const risks = (['critical', 'high', 'medium', 'low', 'info'] as const).map((severity) => (['high', 'medium', 'low'] as const).map((confidence) => effectiveRisk({ severity, confidence })));
    assert.deepEqual(risks.map((row) => row.map((risk) => Math.round(risk * 1000) / 1000)), [[10, 7, 4], [7, 4.9, 2.8], [4, 2.8, 1.6], [1.5, 1.05, 0.6], [0.5, 0.35, 0.2]]);
  });
});
