import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { parsePython } from '../../../../lib/syntax/python.ts';
import { createAnalyser } from '../../../../lib/families/gadriel/domain/analysis/analyser.ts';
import type { AssignEvent, ClassEvent, FunctionEvent } from '../../../../lib/families/gadriel/domain/analysis/model.types.ts';
import { hasFlag } from '../../../../lib/families/gadriel/domain/analysis/values.ts';
import { callsOf, run, show } from './facts.ts';

const assignsOf = (source: string, names: readonly string[] = ['*']): AssignEvent[] => {
  const events: AssignEvent[] = [];
  run(source, [{ assigns: names, onAssign: (event) => events.push(event) }]);
  return events;
};

describe('call events', () => {
  it('have positional, keyword and spread arguments', () => {
    const [event] = callsOf('k = {"shell": True}\nsink("a", *["b", "c"], x=1, **k)', ['sink']);
    assert.deepEqual(event?.args.map((value) => show(value)), ["'a'", "'b'", "'c'"]);
    assert.deepEqual([...event?.keywords ?? []].map(([key, value]) => `${key}=${show(value)}`), ['x=1', 'shell=true']);
    assert.deepEqual([event?.openArgs, event?.openKeywords], [false, false]);
    assert.deepEqual([show(event?.arg(0, 'cmd')), show(event?.arg(7, 'x')), show(event?.arg(-1, 'shell')), show(event?.arg(9)), show(event?.arg(9, 'z'))], ["'a'", '1', 'true', 'absent', 'absent']);
  });

  it('say when a spread is not known', () => {
    const [event] = callsOf('sink(*a, **{"x": 1, **b})', ['sink']);
    assert.deepEqual([event?.openArgs, event?.openKeywords, show(event?.arg(-1, 'x'))], [true, true, '1']);
    const [other] = callsOf('sink(**b)', ['sink']);
    assert.equal(other?.openKeywords, true);
  });

  it('know the node of an argument', () => {
    const [event] = callsOf('sink(a, *b, c, k=d)', ['sink']);
    assert.equal(event?.argNode(0)?.value.start, 5);
    assert.equal(event?.argNode(2)?.value.start, 12);
    assert.equal(event?.argNode(-1, 'k')?.value.start, 17);
    assert.equal(event?.argNode(5, 'z'), undefined);
  });

  it('say what the value is used for', () => {
    const source = 'sink()\nx = sink()\nf(sink())\nwith sink() as y: pass\nsink() + 1\ndef g():\n    return sink()\nawait sink()';
    assert.deepEqual(callsOf(source, ['sink']).map((event) => event.use), ['discarded', 'assigned', 'argument', 'with', 'other', 'discarded', 'returned']);
  });

  it('say what the value feeds and which calls are around it', () => {
    const seen: string[] = [];
    run('token = "".join(hash(random()) for _ in x)\nuser.key = f(secret=random())\na, b = random(), 1\nd = {"salt": random()}', [
      { calls: ['random'], onCall: (event) => seen.push(`${event.feeds.join(',')} ${event.insideCalls.join(',')}`) },
    ]);
    assert.deepEqual(seen, ['token hash,join', 'user.key,secret f', 'a,b ', 'd,salt ']);
  });

  it('say where they happen', () => {
    const seen: string[] = [];
    const source = 'class A:\n    def m(self):\n        for x in y:\n            sink(1)\n        try:\n            sink(2)\n        except E:\n            sink(3)\n        def inner():\n            sink(4)\nif __name__ == "__main__":\n    sink(5)\n[sink(6) for x in y]\nwhile sink(7):\n    pass\n';
    run(source, [{ calls: ['sink'], onCall: (event) => seen.push([
      show(event.arg(0)), event.function?.qualifiedName ?? '', event.class?.name ?? '', event.inLoop ? 'loop' : '', event.inTry ? 'try' : '', event.inMain ? 'main' : '', event.statement.type,
    ].join(' ')) }]);
    assert.deepEqual(seen.filter((line, at) => seen.indexOf(line) === at), [
      '5     main Expr', '6   loop   Expr', '7      While', '7   loop   While',
      '1 A.m A loop   Expr', '2 A.m A  try  Expr', '3 A.m A    Expr', '4 A.m.inner A    Expr',
    ]);
  });

  it('have the text of the callee as written and its receiver', () => {
    const [event] = callsOf('self.db.execute(q)', ['execute']);
    assert.equal(event?.written, 'self.db.execute');
    assert.equal(event?.receiverUnknown, true);
    const [call] = callsOf('f().execute(q)', ['execute']);
    assert.equal(call?.written, '');
    const [plain] = callsOf('execute(q)', ['execute']);
    assert.deepEqual([plain?.receiver, plain?.receiverUnknown], [undefined, false]);
    const [text] = callsOf('"a".execute(q)', ['execute']);
    assert.equal(text?.receiverUnknown, false);
    const [self] = callsOf('class A:\n    def f(self):\n        self.execute(q)', ['execute']);
    assert.equal(self?.receiverUnknown, true);
  });

  it('give values of names and expressions where they happen', () => {
    const seen: string[] = [];
    run('x = "a"\npassword = input()\nsink(x, lambda: x + "b", password)', [{ calls: ['sink'], onCall: (event) => {
      const secret = event.argNode(2)?.value;
      const lambda = event.argNode(1)?.value;
      seen.push(show(event.lookup('x')), show(event.lookup('nothing')), lambda?.type === 'Lambda' ? show(event.valueOf(lambda.body)) : '');
      if (secret !== undefined) seen.push(String(hasFlag(event.valueOf(secret), 'secret')));
    } }]);
    assert.deepEqual(seen, ["'a'", 'absent', "'ab'", 'true']);
    const parameter: boolean[] = [];
    run('sink(api_key)', [{ calls: ['sink'], onCall: (event) => { const node = event.argNode(0)?.value; if (node !== undefined) parameter.push(hasFlag(event.valueOf(node), 'secret')); } }]);
    assert.deepEqual(parameter, [true]);
  });

  it('come by keyword, once a call', () => {
    const seen: string[] = [];
    run('a(verify=1)\nb(**{"verify": 1})\nc(**d)\nsink(verify=1, timeout=2)\ne(1)', [{ calls: ['sink'], keywords: ['verify', 'timeout', '**'], onCall: (event) => seen.push(event.last) }]);
    assert.deepEqual(seen, ['a', 'b', 'c', 'sink']);
    seen.length = 0;
    run('a(verify=1)\nb(x=1)\nc(**d)', [{ keywords: ['verify'], onCall: (event) => seen.push(event.last) }, { calls: ['a'], onCall: (event) => seen.push(`${event.last} too`) }]);
    assert.deepEqual(seen, ['a too', 'a']);
  });

  it('come to matchers of the profile only', () => {
    const seen: string[] = [];
    const analyser = createAnalyser({ matchers: [{ profile: 'audit', calls: ['sink'], onCall: ({ module }) => seen.push(module.profile) }, { profile: 'default', calls: ['sink'], onCall: ({ module }) => seen.push(module.profile) }] });
    for (const profile of ['default', 'audit', 'default'] as const) analyser.analyse(parsePython('sink()'), { profile });
    analyser.analyse(parsePython('sink()'));
    assert.deepEqual(seen, ['default', 'audit', 'default', 'default']);
  });

  it('are made for every call when a matcher asks for all', () => {
    assert.deepEqual(callsOf('a(b(1), c.d())', ['*']).map((event) => event.last), ['b', 'd', 'a']);
  });
});

