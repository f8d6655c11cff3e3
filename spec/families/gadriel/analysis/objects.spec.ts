import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { callsOf, flagsOf, lastSunk, run, show } from './facts.ts';
import type { Matcher } from '../../../../lib/families/gadriel/domain/analysis/model.types.ts';
import { secretName } from '../../../../lib/families/gadriel/domain/analysis/secret-names.ts';
import { parsePython } from '../../../../lib/syntax/python.ts';

const head = 'import os\nfrom flask import request\nT = request.args["q"]\n';

/** Lines at which what a stranger chose reaches `sink(…)`. */
const reached = (body: string): number[] => {
  const sinkRule: Matcher = { calls: ['sink'], onCall: (event) => {
    const value = event.arg(0);
    if (value?.level === 2) event.report({ ruleId: 'R', value });
  } };
  const module = parsePython(head + body);
  return run(head + body, [sinkRule]).findings.map((finding) => module.lineAt(finding.start) - 3);
};

const reader = 'class R:\n    def __init__(self, p):\n        self.p = p\n    def go(self):\n        sink(self.p)\n';
const base = 'class B:\n    def load(self, p):\n        sink(p)\n';

const cases: readonly (readonly [what: string, body: string, lines: readonly number[]])[] = [
  ['what an object was made with', `${reader}R(T).go()`, [5]],
  ['what an object in a variable was made with', `${reader}def f():\n    r = R(request.args["x"])\n    r.go()\n`, [5]],
  ['what an object was made with, through another method', `${reader}    def run(self):\n        self.go()\nR(T).run()`, [5]],
  ['what an object was made with, by a property', `${reader}    @property\n    def full(self):\n        return "/" + self.p\n    def all(self):\n        sink(self.full)\ndef f():\n    R(T).all()\n`, [10]],
  ['what an object was made with, in a function it is passed to', `${reader}def use(r):\n    sink(r.p)\ndef f():\n    use(R(T))\n`, [7]],
  ['what an object that holds another was made with', `${reader}class S:\n    def __init__(self, r):\n        self.r = r\n    def go(self):\n        self.r.go()\ndef f():\n    S(R(T)).go()\n`, [5]],
  ['what a base\'s constructor was given', `${reader}class D(R):\n    pass\ndef f():\n    D(T).go()\n`, [5]],
  ['what a base\'s constructor was given by super()', `${reader}class D(R):\n    def __init__(self, p):\n        super().__init__(p)\ndef f():\n    D(T).go()\n`, [5]],
  ['a method by super()', `${base}class D(B):\n    def load(self, p):\n        super().load(p)\nD().load(T)`, [3]],
  ['a method by super() with arguments', `${base}class D(B):\n    def load(self, p):\n        super(D, self).load(p)\nD().load(T)`, [3]],
  ['a request that is passed on', 'def rd(r):\n    sink(r.args["x"])\ndef f():\n    rd(request)\n', [2]],
  ['a request that is passed on and read', 'def rd(r):\n    return r.args["x"]\ndef f():\n    sink(rd(request))\n', [4]],
  ['a lambda', 'rd = lambda p: sink(p)\nrd(T)', [1]],
  ['an object whose method a function calls', `${base}def use(b, p):\n    b.load(p)\nuse(B(), T)`, [3]],
  ['a function that a function calls', 'def go(p):\n    sink(p)\ndef use(f, p):\n    f(p)\ndef no(p):\n    pass\nuse(no, T)\nuse(go, T)\nuse(lambda p: sink(p), T)', [2, 9]],
  ['a lambda in a table', 'rd = {"a": lambda p: sink(p)}\nrd["a"](T)', [1]],
  ['a method that a subclass overrides to give it', 'class A:\n    def run(self):\n        sink(self.name())\n    def name(self):\n        raise NotImplementedError\nclass D(A):\n    def name(self):\n        return request.args["x"]\nD().run()', [3]],
  ['an attribute that a subclass sets', 'class A:\n    name = None\n    def run(self):\n        sink(self.name)\nclass D(A):\n    name = T\nD().run()', [4]],
  ['a method that a subclass overrides to use it', 'class A:\n    def run(self, c):\n        self.go(c)\n    def go(self, c):\n        pass\nclass D(A):\n    def go(self, c):\n        sink(c)\nclass E(D):\n    pass\nE().run(T)', [8]],
  ['an annotated local', `${base}def f():\n    r: B = make()\n    r.load(T)\n`, [3]],
  ['an annotated attribute', `${base}class S:\n    def __init__(self):\n        self.r: "B | None" = make()\n    def g(self):\n        self.r.load(T)\n`, [3]],
  ['an annotation in a text', `${base}def f():\n    r: "Optional[B]" = make()\n    r.load(T)\n`, [3]],
];

const safe: readonly (readonly [what: string, body: string])[] = [
  ['another object of the class', `${reader.replace('sink(self.p)', 'return self.p')}one = R(T)\ntwo = R("a")\nsink(two.go())`],
  ['a subclass that overrides with a constant', 'class A:\n    def run(self):\n        sink(self.name())\n    def name(self):\n        return ""\nclass D(A):\n    def name(self):\n        return "a"\nD().run()'],
  ['a lambda that makes a number', 'rd = lambda p: int(p)\nsink(rd(T))'],
  ['an annotation of something known', `${base}r: B = "a"\nsink(r)`],
  ['a base that is not in sight', 'class D(Other):\n    def load(self, p):\n        super().load(p)\nD().load(T)'],
];

