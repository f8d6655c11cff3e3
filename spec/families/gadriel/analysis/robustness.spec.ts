import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createAnalyser } from '../../../../lib/families/gadriel/domain/analysis/analyser.ts';
import type { Matcher } from '../../../../lib/families/gadriel/domain/analysis/model.types.ts';
import { NameTable } from '../../../../lib/families/gadriel/domain/analysis/names.ts';
import { secretName } from '../../../../lib/families/gadriel/domain/analysis/secret-names.ts';
import { parsePython } from '../../../../lib/syntax/python.ts';
import { run } from './facts.ts';

/** Asks everything of every event, as a curious rule would. */
const curious: Matcher = {
  calls: ['*'], assigns: ['*'],
  onCall: (event) => {
    for (const value of event.args) event.report({ ruleId: 'any', value });
    event.valueOf(event.node);
    void [event.feeds, event.insideCalls, event.written];
  },
  onAssign: (event) => void [event.target, event.valueOf(event.valueNode)],
  onReturn: (event) => void event.valueOf(event.node),
  onFunction: () => undefined, onClass: (event) => void event.attribute('x'), onCompare: () => undefined,
};

const deep = (count: number): readonly (readonly [string, string])[] => [
  ['parentheses', `f(${'('.repeat(count)}x${')'.repeat(count)})`],
  ['lists', `${'['.repeat(count)}${']'.repeat(count)}`],
  ['sums', `x = ${'a + '.repeat(count)}f()`],
  ['negations', `${'not '.repeat(count)}x`],
  ['attributes', `x${'.a'.repeat(count)}`],
  ['calls', `x${'.a(1)'.repeat(count)}`],
  ['subscripts', `x${'[0]'.repeat(count)} = 1`],
  ['comparisons', `x${' < x'.repeat(count)}`],
  ['conditions', `def f(x):\n if ${'x in A and '.repeat(count)}x in A: g(x)`],
  ['conditional expressions', `f(${'a if x in B else '.repeat(count)}c)`],
  ['lambdas', `${'lambda: '.repeat(count)}x`],
  ['elif arms', `if a: f()\n${'elif a == 1: f()\n'.repeat(count)}`],
  ['dicts', `${'{"a": '.repeat(count)}1${'}'.repeat(count)}`],
  ['nested loops', `${Array.from({ length: 90 }, (_, at) => `${' '.repeat(at)}for x in y:\n`).join('')}${' '.repeat(91)}z = z + input()`],
  ['nested functions', `${Array.from({ length: 200 }, (_, at) => `${' '.repeat(at)}def f${at}(x):\n`).join('')}${' '.repeat(200)}f(x)`],
  ['doubling texts', `s = input()\n${'s = s + s\n'.repeat(200)}f(s)`],
  ['doubling lists', `l = [input()]\n${'l = [l, l]\n'.repeat(200)}f(l)`],
  ['joined nested lists', `l = []\n${'if a: l = [l, l]\nelse: l = [l, 0]\n'.repeat(100)}f(l)`],
  ['calls of calls', `${Array.from({ length: 300 }, (_, at) => `def f${at}(x): return f${at + 1}(x) + f${at + 1}(x)\n`).join('')}f0(input())`],
  ['recursion', 'def f(x): return f(g(x))\ndef g(x): return f(f(x))\nf(input())'],
  ['classes that inherit from themselves', 'class A(A): pass\nclass B(A):\n def f(self): return self.f().g\nB().f()'],
  ['long chains of classes', `class C0: pass\n${Array.from({ length: 500 }, (_, at) => `class C${at + 1}(C${at}): pass\n`).join('')}C500().foo()`],
  ['jumps', `for x in y:\n${' if x: break\n if y: continue\n z = 1\n'.repeat(500)}f()`],
  ['many elements', `d = {}\n${Array.from({ length: 1000 }, (_, at) => `d["k${at}"] = input()\no.a${at} = 1\n`).join('')}f(d)\no = 1`],
];