describe('assignment events', () => {
  it('have form, target, last segment, owner, key and level', () => {
    const source = 'import requests\ns = requests.Session()\ns.verify = False\napp.config["DEBUG"] = True\na[i] = 1\nx = y = 2\nclass C:\n    t = 3\ndef f():\n    u = 4\nz += 5\nw: int = 6\n(p, q) = 7, 8\ng().g = 9\n';
    assert.deepEqual(assignsOf(source).map((event) => `${event.form} ${event.target}|${event.last}|${event.owner?.name?.path ?? ''}|${show(event.key)}|${show(event.value)}|${event.level}|${event.operator ?? ''}`), [
      'name s|s||absent|unknown|module|',
      'attribute s.verify|verify|requests.Session()|absent|false|module|',
      "subscript app.config.DEBUG|DEBUG||'DEBUG'|true|module|",
      'subscript |||unknown|1|module|',
      'name x|x||absent|2|module|', 'name y|y||absent|2|module|', 'name t|t||absent|3|class|', 'name z|z||absent|unknown|module|+', 'name w|w||absent|6|module|',
      'name p|p||absent|7|module|', 'name q|q||absent|8|module|', 'attribute |g||absent|9|module|', 'name u|u||absent|4|function|',
    ]);
  });

  it('come by the flags of the value too, once', () => {
    const seen: string[] = [];
    run('import random\na = random.random()\nb = 1\nc = str(a)\nt = random.random()', [{ assigns: ['t'], assignFlags: ['random'], onAssign: (event) => seen.push(event.last) }]);
    assert.deepEqual(seen, ['a', 'c', 't']);
  });

  it('come for the waited-for names only, and not for loop targets', () => {
    assert.equal(assignsOf('a = 1\nb = 2\nfor b in c: pass\nwith x as b: pass', ['b']).length, 1);
  });
});

