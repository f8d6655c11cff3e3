import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importName } from '../../../../lib/families/gadriel/domain/fix/templates/code/add-import.ts';
import { builtString, literalOf } from '../../../../lib/families/gadriel/domain/fix/templates/code/built-string.ts';
import { argumentsEnd, removeKeyword, setKeyword } from '../../../../lib/families/gadriel/domain/fix/templates/code/call-arguments.ts';
import { variableName, variableOf } from '../../../../lib/families/gadriel/domain/fix/templates/secrets/environment-names.ts';
import { openPython } from '../../../../lib/families/gadriel/domain/fix/templates/code/python-code.ts';
import { filterValues, pageValues, quotedValues, shellValues, sqlValues, valueKind } from '../../../../lib/families/gadriel/domain/fix/templates/code/value-kind.ts';
import { applyEdits } from '../../../../lib/families/gadriel/domain/fix/text-edit.ts';
import { makeFinding } from '../support/finding.ts';
import type { PyCall, PyExpr } from '../../../../lib/syntax/python.types.ts';

/** The expression of the last statement. */
function last(text: string): { readonly code: ReturnType<typeof openPython>; readonly node: PyExpr } {
  const code = openPython(text);
  const statement = code.module.body.at(-1);
  assert.ok(statement?.type === 'Expr', text);
  return { code, node: statement.value };
}

describe('builtString', () => {
  for (const [written, pieces] of [
    ['f"a{x}b{y!s}"', ['a', '<x>', 'b', '<y>']], ['"a" "b" + x', ['ab', '<x>']], ['x + "a" + ("b" + y)', ['<x>', 'ab', '<y>']], ['"a" + f"{x!r}"', ['a', '<f"{x!r}">']],
    ['"%s-%d-%i%%" % (x, 1, len(z))', ['<x>', '-', '<1>', '-', '<len(z)>', '%']], ['"a%s" % x', ['a', '<x>']],
    ['"{}{{{1}}}{n}".format(x, y, n=z)', ['<x>', '{', '<y>', '}', '<z>']], ['s = f"a{x}"\ns', ['a', '<x>']], ['"a" + x.y[0]', ['a', '<x.y[0]>']],
  ] as const) {
    it(`takes ${written} apart`, () => {
      const { code, node } = last(written);
      assert.deepEqual(builtString(code, node)?.pieces.map((piece) => (piece.kind === 'text' ? piece.text : `<${code.source(piece.value)}>`)), pieces);
    });
  }

  for (const written of [
    '"a"', 'f"a"', '"a" "b"', 'x', '1 + "a"', 'b"a" + x', 'f"{x!r}"', 'f"{x:>5}"', '"%(n)s" % x', '"%5s" % x', '"%s%s" % x', '"%d" % x', '"%i" % (x / 2)', '"%s" % (x, y)', '"%s" % {"a": 1}', '"%s" % (*x,)',
    '"%s" % params', 'x % y', 'b"%s" % x', '"{} {x.y}".format(x)', '"{:>5}".format(x)', '"{}".format()', '"{}".format(*x)', '"{n}".format(**x)', '"{n}".format(x)',
    'x.format(y)', '"a".join(x)', 's = "a" + x\ns = "b"\ns', 's = "a" + x\nprint(s)\ns', 's = t = "a" + x\ns', '"{".format(x)', 'f(x)', 'def g():\n    global s\ns = "a" + x\ns', 'def g():\n    s = "a" + x\ndef h():\n    return s\ns', 'class A:\n    s = "a" + x\nA(s)',
  ]) {
    it(`leaves ${written.replaceAll('\n', '; ')} alone`, () => {
      const { code, node } = last(written);
      assert.equal(builtString(code, node), undefined);
    });
  }
});

describe('literalOf', () => {
  for (const [text, literal] of [
    ['a', '"a"'], ['a"b', "'a\"b'"], ['a"b\'', '"a\\"b\'"'], ['a\\b', '"a\\\\b"'], ['a\nb', '"a\\nb"'], ['\t\x7f\r', '"\\x09\\x7f\\x0d"'],
  ] as const) {
    it(`writes ${JSON.stringify(text)} as ${literal}`, () => assert.equal(literalOf(openPython(''), text), literal));
  }

  it('keeps lines where they were on lines, in the line ends of the file', () => {
    const { code, node } = last('x = 1\r\nf"""a\r\n{x}"""\r\n');
    assert.equal(literalOf(code, 'a\nb', node), '"""a\r\nb"""');
    assert.equal(literalOf(code, 'a\nb"', node), "'a\\nb\"'");
  });
});