describe('hostile code', () => {
  for (const [what, source] of deep(10_000)) {
    it(`with ${what} neither throws nor hangs`, () => {
      const start = performance.now();
      run(source, [curious]);
      assert.ok(performance.now() - start < 20_000);
    });
  }

  it('made of random pieces never throws', () => {
    const pieces = ['def f(x, *a, **k):', 'class A(B):', 'if x in OK:', 'else:', 'elif y:', 'for i in x:', 'while True:', 'try:', 'except E as e:', 'finally:', 'with a as b:', 'match x:', 'case [a, b]:', 'return x', 'x = f(x)',
      'x += "a" % x', 'self.x = x', 'd["a"] = x', 'break', 'continue', 'raise', 'yield x', 'await x', 'global x', 'nonlocal x', 'del x', 'import os', 'from . import *', 'f(*x, **x)', '[a for a in x if a in y]', '{**x, "a": 1}',
      'lambda a=x: a', 'f"{x!r:>{y}}"', '"{}".format(x)', '(', ')', '"', 'x.y.z(1)[2]', '@app.route("/<x>")', 'x: int = 1', 'assert x in y', '\n', '    ', '        '];
    fc.assert(fc.property(fc.array(fc.tuple(fc.nat({ max: 3 }), fc.constantFrom(...pieces)), { maxLength: 30 }), (lines) => {
      const { incomplete } = run(lines.map(([indent, text]) => ' '.repeat(4 * indent) + text).join('\n'), [curious]);
      assert.equal(incomplete, undefined);
    }), { numRuns: 300 });
  });

  it('that needs too many steps is told as incomplete, with what was found before', () => {
    const { incomplete, findings, steps } = run('sink(1)\nsink(2)\nsink(3)\n', [{ calls: ['sink'], onCall: (event) => event.report({ ruleId: 'A' }) }], { budget: 6 });
    assert.match(incomplete ?? '', /budget/);
    assert.equal(findings.length, 1);
    assert.equal(steps, 7);
  });

  it('that makes a matcher fail loses nothing that others find, and says so', () => {
    const { findings, incomplete } = run('sink()\nsink()', [
      { calls: ['sink'], onCall: (event) => { event.valueOf(event.node); throw new RangeError('mine'); } },
      { calls: ['sink'], onCall: (event) => event.report({ ruleId: 'A' }) },
    ]);
    assert.equal(findings.length, 2);
    assert.equal(incomplete, 'a rule failed: RangeError: mine');
  });

  it('that is nested too deeply is told as incomplete', () => {
    assert.match(run(`${'f('.repeat(1000)}${')'.repeat(1000)}`, []).incomplete ?? '', /nested/);
  });
});

describe('one analyser for many modules', () => {
  it('keeps nothing from one to the next', () => {
    const seen: string[] = [];
    const analyser = createAnalyser({ matchers: [{ calls: ['sink'], onCall: (event) => seen.push(String(event.arg(0)?.level)) }] });
    analyser.analyse(parsePython('x = input()\nsink(x)'));
    analyser.analyse(parsePython('sink(x)'));
    analyser.analyse(parsePython('x = 1\nsink(x)'));
    assert.deepEqual(seen, ['2', '1', '0']);
  });

  it('forgets names when there are too many', () => {
    const table = new NameTable({ sources: [], sanitizers: [] });
    assert.equal(table.prune(), false);
    for (let at = 0; at < 200_001; at += 1) table.top(`name${at}`);
    const before = table.top('os');
    assert.equal(table.prune(), true);
    assert.notEqual(table.top('os'), before);
    const analyser = createAnalyser({ matchers: [{ calls: ['eval'], onCall: (event) => event.report({ ruleId: 'A' }) }] });
    for (let round = 0; round < 3; round += 1) {
      const names = Array.from({ length: 80_000 }, (_, at) => `import m${round}_${at}`).join('\n');
      assert.equal(analyser.analyse(parsePython(`${names}\neval(x)`)).findings.length, 1);
    }
  });
});

describe('secret-like names', () => {
  const yes = ['password', 'db_password', 'passwd', 'PASSPHRASE', 'pwd', 'api_key', 'apiKey', 'client_secret', 'access_token', 'token', 'auth_key', 'credentials', 'private_key'];
  const no = ['password_hash', 'token_count', 'tokens', 'tokenize', 'password_field', 'key', 'keyboard', 'secret_name', 'token_type', 'passenger', 'monkey', 'x'.repeat(90)];
  for (const name of yes) it(`says yes to ${name}`, () => assert.equal(secretName(name), true));
  for (const name of no) it(`says no to ${name.slice(0, 20)}`, () => assert.equal(secretName(name), false));
  it('stays right when its cache is emptied', () => {
    for (let at = 0; at < 50_001; at += 1) secretName(`n${at}`);
    assert.equal(secretName('password'), true);
  });
});
