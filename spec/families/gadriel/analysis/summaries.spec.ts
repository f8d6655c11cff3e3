import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { run, show, sunk } from './facts.ts';
import type { Matcher } from '../../../../lib/families/gadriel/domain/analysis/model.types.ts';

const head = 'import os\nfrom flask import request\nT = request.args["q"]\n';
/** Reports what `sink(…)` gets whenever it is tainted or unknown. */
const sinkRule: Matcher = { calls: ['sink'], onCall: (event) => {
  const value = event.arg(0);
  if (value !== undefined && value.level > 0) event.report({ ruleId: 'R', value });
} };

describe('summaries of functions', () => {
  const results: readonly (readonly [what: string, body: string, expected: string])[] = [
    ['a parameter that is returned', 'def g(a):\n    return a\nsink(g(T))', 'tainted'],
    ['a parameter that is returned inside a text', 'def g(a):\n    return "x" + a\nsink(g(T))', "'x'+tainted"],
    ['a parameter that is not returned', 'def g(a):\n    return 1\nsink(g(T))', '1'],
    ['a sanitizer', 'def g(a):\n    return int(a)\nsink(g(T))', 'safe'],
    ['safe arguments', 'def g(a):\n    return "x" + a\nsink(g("b"))', 'safe'],
    ['a keyword argument', 'def g(a, b=1):\n    return b\nsink(g(1, b=T))', 'tainted'],
    ['a default', 'def g(a, b="x"):\n    return b\nsink(g(T))', "'x'"],
    ['star arguments', 'def g(*a):\n    return a[0]\nsink(g(T))', 'tainted'],
    ['double-star arguments', 'def g(**k):\n    return k["a"]\nsink(g(a=T))', 'tainted'],
    ['a spread list', 'def g(a, b):\n    return b\nsink(g(*["x", T]))', 'tainted'],
    ['a spread dict', 'def g(a, b):\n    return b\nsink(g(**{"a": 1, "b": T}))', 'tainted'],
    ['an unknown spread of tainted data', 'def g(a, b):\n    return b\nsink(g(**T))', 'tainted'],
    ['an unknown positional spread of tainted data', 'def g(a, b):\n    return a\nsink(g(*T))', 'tainted'],
    ['a keyword-only parameter', 'def g(*, a):\n    return a\nsink(g(a=T))', 'tainted'],
    ['two ways that return', 'def g(a):\n    if a:\n        return "x"\n    return a\nsink(g(T))', 'tainted'],
    ['a generator', 'def g(a):\n    yield a\nfor x in g(T):\n    sink(x)', 'tainted'],
    ['a nested function', 'def g(a):\n    def h(b):\n        return b\n    return h(a)\nsink(g(T))', 'tainted'],
    ['four calls deep', 'def a(x):\n    return x\ndef b(x):\n    return a(x)\ndef c(x):\n    return b(x)\ndef d(x):\n    return c(x)\nsink(d(T))', 'tainted'],
    ['recursion', 'def g(a):\n    return g(a)\nsink(g(T))', 'unknown'],
    ['mutual recursion', 'def g(a):\n    return h(a) if a else a\ndef h(a):\n    return g(a)\nsink(g(T))', 'tainted'],
    ['a function that reads a tainted global', 'def g():\n    return T\nsink(g())', 'tainted'],
    ['no return', 'def g(a):\n    pass\nsink(g(T))', 'null'],
    ['a method', 'class A:\n    def g(self, a):\n        return a\nsink(A().g(T))', 'tainted'],
    ['a static method', 'class A:\n    @staticmethod\n    def g(a):\n        return a\nsink(A.g(T))', 'tainted'],
    ['a class method', 'class A:\n    @classmethod\n    def g(cls, a):\n        return a\nsink(A.g(T))', 'tainted'],
    ['a constructor argument kept on self', 'class A:\n    def __init__(self, a):\n        self.a = a\n    def go(self):\n        sink(self.a)\nA(T)', 'tainted'],
    ['a dataclass', 'class A:\n    a: str\nx = A(T)\nsink(x.a)', 'tainted'],
    ['a constant of an instance', 'class A:\n    a = "x"\nsink(A().a)', "'x'"],
    ['the argument of its own constructor', 'class A:\n    def __init__(self, a):\n        self.a = a\nx = A("x")\ny = A(T)\nsink(x.a)', "'x'"],
    ['the tainted argument of its own constructor', 'class A:\n    def __init__(self, a):\n        self.a = a\nx = A("x")\ny = A(T)\nsink(y.a)', 'tainted'],
    ['a text that the constructor makes of its argument', 'class A:\n    def __init__(self, a, b="y"):\n        self.a = "z" + a + b\nx = A("x")\ny = A(T)\nsink(x.a)', "'zxy'"],
    ['a default of the constructor', 'class A:\n    def __init__(self, a="d"):\n        self.a = a\nx = A()\ny = A(T)\nsink(x.a)', "'d'"],
    ['something made of harmless arguments', 'class A:\n    def __init__(self, a):\n        self.a = a.strip()\nx = A("x")\ny = A(T)\nsink(x.a)', 'safe'],
    ['either of two instances', 'class A:\n    def __init__(self, a):\n        self.a = a\nx = A("x") if U else A(T)\nsink(x.a)', 'tainted'],
    ['an attribute that is written later', 'class A:\n    def __init__(self, a):\n        self.a = a\n    def set(self, a):\n        self.a = a\nx = A("x")\ny = A("y")\ny.set(T)\nsink(x.a)', 'tainted'],
    ['an enum', 'import enum\nclass A(enum.Enum):\n    X = 1\nsink(A(T))', 'safe'],
    ['a function that is called before it is defined', 'def g(a):\n    return h(a)\ndef h(a):\n    return a\nsink(g(T))', 'tainted'],
  ];
  for (const [what, body, expected] of results) it(`give ${what}`, () => assert.equal(sunk(head + body), expected));

  it('report a sink inside a helper once, at its own place, with the call in the trace', () => {
    const { findings } = run('from flask import request\ndef helper(cmd):\n    text = "ls " + cmd\n    sink(text)\ndef view():\n    value = request.args["d"]\n    helper(value)\n', [sinkRule]);
    assert.equal(findings.length, 1);
    assert.equal(findings[0]?.level, 2);
    assert.deepEqual(findings[0]?.trace.map(({ line, note }) => `${line} ${note}`), [
      '6 flask.request.args: taken from the Flask request', '6 assigned to value', '7 passed to helper() as cmd', '3 put into a string', '3 assigned to text',
    ]);
  });

  it('show each caller the trace of what it passed itself', () => {
    const source = `${head}def build(c):\n    return "x" + c\nsink(build(request.args["a"]))\nsink(build(request.form["b"]))\n`
      + 'def wrap(c):\n    return [c, {"k": c}]\nsink(wrap(request.args["a"]))\nsink(wrap(request.form["b"])[1]["k"])\n';
    const { findings } = run(source, [sinkRule]);
    assert.deepEqual(findings.map(({ trace }) => trace.map(({ note }) => note.replace(/:.*/, '')).join(' > ')), [
      'flask.request.args > passed to build() as c > put into a string > returned by build()',
      'flask.request.form > passed to build() as c > put into a string > returned by build()',
      'flask.request.args > passed to wrap() as c > returned by wrap()',
      'flask.request.form > passed to wrap() as c',
    ]);
  });

  it('remember where a text was put together, however it was', () => {
    for (const text of ['"x" + T', '"x%s" % T', 'f"x{T}"', '"x{}".format(T)', '",".join(["x", T])']) {
      const { findings } = run(`${head}sink(${text})\n`, [sinkRule]);
      assert.equal(findings[0]?.trace.at(-1)?.note, 'put into a string', text);
    }
  });

  it('keep the worse of several reports of one place', () => {
    const { findings } = run('def helper(cmd):\n    sink(cmd)\nhelper("a")\nhelper(input())\nhelper(x)\n', [sinkRule]);
    assert.deepEqual(findings.map((finding) => [finding.level, finding.trace.length]), [[2, 2]]);
  });

  it('follow a sink through four calls and no further', () => {
    const chain = (calls: number): string => `def f0(x):\n    sink(x)\n${Array.from({ length: calls - 1 }, (_, at) => `def f${at + 1}(x):\n    f${at}(x)\n`).join('')}f${calls - 1}(input())\n`;
    assert.equal(run(chain(4), [sinkRule]).findings[0]?.level, 2);
    assert.equal(run(chain(6), [sinkRule]).findings[0]?.level, 1);
  });

  it('tell matchers that a body is walked for a call, with the flag that was passed', () => {
    const seen: string[] = [];
    run('def go(cmd, shell=False):\n    sink(cmd, shell=shell)\ngo(input(), shell=True)\n', [{ calls: ['sink'], onCall: (event) => seen.push(`${event.inCall} ${show(event.keywords.get('shell'))}`) }]);
    assert.ok(seen.includes('true true'));
    assert.ok(seen.includes('false unknown'));
  });

  it('bound the number of walks for one function', () => {
    let calls = 0;
    run(`def g(a, b):\n    sink(a)\n${Array.from({ length: 60 }, (_, at) => `g(input(), ${at})\n`).join('')}`, [{ calls: ['sink'], onCall: () => { calls += 1; } }]);
    assert.ok(calls < 90, String(calls));
  });
});
