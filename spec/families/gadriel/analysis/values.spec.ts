import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { flagsOf, lastSunk, show, sunk } from './facts.ts';
import { dynamicParts, elementsOf, entryOf, isNone, literalPrefix, literalText, nameOf, numberOf, partsOf, stringOf, truthOf } from '../../../../lib/families/gadriel/domain/analysis/values.ts';

/** `U` is a parameter of no known origin, `T` is tainted. */
const table: readonly (readonly [expression: string, expected: string])[] = [
  ['"a" + "b"', "'ab'"],
  ['"a" "b"', "'ab'"],
  ['"a" + U', "'a'+unknown"],
  ['"a" + T + "b"', "'a'+tainted+'b'"],
  ['"a" + ("b" + T)', "'ab'+tainted"],
  ['b"a" + b"c"', "'ac'"],
  ['f"a{1}b"', "'a1b'"],
  ['f"a{T}b"', "'a'+tainted+'b'"],
  ['f"{T:d}"', 'safe'],
  ['f"{T:>{5}}"', 'tainted'],
  ['f"{T!r}"', 'tainted'],
  ['f"{\'x\'}-{True}-{None}"', "'x-True-None'"],
  ['f"{1.5}"', 'safe'],
  ['"%s=%d" % (T, U)', "tainted+'='+safe"],
  ['"%s" % T', 'tainted'],
  ['"%(a)s %(b)s" % {"a": T, "b": "x"}', "tainted+' x'"],
  ['"%(a)s" % M', 'unknown'],
  ['"100%%" % ()', "'100%'"],
  ['"%r" % T', 'tainted'],
  ['"%s %s" % U', "unknown+' '+unknown"],
  ['U % (T,)', 'unknown+tainted'],
  ['7 % 3', 'safe'],
  ['"{}-{}".format("a", T)', "'a-'+tainted"],
  ['"{1}{0}".format(T, "z")', "'z'+tainted"],
  ['"{a.b}{c[0]}".format(a=T, c=U)', 'tainted+unknown'],
  ['"{{}}{}".format("x")', "'{}x'"],
  ['"{:d}".format(T)', 'safe'],
  ['"{}".format(*U)', 'unknown'],
  ['("a {} " + T).format("b")', "'a b '+tainted+'b'"],
  ['T.format("a")', "tainted+'a'"],
  ['"{x}".format_map({"x": T})', 'tainted'],
  ['", ".join(["a", T])', "'a, '+tainted"],
  ['", ".join(["%s"] * len(U))', "'%s, '+safe"],
  ['", ".join(U)', 'unknown'],
  ['" and ".join(f"{k} = ?" for k in U)', "unknown+' = ? and '+safe"],
  ['"a-b".replace("-", "+")', "'a+b'"],
  ['"a-b".replace("-", T)', "'a-b'+tainted"],
  ['T.replace("x", "y")', 'tainted'],
  ['("q" + T).replace("x", "y")', "'q'+tainted"],
  ['"Ab".lower()', "'ab'"], ['"Ab".upper()', "'AB'"], ['" a ".strip()', "'a'"], ['"a".encode()', "b'a'"], ['b"a".decode()', "'a'"], ['"a".zfill(3)', 'safe'],
  ['("a" + T).encode("utf-8")', "'a'+tainted"],
  ['"a b c".split()', "['a', 'b', 'c']"], ['"a,b".split(",")', "['a', 'b']"],
  ['f"grep {T} x".split()', "['grep', tainted, 'x', …]"],
  ['T.split(",")', '[tainted, …]'], ['T.split(",")[0]', 'tainted'], ['U.split()[0]', 'unknown'],
  ['"x" * 3', "'xxx'"], ['3 * "x"', "'xxx'"], ['"x" * U', 'safe'], ['["a"] * 3', "['a', …]"],
  ['1 + 2', '3'], ['7 - 2', '5'], ['3 * 4', '12'], ['2 ** 10', '1024'], ['7 // 2', '3'], ['0o644 | 0o002', '422'], ['0o777 & ~0o022', '493'], ['1 << 4', '16'], ['256 >> 4', '16'], ['5 ^ 1', '4'],
  ['-5', '-5'], ['+5', '5'], ['~0', '-1'], ['not T', 'safe'], ['2 ** 99', 'safe'], ['1 << 99', 'safe'], ['2 ** 40 | 1', 'safe'],
  ['T + 1', 'tainted'], ['T - U', 'tainted'], ['U * 2', 'unknown'], ['U / 2', 'unknown'],
  ['stat.S_IRUSR | stat.S_IWOTH', '258'],
  ['["a", T][0]', "'a'"], ['["a", T][1]', 'tainted'], ['["a", T][-1]', 'tainted'], ['["a", T][U]', 'tainted'], ['["a", "b"][U]', 'safe'],
  ['["a", T][1:]', "['a', tainted, …]"], ['"abc"[1:]', 'safe'], ['T[1:]', 'tainted'], ['("a" + T)[1:]', 'tainted'],
  ['{"a": 1, "b": T}["a"]', '1'], ['{"a": 1, "b": T}["b"]', 'tainted'], ['{"a": "x", "b": "y"}[U]', 'safe'], ['{"a": "x"}.get(T, "d")', 'safe'],
  ['{"a": "x"}.get("a")', "'x'"], ['{"a": 1, **{"b": 2}}', '{a: 1, b: 2}'], ['{**U, "b": 2}', '{b: 2, …}'], ['{U: 1}', '{, …}'], ['{"a": 1} | {"b": 2}', '{a: 1, b: 2}'],
  ['dict(a=1, b=T)', '{a: 1, b: tainted}'], ['dict({"a": 1}, b=2)', '{a: 1, b: 2}'], ['dict(U)', '{, …}'], ['list({"a": 1}.keys())', "['a']"], ['list({"a": T}.values())', '[tainted, …]'],
  ['(1, *[2, 3])', '(1, 2, 3)'], ['[*U, 1]', '[unknown, 1, …]'], ['{"a", "b"}', "{'a', 'b'}"], ['["a"] + [T]', "['a', tainted]"], ['["a"] + U', "['a', unknown, …]"], ['U + ["a"]', "[unknown, 'a', …]"],
  ['list(("a", T))', "['a', tainted]"], ['tuple(["a"])', "('a')"], ['set()', '{}'], ['sorted(["b"])', "['b']"], ['list(T)', '[tainted, …]'], ['next(iter(["a", T]))', 'tainted'],
  ['[x for x in T]', '[tainted, …]'], ['[x.strip() for x in ["a", "b"]]', '[safe, …]'], ['{k: v for k, v in T.items()}', '{, …}'], ['{x for x in U}', '{unknown, …}'], ['[a for a, b in zip(T, U)]', '[tainted, …]'],
  ['[b for a, b in enumerate(T)]', '[tainted, …]'], ['list(map(int, T))', '[safe, …]'], ['list(map(str, T))', '[tainted, …]'], ['list(filter(None, T))', '[tainted, …]'],
  ['"a" if U else T', 'tainted'], ['"a" if U else "b"', 'safe'], ['"a" if U else "a"', "'a'"], ['U or "d"', 'unknown'], ['T or "d"', 'tainted'], ['T and "d"', 'tainted'],
  ['str(T)', 'tainted'], ['str(5)', "'5'"], ['str("a" + T)', "'a'+tainted"], ['str()', "''"], ['repr(T)', 'tainted'], ['int(T)', 'safe'], ['float(T)', 'safe'], ['bool(T)', 'safe'], ['len(T)', 'safe'],
  ['T.isdigit()', 'safe'], ['T.startswith("a")', 'safe'], ['T.strip()', 'tainted'], ['T == U', 'safe'], ['T.a.b', 'tainted'], ['T.a()', 'tainted'], ['T["k"]', 'tainted'], ['T(1)', 'tainted'],
  ['os.path.join("a", T)', 'tainted'], ['os.path.join("a", "b")', "'a/b'"], ['os.path.basename(T)', 'tainted'], ['pathlib.Path("a") / T', 'tainted'], ['json.loads(T)', 'tainted'], ['base64.b64decode(T)', 'tainted'],
  ['copy.deepcopy(T)', 'tainted'], ['typing.cast(str, T)', 'tainted'], ['io.BytesIO(T)', 'tainted'], ['textwrap.dedent("a" + T)', "'a'+tainted"], ['operator.add("a", T)', "'a'+tainted"], ['operator.mod("%s", T)', 'tainted'],
  ['mystery(T)', 'unknown'], ['mystery(k=T)', 'unknown'], ['fleet.clean(T)', 'unknown'], ['mystery()', 'unknown'], ['lambda a: a', 'safe function'], ['...', 'null'], ['1j', 'NaN'], ['(y := T)', 'tainted'],
  ['await T', 'tainted'], ['(yield T)', 'unknown'], ['(yield)', 'unknown'], ['format(T, "")', 'tainted'], ['getattr(T, "a")', 'tainted'], ['getattr(T, U)', 'tainted'], ['getattr(U, "a", "d")', 'unknown'], ['shlex.join(["a", T])', "'a '+tainted"], ['shlex.join(T)', 'tainted'],
  ['("a %s " + T) % U', "'a '+unknown+' '+tainted"], ['U % V', 'unknown'], ['U % 5', 'safe'], ['U | V', 'unknown'], ['U & 1', 'unknown'], ['T | U', 'tainted'], ['1.5 | 1', 'safe'],
  ['"".join(T.split())', 'tainted+safe'], ['T.encode().decode()', 'tainted'], ['T @ U', 'safe'], ['types.MappingProxyType({"a": 1})', '{a: 1}'], ['tempfile.mkdtemp()', 'safe'], ['sqlalchemy.text("a" + T)', "'a'+tainted"], ['sqlalchemy.text()', 'safe'], ['hashlib.sha256(T).hexdigest()', 'safe'], ['U.get("x")', 'unknown'],
];

