import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { capFindings } from '../../../lib/families/gadriel/domain/answer-cap.ts';
import { severities, type Finding } from '../../../lib/families/gadriel/domain/finding.types.ts';
import { makeFinding } from './support/finding.ts';

const sizeOf = (findings: readonly Finding[]): number => findings.reduce((sum, finding) => sum + JSON.stringify(finding).length + 1, 0);
const padded = (size: number, members: Partial<Finding> = {}): Finding => makeFinding({ ...members, message: 'm'.repeat(size) });

describe('capFindings', () => {
  it('leaves everything where it fits, and says nothing of leaving out', () => {
    const findings = [padded(10), padded(20)];
    assert.deepEqual(capFindings(findings), { findings });
    assert.deepEqual(capFindings([]), { findings: [] });
  });

  it('keeps exactly 100 KiB and leaves out at one character more', () => {
    const overhead = sizeOf([padded(0)]);
    const fits = [padded(102_400 - 2 * overhead), padded(0)];
    assert.equal(sizeOf(fits), 102_400);
    assert.equal(capFindings(fits).truncated, undefined);
    assert.equal(capFindings([padded(102_401 - 2 * overhead), padded(0)]).truncated, 1);
  });

  it('keeps the most severe, then the most sure, then the first, in the order that they had', () => {
    const make = (line: number, severity: Finding['severity'], confidence_score: number): Finding => padded(30_000, { line, severity, confidence_score });
    const findings = [make(1, 'low', 90), make(2, 'medium', 35), make(3, 'critical', 35), make(4, 'medium', 90), make(5, 'medium', 35), make(6, 'info', 90)];
    const { findings: kept, truncated } = capFindings(findings);
    assert.deepEqual(kept.map(({ line }) => line), [2, 3, 4]);
    assert.equal(truncated, 3);
  });

  it('leaves out all where not one fits', () => {
    assert.deepEqual(capFindings([padded(200_000), padded(1)]), { findings: [], truncated: 2 });
  });

  it('never passes the cap, never drops a more severe one for a less severe, and counts what it drops', () => {
    const finding = fc.record({ severity: fc.constantFrom(...severities), size: fc.integer({ min: 0, max: 20_000 }) });
    fc.assert(fc.property(fc.array(finding, { maxLength: 30 }), (recipes) => {
      const all = recipes.map(({ severity, size }, index) => padded(size, { severity, line: index + 1 }));
      const { findings, truncated } = capFindings(all);
      assert.ok(sizeOf(findings) <= 102_400);
      assert.equal(findings.length + (truncated ?? 0), all.length);
      const rank = ({ severity }: Finding): number => severities.indexOf(severity);
      const worstKept = Math.max(-1, ...findings.map(rank));
      const dropped = all.filter((one) => !findings.includes(one));
      assert.ok(dropped.every((one) => rank(one) >= worstKept));
    }), { numRuns: 50 });
  });
});
