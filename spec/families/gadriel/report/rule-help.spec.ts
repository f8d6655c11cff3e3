import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ruleHelpOf, ruleHelps, ruleMarkdown, ruleText, silenceOf } from '../../../../lib/families/gadriel/domain/report/rule-help.ts';
import { rules } from '../../../../lib/families/gadriel/domain/rules/index.ts';
import { readSuppressions } from '../../../../lib/families/gadriel/domain/suppressions.ts';
import { detectorTable, scanSecrets } from '../../../../lib/secrets/scan.ts';

describe('the text of a rule', () => {
  it('exists for every rule and detector, once', () => {
    const ids = ruleHelps.map(({ id }) => id);
    for (const { id } of [...rules, ...detectorTable]) assert.equal(ids.filter((each) => each === id).length, 1, id);
    assert.deepEqual(ids, [...ids].sort());
  });

  it('is found by the whole id and by its end, in any case', () => {
    for (const id of ['CODE-W1-L3-017', 'code-w1-l3-017', 'L3-017', 'l3-017']) assert.equal(ruleHelpOf(id)?.id, 'CODE-W1-L3-017');
    assert.equal(ruleHelpOf('L3-999'), undefined);
  });

  it('tells why, the remedy, a bad and a good example and how to silence it', () => {
    const text = ruleText(ruleHelpOf('L3-017') as (typeof ruleHelps)[number]);
    assert.match(text, /^CODE-W1-L3-017: .+\nCWE-78, severity critical, confidence high, A03:2021\n\nWhy\n {2}.+\n\nRemedy\n {2}.+\n\nBad\n {2}[^]+\n\nGood\n {2}[^]+\n\nTo silence it\n {2}#/);
    const markdown = ruleMarkdown(ruleHelpOf('L3-017') as (typeof ruleHelps)[number]);
    assert.match(markdown, /\*\*Remedy:\*\*[^]+Bad:\n\n```python\n[^]+\n```\n\nGood:/);
  });

  it('does without a CWE and examples where a rule has none', () => {
    const help = ruleHelpOf('AI-690') as (typeof ruleHelps)[number];
    assert.match(ruleText(help), /\nseverity low, confidence low\n/);
    assert.doesNotMatch(ruleText(help) + ruleMarkdown(help), /\bBad\b|\bGood\b/);
  });

  it('shows comments that do silence the rule', () => {
    for (const help of ruleHelps) {
      for (const comment of silenceOf(help).filter((line) => line.startsWith('#'))) {
        const suppressions = readSuppressions(comment, [{ start: 0, end: comment.length }], () => 1);
        assert.ok(suppressions.covers({ ruleId: help.id, firstLine: 1, lastLine: 1 }), `${help.id}: ${comment}`);
      }
    }
  });

  it('names rules of MCP configurations too, which no comment silences', () => {
    const help = ruleHelpOf('config-mcp-004') as (typeof ruleHelps)[number];
    assert.equal(help.kind, 'config');
    assert.deepEqual(silenceOf(help), ['gadriel code fix CODE-W2-CONFIG-MCP-004 --false-positive "why"']);
  });

  it('is no leak itself, so that a log with it may lie in a repository', () => {
    for (const help of ruleHelps.filter(({ kind }) => kind !== 'sast')) {
      for (const text of [ruleText(help), JSON.stringify(ruleMarkdown(help))]) assert.deepEqual(scanSecrets(text, { path: 'a.json' }), [], help.id);
    }
  });
});