describe('other events', () => {
  it('tell of returned values, with the route', () => {
    const seen: string[] = [];
    run('from flask import Flask\napp = Flask(__name__)\n@app.route("/")\ndef f():\n    return "a"\ndef g():\n    return\n    return 1\n', [{ onReturn: (event) => seen.push(`${show(event.value)} ${event.route?.framework ?? ''} ${event.node.type}`) }]);
    assert.deepEqual(seen, ["'a' flask Constant", '1  Constant']);
  });

  it('tell of functions with parameters and decorators', () => {
    const events: FunctionEvent[] = [];
    run('import app.auth\nclass A:\n    @app.auth.need("x", level=1)\n    @plain\n    def f(self, a: int = 1, *b, **c): pass\n', [{ onFunction: (event) => events.push(event) }]);
    const info = events[0]?.info;
    assert.equal(info?.qualifiedName, 'A.f');
    assert.equal(info?.class?.name, 'A');
    assert.deepEqual(info?.params.map((param) => `${param.name} ${param.annotation ?? ''} ${show(param.default)}`), ['self  absent', 'a int 1', 'b  absent', 'c  absent']);
    assert.deepEqual(info?.decorators.map(({ name, last, args, keywords }) => `${name} ${last} ${args.map((each) => show(each)).join()} ${[...keywords.keys()].join()}`), ["app.auth.need need 'x' level", 'undefined plain  ']);
  });

  it('tell of classes with bases and attributes', () => {
    const events: string[] = [];
    const note = (event: ClassEvent): void => { events.push(`${event.info.name} ${event.info.bases.join(',')} ${show(event.attribute('x'))} ${show(event.attribute('y'))} ${show(event.attribute('z'))}`); };
    run('import yaml\nclass A(yaml.SafeLoader):\n    x = 1\nclass B(A, metaclass=M):\n    def __init__(self):\n        self.y = 2\n', [{ onClass: note }]);
    assert.deepEqual(events, ['A yaml.SafeLoader 1 absent absent', 'B .A,yaml.SafeLoader 1 2 absent']);
  });

  it('tell of comparisons', () => {
    const seen: string[] = [];
    run('a == "x" != b\nif c in d: pass', [{ onCompare: (event) => seen.push(`${show(event.left)} ${event.op} ${show(event.right)}`) }]);
    assert.deepEqual(seen, ["unknown == 'x'", "'x' != unknown", 'unknown in unknown']);
  });
});

describe('reports', () => {
  it('are sorted, unique by rule and place, and keep the more severe', () => {
    const { findings } = run('sink(1)\nsink(2)', [{ calls: ['sink'], onCall: (event) => {
      event.report({ ruleId: 'B', severity: 'low', confidence: 'low' });
      event.report({ ruleId: 'B', severity: 'high', confidence: 'low', message: 'm', cwe: 'CWE-1', tags: ['t'] });
      event.report({ ruleId: 'B', severity: 'high', confidence: 'low', message: 'later' });
      event.report({ ruleId: 'A', at: { start: 0, end: 3 } });
    } }]);
    assert.deepEqual(findings.map((each) => [each.ruleId, each.start, each.end, each.severity, each.message, each.cwe, each.tags.length]), [
      ['A', 0, 3, undefined, undefined, undefined, 0], ['B', 0, 7, 'high', 'm', 'CWE-1', 1], ['B', 8, 15, 'high', 'm', 'CWE-1', 1],
    ]);
  });

  it('have a trace of at most twelve steps that keeps the source', () => {
    const { findings } = run(`x = input()\n${'y = x\nx = y\n'.repeat(20)}sink(x)`, [{ calls: ['sink'], onCall: (event) => event.report({ ruleId: 'A', value: event.arg(0) }) }]);
    assert.equal(findings[0]?.trace.length, 12);
    assert.deepEqual(findings[0]?.trace[0], { offset: 4, line: 1, note: 'input(): typed in by the user' });
  });
});

describe('the module', () => {
  it('is described by path, imports and profile', () => {
    const seen: string[] = [];
    const look = (source: string, path: string): string => {
      seen.length = 0;
      createAnalyser({ matchers: [{ calls: ['sink'], onCall: ({ module }) => seen.push(`${module.path} ${[...module.imports].join(',')} ${module.isTest} ${module.isSettings} ${module.profile}`) }] })
        .analyse(parsePython(source), { path, profile: 'audit' });
      return seen[0] ?? '';
    };
    assert.equal(look('import os.path\ntry:\n    import a\nexcept E:\n    from b.c import d\nif x:\n    pass\nelse:\n    import e\ndef f():\n    import g\nfrom . import h\nsink()', 'x\\tests\\a.py'), 'x/tests/a.py os,a,b,e,g true false audit');
    assert.equal(look('sink()', 'proj/settings/base.py'), 'proj/settings/base.py  false true audit');
    assert.equal(look('sink()', 'proj/views.py'), 'proj/views.py  false false audit');
    assert.equal(look('sink()', 'proj/test_views.py'), 'proj/test_views.py  true false audit');
  });
});
