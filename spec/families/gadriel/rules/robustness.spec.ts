import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hasNestedRepetition } from '../../../../lib/families/gadriel/domain/rules/patterns.ts';
import { rules } from '../../../../lib/families/gadriel/domain/rules/index.ts';
import { isSecretName, isUnguessableName, wordsOf } from '../../../../lib/families/gadriel/domain/rules/words.ts';
import { findingsOf } from './rule-kit.ts';

/** A text with a piece cut out and another put in its place. */
const broken = fc.record({
  rule: fc.constantFrom(...rules),
  from: fc.nat(),
  length: fc.nat(40),
  insert: fc.constantFrom('', '(', ')', '"', '**', '*', '=', '\n', 'f"{', '[', ': ', 'None', '""', '0'),
});

describe('rules on broken code', () => {
  it('never throw, and every finding names a rule of the catalogue', () => {
    fc.assert(fc.property(broken, ({ rule, from, length, insert }) => {
      const at = from % rule.bad.length;
      const text = rule.bad.slice(0, at) + insert + rule.bad.slice(at + length);
      for (const profile of ['default', 'audit'] as const) {
        for (const finding of findingsOf(text, profile)) assert.ok(rules.some(({ id }) => id === finding.ruleId));
      }
    }), { numRuns: 400 });
  });

  it('give the same findings each time', () => {
    for (const rule of rules) assert.deepEqual(findingsOf(rule.bad), findingsOf(rule.bad));
  });
});

describe('rules on large files', () => {
  /** Each line looks at something large: the module's text, its function's text, a long constant. */
  const lines: readonly (readonly [title: string, head: string, line: string])[] = [
    ['logins', 'import smtplib\nserver = smtplib.SMTP("a.example.org")', 'server.login("a", "b")'],
    ['tools', 'from langchain_community.tools import ShellTool', 'ShellTool()'],
    ['settings', '', 'CORS_ALLOW_ALL_ORIGINS = True'],
    ['tokens', 'import python_jwt', 'python_jwt.process_jwt(a)'],
    ['patterns', `import re\nfrom flask import request\nP = "${'(a'.repeat(2000)}"`, 're.match(P, request.data)'],
    ['commands', `import os\nC = "tar ${'a * '.repeat(2000)}"`, 'os.system(C)'],
    ['statements', `def f(c, x):\n    q = "SELECT ${'a, '.repeat(2500)}" + x`, '    c.execute(q)'],
  ];
  for (const [title, head, line] of lines) {
    it(`take time in step with the number of ${title}`, () => {
      const start = performance.now();
      findingsOf(`${head}\n${`${line}\n`.repeat(4000)}`);
      assert.ok(performance.now() - start < 8000);
    });
  }
});

describe('names and patterns', () => {
  it('take any text', () => {
    fc.assert(fc.property(fc.string(), (text) => {
      assert.equal(typeof hasNestedRepetition(text), 'boolean');
      assert.equal(typeof isSecretName(text), 'boolean');
      assert.equal(typeof isUnguessableName(text), 'boolean');
      assert.ok(wordsOf(text).every((word) => /^[a-z0-9]+$/.test(word)));
    }));
  });

  it('find a repetition around a repetition wherever it stands', () => {
    const plain = fc.stringMatching(/^[a-z,]{0,10}$/);
    fc.assert(fc.property(plain, plain, fc.constantFrom('+', '*', '{2,}'), fc.constantFrom('+', '*'), (before, after, outer, inner) => {
      assert.equal(hasNestedRepetition(`${before}(?:x${inner})${outer}${after}`), true);
      assert.equal(hasNestedRepetition(`${before}(?:x${inner},)${outer}${after}`), false);
    }));
  });
});
