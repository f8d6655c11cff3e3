import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { detectorTable } from '../../../lib/secrets/scan.ts';
import { parsePython } from '../../../lib/syntax/python.ts';
import { foreignIds } from '../../../lib/families/gadriel/domain/foreign-ids.ts';
import { rules } from '../../../lib/families/gadriel/domain/rules/index.ts';
import { statementLines } from '../../../lib/families/gadriel/domain/statement-lines.ts';
import { readSuppressions } from '../../../lib/families/gadriel/domain/suppressions.ts';

const shell = 'CODE-W1-L3-017';
const evaluation = 'CODE-W1-L3-002';
const secret = 'CODE-W1-SECRET-075';

/** Whether a rule is silenced at the text `here` of a Python source. */
function isSilenced(source: string, rule: string, here = 'here'): boolean {
  const module = parsePython(source);
  const suppressions = readSuppressions(source, module.comments, (offset) => module.lineAt(offset));
  const offset = source.indexOf(here);
  assert.notEqual(offset, -1);
  return suppressions.covers({ ruleId: rule, ...statementLines(module, offset) });
}

describe('a suppression comment', () => {
  const forms: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    // comment, what it silences, what it does not
    ['# nosec', [shell, evaluation, secret], []],
    ['#nosec', [shell, secret], []],
    ['# NoSec', [shell], []],
    ['# nosec because the input is ours', [shell, secret], []],
    ['# nosec B602', [shell], [evaluation, secret]],
    ['# nosec: B602', [shell], [evaluation]],
    ['# nosec B602,B307', [shell, evaluation], [secret]],
    ['# nosec B307 B602 - reviewed', [shell, evaluation], [secret]],
    ['# nosec b602', [shell], [evaluation]],
    ['# nosec S602', [shell], [evaluation]],
    ['# nosec B999', [], [shell, evaluation, secret]],
    ['# nosec B101', [], [shell, secret]],
    ['# nosec L3-017', [shell], [evaluation, secret]],
    ['# nosec L3-999', [], [shell, secret]],
    ['# nosec B6055', [], [shell, secret]],
    ['# nosec TRY003 - raised on purpose', [], [shell]],
    ['# nosec: E501', [], [shell]],
    ['# nosec see B101 in the docs', [], [shell]],
    ['# nosec checked against SHA256 sums', [shell], []],
    ['# nosec B105', [secret], [shell]],
    ['# nosec CODE-W1-L3-017', [shell], [evaluation]],
    ['# nosec code-w1-l3-017', [shell], [evaluation]],
    ['# nosec CODE-W1-INJECT-SQL', [], [shell, secret]],
    ['# nosec CONFIG-MCP-001', ['CODE-W2-CONFIG-MCP-001'], [shell, 'CODE-W2-CONFIG-MCP-002']],
    ['# nosec SECRET-OWN-ACME-KEY', ['CODE-W1-SECRET-OWN-ACME-KEY'], [shell, 'CODE-W1-SECRET-OWN-ACME']],
    ['# gadriel:ignore[CONFIG-MCP-001] ours', ['CODE-W2-CONFIG-MCP-001'], [shell, 'CODE-W2-CONFIG-MCP-002']],
    ['# gadriel:ignore[config-mcp-002,CODE-W2-CONFIG-MCP-003]', ['CODE-W2-CONFIG-MCP-002', 'CODE-W2-CONFIG-MCP-003'], [shell]],
    ['# nosecurity here', [], [shell]],
    ['# nosec-policy applies', [], [shell, secret]],
    ['# TODO: drop the nosec once fixed', [], [shell, secret]],
    ['# this needs no nosec', [], [shell, secret]],
    ['# see noqa: S602', [], [shell]],
    ['# type: ignore  # nosec B602', [shell], [evaluation]],
    ['# nosec B602 # B307 is another matter', [shell], [evaluation]],
    ['# noqa', [], [shell, secret]],
    ['# noqa: S602', [shell], [evaluation]],
    ['# noqa:S602,S307', [shell, evaluation], [secret]],
    ['# NOQA : S602', [shell], [evaluation]],
    ['# noqa: E501', [], [shell, secret]],
    ['# noqa: E501, S602', [shell], [evaluation]],
    ['# noqa: CODE-W1-L3-017', [shell], [evaluation]],
    ['# gitleaks:allow', [secret], [shell]],
    ['# gitleaks:allowed', [], [secret]],
    ['# pragma: allowlist secret', [secret], [shell]],
    ['# pragma:allowlist secret', [secret], [shell]],
    ['# pragma: no cover', [], [secret, shell]],
    ['# gadriel:ignore[CODE-W1-L3-017] constant list of hosts', [shell], [evaluation]],
    ['# gadriel:ignore[L3-017]', [shell], [evaluation]],
    ['# gadriel:ignore[ l3-017 , SECRET-075 ]', [shell, secret], [evaluation]],
    ['# gadriel:ignore[L3-017] gadriel:ignore[L3-002]', [shell, evaluation], [secret]],
    ['# gadriel:ignore', [], [shell, secret]],
    ['# gadriel:ignore[]', [], [shell, secret]],
    ['# gadriel:ignore[*]', [], [shell, secret]],
    ['# see https://example.org/nosec', [], [shell]],
    ['# the word nosecond is none', [], [shell]],
  ];
  for (const [comment, covered, open] of forms) {
    it(`${JSON.stringify(comment)} silences ${covered.length === 0 ? 'nothing' : covered.join(', ')}`, () => {
      for (const rule of covered) assert.equal(isSilenced(`here()  ${comment}\n`, rule), true, rule);
      for (const rule of open) assert.equal(isSilenced(`here()  ${comment}\n`, rule), false, rule);
    });
  }

  const silencing: Readonly<Record<string, string>> = {
    'on the first line of a statement of several': 'run(  # nosec\n  a,\n  here,\n)\n',
    'on the last line of a statement of several': 'run(\n  here,\n  a,\n)  # nosec\n',
    'on a line in between': 'run(\n  here,\n  a,  # nosec\n)\n',
    'on a line of its own inside the statement': 'run(\n  # nosec\n  here,\n)\n',
    'after a multi-line string': 'here("""\n  select 1\n""")  # nosec\n',
    'after a multi-line string assigned': 'x = f"""\n{here}\n\n"""  # nosec\n',
    'after a multi-line string with a method call': 'cursor.execute("""\n  {here}\n""".format(\n  a\n))  # nosec\n',
    'after a continued line': 'a = here + \\\n    b  # nosec\n',
    'after another statement of the line': 'a = 1; here()  # nosec\n',
    'behind the header of a block': 'if here(x):  # nosec\n    y()\n',
    'behind a header of several lines': 'if (a and\n    here(x)\n):  # nosec\n    y()\n',
    'behind a header that ends in the line of its body': 'if (a and\n    here(x)): y()  # nosec\n',
    'behind a decorator': '@here(\n  a)  # nosec\ndef f():\n    pass\n',
    'behind the def for its decorator': '@here(a)\ndef f():  # nosec\n    pass\n',
    'behind an elif': 'if a:\n    b\nelif here(x):  # nosec\n    y()\n',
    'behind a for': 'for x in here():  # nosec\n    pass\n',
    'behind a while': 'while here():  # nosec\n    pass\nelse:\n    pass\n',
    'behind a with': 'with here() as x:  # nosec\n    pass\n',
    'behind a def with a default': 'def f(a=here):  # nosec\n    pass\n',
    'behind a class header': 'class A(here):  # nosec\n    pass\n',
    'behind an except': 'try:\n    a\nexcept here:  # nosec\n    pass\n',
    'in the body of a function': 'def f():\n    here()  # nosec\n',
    'in the body of a method, nested deep': 'class A:\n  def f(self):\n    try:\n      with a:\n        for b in c:\n          here()  # nosec\n    finally:\n      pass\n',
    'in an except block': 'try:\n    a\nexcept E:\n    here()  # nosec\nelse:\n    b\n',
    'in an else block': 'if a:\n    b\nelse:\n    here()  # nosec\n',
    'in a finally block': 'try:\n    a\nfinally:\n    here()  # nosec\n',
    'in a case block': 'match a:\n    case 1:\n        here()  # nosec\n',
    'in a block of one line': 'if a: here()  # nosec\n',
    'in the last line of a file that lacks its end': 'here()  # nosec',
    'with line ends of Windows': 'a = 1\r\nhere(\r\n  x)  # nosec\r\nb = 2\r\n',
  };
  for (const [title, source] of Object.entries(silencing)) {
    it(`counts ${title}`, () => assert.equal(isSilenced(source, shell), true));
  }

  const open: Readonly<Record<string, string>> = {
    'inside a string': 'here("# nosec")\n',
    'inside a multi-line string': 'here("""\n# nosec\n""")\n',
    'inside an f-string': 'here(f"{a} # nosec")\n',
    'inside a raw string with a quote': "here(r'\\'# nosec')\n",
    'on the line before': '# nosec\nhere()\n',
    'on the line after': 'here()\n# nosec\n',
    'on the next statement': 'here()\na()  # nosec\n',
    'on another statement of the block': 'if a:\n    here()\n    b()  # nosec\n',
    'on the header of a block, for its body': 'if a:  # nosec\n    here()\n',
    'in the body of a block, for its header': 'if here(x):\n    y()  # nosec\n',
    'on the header of a function, for its body': 'def f():  # nosec\n    here()\n',
    'on an else': 'if a:\n    b\nelse:  # nosec\n    here()\n',
    'on the first branch, for the header of the second': 'if a:\n    b  # nosec\nelif here(x):\n    c\n',
  };
  for (const [title, source] of Object.entries(open)) {
    it(`does not count ${title}`, () => assert.equal(isSilenced(source, shell), false));
  }

  it('for the next line reaches exactly the next line', () => {
    const source = '# pragma: allowlist nextline secret\na = here\nb = there\n';
    assert.equal(isSilenced(source, secret), true);
    assert.equal(isSilenced(source, secret, 'there'), false);
    assert.equal(isSilenced(source, shell), false);
  });

  it('silences nothing whatever stands inside of string literals', () => {
    const marker = fc.constantFrom('# nosec', '#nosec B602', '# noqa: S602', '# gitleaks:allow', '# gadriel:ignore[L3-017] x', '# pragma: allowlist secret');
    const quote = fc.constantFrom('"', "'", '"""', "'''");
    const prefix = fc.constantFrom('', 'r', 'b', 'f', 'Rb');
    fc.assert(fc.property(marker, quote, prefix, fc.stringMatching(/^[ -!$-&(-[\]-z]*$/), (text, mark, letters, around) => {
      const clean = around.replaceAll('"', '').replaceAll('{', '').replaceAll('}', '');
      const source = `here(${letters}${mark}${clean}${text} ${clean}${mark}, 1)\n`;
      for (const rule of [shell, secret]) assert.equal(isSilenced(source, rule), false, source);
    }));
  });
});

