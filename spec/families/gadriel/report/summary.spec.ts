import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bySeverity, summarise } from '../../../../lib/families/gadriel/domain/report/summary.ts';
import { historyTag } from '../../../../lib/families/gadriel/domain/report/report.types.ts';
import { historyTag as tagOfHistory } from '../../../../lib/families/gadriel/domain/repository/history.ts';
import { makeFinding } from '../support/finding.ts';

const none = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };

describe('summarise', () => {
  it('counts nothing of nothing', () => {
    assert.deepEqual(summarise([]), {
      open: 0, by_severity: none, by_folder: [], by_rule: [], by_scan_type: {}, waived: { in_source: 0, by_waiver: 0 }, advisory: 0, contested: 0, history: 0,
    });
  });

  it('counts what is open apart from what is waived or only a model reports', () => {
    const summary = summarise([
      makeFinding({ severity: 'critical', contested: true }), makeFinding({ severity: 'low', scan_type: 'secrets' }),
      makeFinding({ waived: true }), makeFinding({ waived: true, tags: ['suppressed:insource'] }), makeFinding({ source: 'ai' }), makeFinding({ source: 'ai', waived: true }),
    ]);
    assert.equal(summary.open, 2);
    assert.deepEqual(summary.by_severity, { ...none, critical: 1, low: 1 });
    assert.deepEqual(summary.waived, { in_source: 1, by_waiver: 2 });
    assert.deepEqual([summary.advisory, summary.contested], [1, 1]);
    assert.deepEqual(summary.by_scan_type, { sast: 1, secrets: 1 });
  });

  it('counts those apart that stand in commits alone', () => {
    assert.equal(historyTag, tagOfHistory);
    const tags = [historyTag, 'commit:0123'];
    assert.equal(summarise([makeFinding({ tags }), makeFinding({ tags, waived: true }), makeFinding()]).history, 1);
  });

  it('puts the worst folder and the most frequent rule first, else by name', () => {
    const summary = summarise([
      makeFinding({ file: 'b/x.py', severity: 'high' }), makeFinding({ file: 'b/y.py', severity: 'high' }), makeFinding({ file: 'c/deep/er/z.py', severity: 'critical', rule_id: 'R-2' }),
      makeFinding({ file: 'a/x.py', severity: 'high', rule_id: 'R-1' }), makeFinding({ file: 'a/y.py', severity: 'high', rule_id: 'R-1' }), makeFinding({ file: 'z.py', severity: 'info', rule_id: 'R-0' }),
    ]);
    assert.deepEqual(summary.by_folder.map(({ folder, count }) => [folder, count]), [['c/deep', 1], ['a', 2], ['b', 2], ['.', 1]]);
    assert.deepEqual(summary.by_rule.map(({ rule_id, count }) => [rule_id, count]), [['CODE-W1-L3-002', 2], ['R-1', 2], ['R-0', 1], ['R-2', 1]]);
  });
});

describe('bySeverity', () => {
  it('orders by severity, path, line and rule', () => {
    const ordered = [
      makeFinding({ severity: 'critical', file: 'z.py' }), makeFinding({ file: 'a.py', line: 2 }), makeFinding({ file: 'a.py', line: 10 }),
      makeFinding({ file: 'b.py', rule_id: 'R-1' }), makeFinding({ file: 'b.py', rule_id: 'R-2' }),
    ];
    assert.deepEqual(ordered.toReversed().sort(bySeverity), ordered);
  });
});