describe('objects and functions as values', () => {
  for (const [what, body, lines] of cases) it(`carry taint through ${what}`, () => assert.deepEqual(reached(body), lines));
  for (const [what, body] of safe) it(`carry none through ${what}`, () => assert.deepEqual(reached(body), []));

  it('show the trace of the object at hand, not of the first', () => {
    const body = `${reader.replace('sink(self.p)', 'return self.p')}def f():\n    A = request.args["a"]\n    sink(R(A).go())\ndef g():\n    B = request.args["b"]\n    sink(R(B).go())\n`;
    const traces = run(head + body, [{ calls: ['sink'], onCall: (event) => {
      const value = event.arg(0);
      if (value !== undefined) event.report({ ruleId: 'R', value });
    } }]).findings.map((finding) => finding.trace.map((step) => step.note).find((note) => note.startsWith('assigned to')));
    assert.deepEqual(traces, ['assigned to A', 'assigned to B']);
  });

  it('call a library base by super() by its name', () => {
    const [call] = callsOf('import sqlite3\nclass C(sqlite3.Cursor):\n    def execute(self, q):\n        super().execute(q)\n', ['execute']);
    assert.equal(call?.name, 'sqlite3.Cursor().execute');
  });
});

describe('sources by any kind of import', () => {
  for (const [what, source, flags] of [
    ['a from-import', 'from sys import argv\nsink(argv[1])', 'low'], ['a renamed one', 'from sys import stdin as s\nsink(s.read())', 'low'],
    ['a star import', 'from sys import *\nsink(argv)', 'low'], ['the environment', 'from os import environ\nsink(environ["HOME"])', 'low'],
  ] as const) {
    it(`keep what they say: ${what}`, () => {
      const value = lastSunk(source);
      assert.equal(flagsOf(value), flags);
      assert.ok(value?.trace !== undefined);
    });
  }

  const extra = { extra: { sources: [{ name: 'acme.web.ask', level: 2 as const, flags: [], note: 'asked' }, { name: 'lone', level: 2 as const, flags: [], note: 'asked' }], sanitizers: [{ name: 'acme.web.clean', clears: ['all' as const] }], sinks: ['acme.web.sink'] } };
  const own: readonly (readonly [path: string, source: string, level: string])[] = [
    ['app.py', 'from acme.web import ask as a\nsink(a())', 'tainted'], ['app.py', 'import acme.web as w\nsink(w.ask())', 'tainted'],
    ['src/acme/app.py', 'from .web import ask\nsink(ask())', 'tainted'], ['src/acme/sub/app.py', 'from ..web import ask\nsink(ask())', 'tainted'],
    ['acme/app.py', 'from . import web\nsink(web.ask())', 'tainted'], ['acme/app.py', 'from .web import *\nsink(ask())', 'tainted'],
    ['other/app.py', 'from .web import ask\nsink(ask())', 'unknown'], ['acme/web.py', 'def ask(): return 1\nsink(ask())', 'tainted'],
    ['acme/web/__init__.py', 'def ask(): return 1\nsink(ask())', 'tainted'], ['other/web.py', 'def ask(): return 1\nsink(ask())', '1'],
    ['x.py', 'def lone(): return 1\nsink(lone())', 'tainted'], ['acme/app.py', 'from .web import ask, clean\nsink(clean(ask()))', 'safe'],
    ['acme/web.py', 'def clean(x): return x\nimport sys\nsink(clean(sys.argv))', 'safe'],
  ];
  for (const [path, source, level] of own) it(`know the user's own names: ${path}: ${source.replaceAll('\n', ' ⏎ ')}`, () => assert.equal(show(lastSunk(source, { path }, extra)), level));

  it('say the absolute name of an own sink, and do not look into it', () => {
    const asked: string[] = [];
    const resolveImport = (name: string): undefined => void asked.push(name);
    const [call] = callsOf('from .web import sink as s\ns(1)', ['sink'], { path: 'acme/app.py', resolveImport }, extra);
    assert.deepEqual([call?.name, asked], ['acme.web.sink', []]);
  });
});

describe('what a constant leaves', () => {
  const calls = (source: string): string[] => callsOf(source, ['one', 'two']).map((call) => call.last);
  it('is one side of a conditional expression, where the function itself has bound the constant', () => {
    assert.deepEqual(calls('def f():\n    v = "2"\n    return one() if v == "2" else two()\n'), ['one']);
    assert.deepEqual(calls('def f():\n    v = "2"\n    return one() if v != "2" else two()\n'), ['two']);
    for (const source of ['def f(v="2"):\n    return one() if v == "2" else two()\n', 'v = "2"\ndef f():\n    return one() if v == "2" else two()\n', 'def f():\n    v = 2\n    return one() if v == "2" else two()\n',
      'def f(c):\n    v = "2"\n    if c:\n        v = "3"\n    return one() if v == "2" else two()\n', 'v = "2"\none() if v == "2" else two()\n', 'def f():\n    v = 1\n    return one() if v < 2 else two()\n']) assert.deepEqual(calls(source), ['one', 'two'], source);
  });

  it('is no secret where a token only says where a list goes on', () => {
    assert.deepEqual(['self._starting_token', 'resume_token', 'paging_token', 'lockToken', 'nextForwardToken'].filter(secretName), []);
    assert.deepEqual(['token', 'access_token', 'restarting_service_token'].filter((name) => !secretName(name)), []);
  });
});