describe('values in the analysis engine', () => {
  for (const [expression, expected] of table) {
    it(`takes ${expression} for ${expected}`, () => {
      const source = `import base64, copy, hashlib, sqlalchemy, io, json, operator, os, pathlib, shlex, stat, tempfile, textwrap, types, typing, fleet\nfrom flask import request\nasync def f(U, M, V):\n    T = request.args["q"]\n    sink(${expression})\n`;
      assert.equal(sunk(source), expected);
    });
  }

  it('joins constants written to a container', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['l = []\nl.append("a")\nl.append(T)\nsink(l)', "['a', tainted]"],
      ['l = ["a"]\nl.insert(0, T)\nsink(l)', "['a', tainted, …]"],
      ['l = []\nl.extend(["a", T])\nsink(l)', "['a', tainted]"],
      ['l = []\nl.extend(T)\nsink(l)', '[tainted, …]'],
      ['l = []\nfor x in T:\n    l.append(x)\nsink(l)', '[tainted, tainted, …]'],
      ['l = ["a"]\nl += [T]\nsink(l)', "['a', tainted]"],
      ['l = ["a", T]\nsink(l.pop())', 'tainted'], ['l = ["a"]\nsink(l.copy())', "['a']"], ['l = ["a"]\nsink(l.index("a"))', 'safe'], ['l = ["a"]\nsink(l.shuffle())', 'safe'],
      ['d = {}\nd["a"] = T\nsink(d)', '{a: tainted}'],
      ['d = {"a": 1}\nd["a"] = 2\nsink(d)', '{a: 2}'],
      ['d = {}\nd[T] = 1\nsink(d)', '{, …}'],
      ['d = {}\nd.update({"a": T})\nsink(d)', '{a: tainted}'],
      ['d = {}\nd.update(a=T)\nsink(d)', '{a: tainted}'],
      ['d = {}\nd.update(T)\nsink(d.get("x"))', 'tainted'],
      ['d = {"a": 1}\nsink(d.setdefault("b", T))', 'tainted'],
      ['d = {"a": 1}\nd.setdefault("b", T)\nsink(d)', '{a: 1, b: tainted}'],
      ['d = {"a": T}\nsink(d.copy())', '{a: tainted}'], ['d = {"a": T}\nsink(d.popitem())', 'tainted'], ['d = {"a": 1}\nd.update()\nsink(d)', '{a: 1}'],
      ['o.items.append(T)\nsink(o.items)', 'tainted'],
      ['def g(l):\n    l.append(T)\n    sink(l)', 'tainted'],
      ['def g(l):\n    l.update(T)\n    sink(l)', 'tainted'],
      ['def g(l):\n    l["a"] = T\n    sink(l["b"])', 'tainted'],
      ['def g(l):\n    l["a"] = T\n    sink(l["a"])', 'tainted'],
      ['l = ["a"]\nl[0] = T\nsink(l)', "['a', …]"],
      ['b = io.StringIO()\nb.write("a" + T)\nsink(b.getvalue())', 'tainted'],
      ['b = io.StringIO()\nb.write("a")\nsink(b.getvalue())', 'unknown'],
      ['class A:\n    def __init__(self):\n        self.l = []\n    def go(self):\n        self.l.append(T)\n        sink(self.l)', '[tainted]'],
      ['flask.session["k"] = T\nsink(flask.session["k"])', 'tainted'],
      ['flask.session["k"] = T\nsink(flask.session["z"])', 'unknown'],
      ['d = {"a": 1}\nif o:\n    d = {"a": 1, "b": T}\nsink(d)', '{a: 1, b: tainted, …}'],
      ['d = {"a": 1}\nif o:\n    d["a"] = T\nsink(d)', '{a: tainted}'],
      ['l = ["a"]\nif o:\n    l = ["b", T]\nsink(l)', '[safe, tainted, …]'],
      ['l = ["a"]\nif o:\n    l = ("b", T)\nsink(l)', '(safe, tainted, …)'], ['g = lambda: 1\nif o:\n    def g(): pass\nelse:\n    def g(): return 1\nsink(g)', 'safe function'], ['l = [[[["a"]]]]\nif o:\n    l = [[[[T]]]]\nsink(l)', '[[[[tainted]]]]'],
      ['u = "https://a/" + T\nif o:\n    u = T\nsink(u)', 'tainted'],
      ['u = "https://a/" + T\nif o:\n    u = "x" + T\nsink(u)', "'x'+tainted"],
      ['u = "https://a/" + T\nif o:\n    u = "x" + o\nsink(u)', "'https://a/'+tainted"],
      ['u = None\nif o:\n    u = {"a": 1}\nsink(u)', '{a: 1}'],
      ['u = {"a": 1}\nif o:\n    u = None\nsink(u)', '{a: 1}'],
      ['u = [1]\nif o:\n    u = {"a": T}\nsink(u)', '{a: tainted}'],
      ['q["a"] = T\nsink(q)', 'unknown'], ['f().x["a"] = T\nsink(1)', '1'], ['f()["a"].append(T)\nsink(1)', '1'],
      ['class A:\n    def go(self):\n        self.d = {}\n        self.d["a"] = T\n    def run(self):\n        sink(self.d)', '{a: tainted, …}'],
      ['del T, o\nsink(T)', 'unknown'],
    ];
    for (const [source, expected] of cases) assert.equal(sunk(`import flask, io, sys\nT = flask.request.args["q"]\no = mystery()\n${source}`), expected, source);
  });

  it('reads values by its helper functions', () => {
    const value = lastSunk('from flask import request\nsink("SELECT " + request.args["q"] + " LIMIT 1")');
    assert.equal(literalPrefix(value), 'SELECT ');
    assert.equal(literalText(value, '?'), 'SELECT ? LIMIT 1');
    assert.equal(partsOf(value).length, 3);
    assert.deepEqual(dynamicParts(value, 'sql').map((part) => nameOf(part)), ['flask.request.args[]']);
    assert.deepEqual([partsOf(undefined), dynamicParts(lastSunk('sink("x")'), 'sql'), literalPrefix(lastSunk('sink(x)'))], [[], [], '']);
    assert.equal(stringOf(lastSunk('sink(b"x")')), 'x');
    assert.equal(stringOf(lastSunk('sink(1)')), undefined);
    assert.deepEqual(['1', '2.5', 'True', '"x"', 'None', 'y'].map((text) => numberOf(lastSunk(`sink(${text})`))), [1, 2.5, 1, undefined, undefined, undefined]);
    const truths = ['1', '0', '""', '"a"', 'None', '...', '[]', '[1]', '{}', '{"a": 1}', 'y', '[*y]', '{**y}', 'print', 'lambda: 1'];
    assert.deepEqual(truths.map((text) => truthOf(lastSunk(`sink(${text})`))), [true, false, false, true, false, true, false, true, false, true, undefined, true, undefined, undefined, true]);
    assert.equal(truthOf(lastSunk('def f(): pass\nsink(f)')), true);
    assert.equal(isNone(lastSunk('sink(None)')), true);
    assert.equal(elementsOf(lastSunk('sink([1])'))?.length, 1);
    assert.equal(show(entryOf(lastSunk('sink({"a": 1})'), 'a')), '1');
    assert.equal(elementsOf(undefined), undefined);
  });

  it('bounds what doubling in a loop can make', () => {
    for (const start of ['"abc"', 'input()', '[input()]', '{"a": input()}']) {
      const value = lastSunk(`x = ${start}\n${'x = x + x\n'.repeat(60)}sink(x)`);
      assert.ok(partsOf(value).length <= 64);
      assert.ok((elementsOf(value)?.length ?? 0) <= 128);
    }
    assert.equal(sunk(`x = "a" + input()\n${'x = x + y\n'.repeat(100)}x = x + "z" + input()\nsink(x[0:])`), 'tainted');
    assert.ok((elementsOf(lastSunk(`l = []\n${'l.append(1)\n'.repeat(300)}sink(l)`))?.length ?? 0) <= 128);
    assert.equal(sunk(`d = {}\n${Array.from({ length: 100 }, (_, at) => `d["k${at}"] = 1\n`).join('')}d["z"] = input()\nsink(d["q"])`), 'tainted');
  });
});

