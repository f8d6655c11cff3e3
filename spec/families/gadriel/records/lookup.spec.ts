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

  it('passes over what is waived while anything of the rule is not', () => {
    const waive = (...numbers: number[]): typeof findings => findings.map((finding, index) => (numbers.includes(index) ? { ...finding, waived: true } : finding));
    const lookup = (...numbers: number[]): [string | undefined, number | undefined] => {
      const found = lookupFinding(waive(...numbers), 'R1');
      return [found?.finding.finding_id, found?.ambiguous];
    };
    assert.deepEqual([lookup(3), lookup(3, 4), lookup(3, 4, 2, 1)], [['R1:5', 4], ['R1:3', 3], ['R1:1', undefined]]);
    assert.deepEqual(lookup(0, 1, 2, 3, 4), ['R1:4', 5]);
    assert.equal(lookupFinding(waive(0), 'R1:1')?.finding.waived, true);
  });

  it('takes short ids of rules and findings', () => {
    const long = [make('CODE-W1-L3-002:0000000a', { rule_id: 'CODE-W1-L3-002' }), make('CODE-W2-CONFIG-MCP-001:0000000b', { rule_id: 'CODE-W2-CONFIG-MCP-001' })];
    for (const id of ['L3-002', 'l3-002', 'code-w1-l3-002', 'L3-002:0000000a', 'l3-002:0000000A']) assert.deepEqual(lookupFinding(long, id), { finding: long[0] }, id);
    for (const id of ['CONFIG-MCP-001', 'config-mcp-001:0000000b']) assert.deepEqual(lookupFinding(long, id), { finding: long[1] }, id);
    for (const id of ['L3-00', 'L3-0022', 'MCP-001', '3-002']) assert.equal(lookupFinding(long, id), undefined, id);
    // What is called so itself comes first.
    const own = make('L3-002:00000001', { rule_id: 'L3-002' });
    assert.deepEqual(lookupFinding([...long, own], 'L3-002'), { finding: own });
  });

  it('says nothing of being ambiguous for a rule with one finding', () => assert.deepEqual(lookupFinding(findings, 'R2'), { finding: findings[5] }));

  it('finds nothing by a part of an id', () => {
    for (const id of ['', 'R', 'R1:', 'R1:99', 'CODE-W1-R1']) assert.equal(lookupFinding(findings, id), undefined);
  });

  it('weighs severity times confidence', () => {
    const risks = (['critical', 'high', 'medium', 'low', 'info'] as const).map((severity) => (['high', 'medium', 'low'] as const).map((confidence) => effectiveRisk({ severity, confidence })));
    assert.deepEqual(risks.map((row) => row.map((risk) => Math.round(risk * 1000) / 1000)), [[10, 7, 4], [7, 4.9, 2.8], [4, 2.8, 1.6], [1.5, 1.05, 0.6], [0.5, 0.35, 0.2]]);
  });
});