describe('setKeyword and removeKeyword', () => {
  const edited = (written: string, make: (code: ReturnType<typeof openPython>, call: PyCall) => { start: number; end: number; text: string } | undefined): string | undefined => {
    const { code, node } = last(written);
    assert.ok(node.type === 'Call');
    const edit = make(code, node);
    return edit === undefined ? undefined : applyEdits(written, [edit]);
  };
  for (const [before, after] of [
    ['f()', 'f(k=1)'], ['f( )', 'f( k=1)'], ['f(a)', 'f(a, k=1)'], ['f(a,)', 'f(a, k=1)'], ['f((a))', 'f((a), k=1)'], ['f(*a, **b)', 'f(*a, **b, k=1)'], ['f(k=2)', 'f(k=1)'], ['f(k=2, a=3)', 'f(k=1, a=3)'],
    ['(f)(a)', '(f)(a, k=1)'], ['f(a)(b)', 'f(a)(b, k=1)'], ['f(a  # x, )\n)', 'f(a, k=1  # x, )\n)'], ['f(\n    a,  # x\n)', 'f(\n    a,  # x\n    k=1,\n)'], ['f(\n    **a\n)', 'f(\n    **a,\n    k=1\n)'],
    ['f(")")', 'f(")", k=1)'], ['f(a,\n  b)', 'f(a,\n  b,\n  k=1)'],
  ] as const) {
    it(`makes ${JSON.stringify(after)} of ${JSON.stringify(before)}`, () => assert.equal(edited(before, (code, call) => setKeyword(code, call, 'k', '1')), after));
  }
  for (const [before, after] of [
    ['f(k=1)', 'f()'], ['f( k=1 )', 'f()'], ['f(k=1,)', 'f()'], ['f(k=1, a=2)', 'f(a=2)'], ['f(a, k=1)', 'f(a)'], ['f(a, k=(1))', 'f(a)'], ['f(a, k=1, b=2)', 'f(a, b=2)'], ['f(a, k=1, )', 'f(a, )'],
    ['f(\n    k=1,\n    a=2,\n)', 'f(\n    a=2,\n)'], ['f(\n    a,\n    k=1\n)', 'f(\n    a\n)'], ['f(a)', undefined], ['f(a, j=1)', undefined],
  ] as const) {
    it(`makes ${JSON.stringify(after)} of ${JSON.stringify(before)} without k`, () => assert.equal(edited(before, (code, call) => removeKeyword(code, call, 'k')), after));
  }
  it('knows where the arguments end', () => {
    for (const [written, end] of [['f()', 2], ['f((a), (b) )', 10]] as const) assert.equal(argumentsEnd(last(written).code, last(written).node as PyCall), end);
  });
});

describe('importName', () => {
  const imported = (text: string, module: string, member?: string): string | undefined => {
    const found = importName(openPython(text), module, member);
    return found === undefined ? undefined : `${found.name} ${applyEdits(text, found.edits)}`;
  };
  for (const [what, text, module, member, expected] of [
    ['a module', 'import os\n', 'os', undefined, 'os import os\n'], ['its alias', 'import os as o\n', 'os', undefined, 'o import os as o\n'],
    ['a member by its module', 'import html as h\n', 'html', 'escape', 'h.escape import html as h\n'], ['a member by its name', 'from html import escape as e\n', 'html', 'escape', 'e from html import escape as e\n'],
    ['a module of a package', 'from os import path\n', 'os.path', undefined, 'path from os import path\n'], ['nothing by a relative import', 'from .html import escape\n', 'html', 'escape', undefined],
    ['nothing by another module', 'from x import html\n', 'html', undefined, undefined], ['a name that a function means', 'def html(): pass\n', 'html', undefined, undefined],
    ['a name that a class means', 'class html: pass\n', 'html', undefined, undefined], ['a name that a parameter means', 'f = lambda html: 1\n', 'html', undefined, undefined],
    ['a file without a line end', 'import os', 're', undefined, 're import os\nimport re'], ['an empty file', '', 're', undefined, 're import re\n'],
    ['a file that is one comment', '# only', 're', undefined, 're import re\n# only'], ['a member that has to be added', 'x = 1\n', 'a.b', 'c', 'c from a.b import c\nx = 1\n'],
    ['a dotted module that is imported whole', 'import a.b\n', 'a.b', undefined, 'a.b import a.b\n'],
  ] as const) {
    it(`finds or adds ${what}`, () => assert.equal(imported(text, module, member), expected));
  }
});

describe('openPython', () => {
  it('names what imports explain, and where a variable has one value its origin', () => {
    const { code, node } = last('import a.b as ab\nfrom .c import d\nx: int = ab.E()\nwith d.open() as y:\n    pass\nz = 1\nz = 2\n[ab.f, d.g, x.h, y, z.i, q, x().j]\n');
    assert.ok(node.type === 'List');
    assert.deepEqual(node.elements.map((each) => code.nameOf(each)), ['a.b.f', '.c.d.g', undefined, undefined, undefined, undefined, undefined]);
    assert.deepEqual(node.elements.map((each) => code.originOf(each)), ['a.b.f', '.c.d.g', 'a.b.E().h', '.c.d.open()', undefined, undefined, 'a.b.E()().j']);
  });

  it('stops at variables that name one another', () => {
    const { code, node } = last('a = b\nb = a\na\n');
    assert.equal(code.originOf(node), undefined);
  });
});