describe('flags of values', () => {
  const flags: readonly (readonly [expression: string, flags: string])[] = [
    ['"a" + U', 'built param'], ['U', 'param'], ['U.strip()', 'param'], ['password', 'param secret'], ['obj.api_key', 'secret'], ['cfg["db_password"]', 'secret'], ['token_count', ''], ['obj.password_hash', ''],
    ['os.environ["APP_SECRET"]', 'low secret'], ['os.getenv("API_KEY")', 'low secret'], ['os.environ.get("HOME", "x")', 'low'], ['sys.argv[1]', 'low'], ['input()', 'low'],
    ['requests.get(u).text', 'network'], ['open(p).read()', 'file'], ['open(U).read()', 'file param'], ['random.choice(x)', 'random'], ['"".join(random.choice(x) for _ in y)', 'random'], ['f"{random.random()}"', 'random'],
    ['request.files["f"].filename', 'request upload'], ['request.args["a"]', 'request'], ['mystery(request.args["a"])', 'derived request'],
    ['zipfile.ZipFile(p).namelist()[0]', 'archive'], ['client.chat.completions.create(model="m").choices[0].message.content', 'llm'], ['anything.messages.create(model="m", messages=m).content[0].text', 'llm'],
    ['twilio.messages.create(body="x")', ''], ['ollama.chat(model="m")["message"]["content"]', 'llm'], ['client.generate_content(p).text', 'llm'],
  ];
  for (const [expression, expected] of flags) {
    it(`gives ${expression} the flags "${expected}"`, () => {
      const source = `import ollama, os, random, requests, sys, zipfile\nfrom flask import request\nclient = anything = twilio = mystery2\ndef f(U, password):\n    sink(${expression})\n`;
      assert.equal(flagsOf(lastSunk(source)), expected);
    });
  }
});