describe('readSuppressions', () => {
  it('takes each line of a block comment for itself', () => {
    const text = 'a /*\n nosec\n*/ b';
    const suppressions = readSuppressions(text, [{ start: 2, end: 13 }], () => 1);
    const covers = (line: number): boolean => suppressions.covers({ ruleId: shell, firstLine: line, lastLine: line });
    assert.deepEqual([1, 2, 3].map(covers), [false, true, false]);
  });

  it('takes two comments of a line together', () => {
    const text = '/*nosec B602*/ //nosec B307';
    const suppressions = readSuppressions(text, [{ start: 0, end: 14 }, { start: 15, end: text.length }], () => 4);
    for (const ruleId of [shell, evaluation]) assert.equal(suppressions.covers({ ruleId, firstLine: 4, lastLine: 4 }), true);
    assert.equal(suppressions.covers({ ruleId: secret, firstLine: 1, lastLine: 9 }), false);
  });

  it('takes time linear in the text for hostile comments', () => {
    const comment = `#${' nosec '.repeat(20_000)}${'gadriel:ignore['.repeat(20_000)}${'noqa: '.repeat(20_000)}`;
    const started = performance.now();
    readSuppressions(comment, [{ start: 0, end: comment.length }], () => 1).covers({ ruleId: shell, firstLine: 1, lastLine: 1 });
    // 0.1 s or so; a quadratic reader takes minutes.
    assert.ok(performance.now() - started < 5_000);
  });
});

describe('foreignIds', () => {
  it('decide what a bandit or S id covers: the rules of its row and no other', () => {
    for (const [number, ids] of foreignIds) {
      for (const comment of [`# nosec B${number}`, `# nosec: S${number}`, `# noqa: S${number}`, `# noqa: E501,S${number}`]) {
        const suppressions = readSuppressions(comment, [{ start: 0, end: comment.length }], () => 1);
        const covered = [...known].filter((ruleId) => suppressions.covers({ ruleId, firstLine: 1, lastLine: 1 }));
        assert.deepEqual(covered.sort(), [...ids].sort(), comment);
      }
    }
  });

  const known = new Set([...rules.map(({ id }) => id), ...detectorTable.map(({ id }) => id)]);

  it('maps numbers of three digits to rules that exist', () => {
    for (const [number, ids] of foreignIds) {
      assert.match(number, /^\d{3}$/);
      assert.ok(ids.length > 0, number);
      for (const id of ids) assert.ok(known.has(id), `${number}: ${id}`);
    }
  });
});