describe('valueKind', () => {
  const readings = { page: pageValues, shell: shellValues, sql: sqlValues, quoted: quotedValues, filter: filterValues };
  for (const [kind, reading, written] of [
    ['single', 'page', 'x'], ['single', 'page', 'x.name'], ['single', 'page', 'x["content"]'], ['single', 'page', 'x.get("a")'], ['single', 'page', 'x.strip().lower()'], ['single', 'page', 'str(x)'], ['single', 'page', '"a"'],
    ['single', 'page', 'f"a {x}"'], ['single', 'page', '"a%s" % (x, 1)'], ['single', 'page', '"a%s" % x'], ['single', 'page', 'x or "a"'], ['single', 'page', 'x if y else "a"'], ['single', 'page', 'not x'], ['single', 'page', 'x - y'],
    ['single', 'page', 'x == y'], ['single', 'page', 'a, b = "x", 1\na'], ['single', 'page', 'def f(a):\n    pass\na'], ['single', 'quoted', 'f(x)'], ['single', 'shell', 'x["name"]'],
    ['safe', 'page', '1'], ['safe', 'page', 'int(x)'], ['safe', 'page', 'import html\nhtml.escape(x)'], ['safe', 'page', 'a: int = 1\na'], ['safe', 'page', '1 if y else 2'], ['safe', 'shell', 'import shlex\nshlex.quote(x)'],
    ['safe', 'filter', 'from ldap.filter import escape_filter_chars\nescape_filter_chars(x)'],
    ['unsure', 'page', '"<b>"'], ['unsure', 'page', 'f"<b>{x}"'], ['unsure', 'page', 'rows'], ['unsure', 'page', 'x.html'], ['unsure', 'page', 'x["html"]'], ['unsure', 'page', 'x.get("markup")'], ['unsure', 'page', 'f(x)'],
    ['unsure', 'page', 'f(x).strip()'], ['unsure', 'page', 'str(f(x))'], ['unsure', 'page', '"a".join(x)'], ['unsure', 'page', 're.escape(x)'], ['unsure', 'page', 'x.getlist("a")'], ['unsure', 'page', 'await x'], ['unsure', 'page', '[x]'],
    ['unsure', 'page', 'x or f(y)'], ['unsure', 'page', '"%s" % f(x)'], ['unsure', 'page', 'a = "x"\na += y\na'], ['unsure', 'page', '(a := f(x), a)[1] or a'], ['unsure', 'page', 'a = b\nb = a\na'],
    ['unsure', 'shell', '"a b"'], ['unsure', 'sql', '"a"'], ['unsure', 'sql', 'ids'], ['unsure', 'quoted', 'x.replace("a", "b")'], ['unsure', 'quoted', 'db.escape(x)'], ['unsure', 'filter', '"(a=b)"'],
    ['unsure', 'page', 'def f():\n    a = "<b>"\n    def g():\n        return a\na = f\n"x" if y else rows'],
  ] as const) {
    it(`takes ${written.replaceAll('\n', '; ')} for ${kind} in ${reading}`, () => {
      const { code, node } = last(written);
      assert.equal(valueKind(code, node, readings[reading]), kind);
    });
  }

  it('follows a variable into the function around the one that reads it', () => {
    const code = openPython('a = 1\ndef f():\n    a = "<b>"\n    def g():\n        return a\n');
    const use = code.nodes().filter((node) => node.type === 'Name').at(-1) as PyExpr;
    assert.equal(valueKind(code, use, pageValues), 'unsure');
  });
});

describe('variableName', () => {
  for (const [text, tags, expected] of [
    ['HOME = "v"', [], 'HOME_SECRET'], ['LC_ALL = "v"', [], 'LC_ALL_SECRET'], ['HOME = "v"', ['provider:git hub'], 'GIT_HUB_TOKEN'], ['f("v")', [], 'SECRET'], ['f("v")', ['provider:1'], 'SECRET'],
    ['x = {"1": "v"}', [], 'SECRET'], ['x[1] = "v"', [], 'SECRET'], ['x[f()] = "v"', [], 'SECRET'], ['x = {f(): "v"}', [], 'SECRET'], ['a, b = "u", "v"', [], 'SECRET'], ['class A:\n    class B:\n        key = "v"', [], 'A_B_KEY'],
    ['key = "u"\nkey = "v"', [], 'KEY_2'], ['key = "v"\nkey = "v"', [], 'KEY'], ['key = ""\nkey = "v"', [], 'KEY'], ['a = os.environ["KEY"]\nb = os.getenv("KEY_2")\nkey = "v"', [], 'KEY_3'],
    ['a = os.environ["KEY_OTHER"]\nkey = "v"', [], 'KEY'], ['def f(key="u"): pass\nkey = "v"', [], 'KEY'],
  ] as const) {
    it(`calls the value in ${JSON.stringify(text)} ${expected}`, () => {
      const code = openPython(text);
      const place = code.nodes().filter((node): node is PyExpr & { type: 'Constant' } => node.type === 'Constant' && node.value === 'v').at(-1)!;
      assert.equal(variableName(code, place, makeFinding({ tags })), expected);
    });
  }

  it('makes capitals of words', () => {
    for (const [text, name] of [['apiKey', 'API_KEY'], ['a-b.c', 'A_B_C'], ['1', ''], ['__x__', 'X']] as const) assert.equal(variableOf(text), name);
  });
});
