import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ruleById, rules, ruleSets } from '../../../../lib/families/gadriel/domain/rules/index.ts';
import { found } from './rule-kit.ts';

/** Numbers of the catalogue, a prefix each. */
const numbered = (prefix: string, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `CODE-W1-${prefix}-${String(from + index).padStart(3, '0')}`);

describe('rule catalogue', () => {
  it('holds every rule of the design, each once', () => {
    const expected = [...numbered('AI', 601, 608), ...numbered('CONFIG', 1, 5), ...numbered('CRYPTO', 1, 6), ...numbered('L3', 1, 45)];
    assert.deepEqual(rules.map((rule) => rule.id), expected);
  });

  it('finds a rule by its id and nothing by an unknown one', () => {
    assert.equal(ruleById('CODE-W1-L3-017')?.cwe, 'CWE-78');
    assert.equal(ruleById('CODE-W1-SECRET-001'), undefined);
    assert.ok(ruleSets.every((set) => set.matchers.length > 0));
  });

  for (const rule of rules) {
    const short = rule.id.slice('CODE-W1-'.length);
    describe(rule.id, () => {
      it('finds its bad example and nothing of another kind in it', () => {
        const ids = found(rule.bad).map((entry) => entry.split(' ')[1]);
        assert.ok(ids.includes(short), `found ${ids.join(', ') || 'nothing'}`);
      });

      it('finds nothing in its good example', () => {
        assert.deepEqual(found(rule.good), []);
      });

      it('is described in full', () => {
        assert.match(rule.cwe, /^CWE-\d+$/);
        assert.match(rule.message, /\.$/);
        assert.match(rule.remediation, /^[A-Z][^\n]*\.$/);
        assert.ok(rule.title.length <= 72, `title of ${rule.title.length} characters`);
        assert.ok(rule.why.split(/[.:;] /).length >= 2, 'why has two sentences');
        assert.ok(rule.owasp.every((entry) => /^(?:A\d\d:2021|LLM\d\d)$/.test(entry)));
      });
    });
  }
});
