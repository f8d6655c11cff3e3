import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findObject } from '../../../../lib/families/gadriel/domain/fix/runners/find-object.ts';
import { findValues } from '../../../../lib/families/gadriel/domain/fix/runners/find-values.ts';
import { lostCode } from '../../../../lib/families/gadriel/domain/fix/runners/lost-code.ts';
import { githubToken } from '../support/sample-secrets.ts';

const twelve = Array.from({ length: 11 }, (_, index) => `step_${index}(order)\n`).join('') + 'eval(order)\n';
const built = 'q = "SELECT 1 WHERE a = "\nq += a\nq += " AND b = "\nq += b\ncur.execute(q)\n';

describe('lostCode', () => {
  for (const [what, file, before, line, after] of [
    ['the flagged line alone', 'a.py', 'import yaml\ndata = yaml.load(x)\nprint(data)\n', 2, 'import yaml\nprint(data)\n'],
    ['it, and an import comes', 'a.py', 'eval(x)\ny()\n', 1, 'import ast\ny()\n'],
    ['it for a comment and pass', 'a.py', 'def f(x):\n    eval(x)\n', 2, 'def f(x):\n    # was unsafe\n    pass\n'],
    ['a call for a constant', 'a.py', 'def f(x):\n    return eval(x)\n', 2, 'def f(x):\n    return None\n'],
    ['twelve lines for one', 'a.py', twelve, 12, 'x = 1\n'], ['twelve lines for one that calls', 'a.py', twelve, 12, 'print(order)\n'],
    ['the header of a block with its body', 'a.py', 'if eval(x):\n    go()\n', 1, 'done = True\n'],
    ['a variable that others may read', 'a.py', 'password = "hunter2hunter2"\n', 1, '\n'],
    ['a call that runs the program', 'a.py', 'app.run(debug=True)\n', 1, ''],
    ['it inside blocks', 'a.py', 'with a:\n    try:\n        match b:\n            case 1:\n                eval(b)\n    except E as e:\n        log(e)\n', 5, 'with a:\n    try:\n        match b:\n            case 1:\n                pass\n    except E as e:\n        log(e)\n'],
    ['a line of a file that is no Python', 'a.ini', 'user = me\ntoken = abc\n', 2, 'user = me\n'],
    ['most lines of such a file', 'a.ini', 'a=1\nb=2\nc=3\nd=4\ne=5\nf=6\ng=7\n', 7, 'g=8\n'],
  ] as const) {
    it(`refuses a fix that takes away ${what}`, () => assert.match(lostCode(before, after, { file, line }) ?? '', /^(?:the flagged statement is|\d+ statements are) taken away/));
  }

  for (const [what, file, before, line, after] of [
    ['puts another call in its place', 'a.py', 'yaml.load(x)\n', 1, 'yaml.safe_load(x)\n'], ['looks up in place of running', 'a.py', 'y = eval(x)\n', 1, 'y = KNOWN[x]\n'],
    ['takes away an import', 'a.py', 'import telnetlib\nx()\n', 1, 'x()\n'], ['takes away a switch', 'a.py', 'ctx.check_hostname = False\nctx.verify_mode = ssl.CERT_NONE\ngo(ctx)\n', 2, 'go(ctx)\n'],
    ['takes away a call that only switches', 'a.py', 'client.set_missing_host_key_policy(paramiko.AutoAddPolicy())\nclient.connect("h")\n', 1, 'client.connect("h")\n'],
    ['builds in one statement what took five', 'a.py', built, 5, 'cur.execute("SELECT 1 WHERE a = ? AND b = ?", (a, b))\n'],
    ['takes a decorator away', 'a.py', '@csrf_exempt\ndef f(r):\n    return g(r)\n', 1, 'def f(r):\n    return g(r)\n'],
    ['mends another line than the flagged one', 'a.py', 'q = "a" + x\nrun(q)\n', 2, 'q = ["a", x]\nrun(q)\n'],
    ['changes a line of another file', 'a.ini', 'token = abc\n', 1, 'token = ${TOKEN}\n'],
  ] as const) {
    it(`takes a fix that ${what}`, () => assert.equal(lostCode(before, after, { file, line }), undefined));
  }
});

describe('findObject', () => {
  const good = '{"decision":"fix","note":"} { \\" {"}';
  for (const [what, answer] of [
    ['alone', good], ['behind braces of prose', `I use {x} and {} and {"other": 1}: ${good}`], ['before prose with braces', `${good} as {you} wanted }`],
    ['in a fence', `Not {"decision":"decline"} but\n\`\`\`json\n${good}\n\`\`\`\nDone.`], ['behind a fence of something else', `\`\`\`python\nx = {}\n\`\`\`\n${good}`], ['in a fence without an end', `\`\`\`json\n${good}`],
  ] as const) {
    it(`finds the object ${what}`, () => assert.deepEqual(findObject(answer, 'decision'), JSON.parse(good)));
  }

  for (const answer of ['', '}{', '[1]', '{"decision":', '{"other":1}', '{'.repeat(100_000), '{"'.repeat(100_000), '```\n'.repeat(50_000)]) {
    it(`finds none in ${JSON.stringify(answer.slice(0, 20))} of ${answer.length}, at once`, () => {
      const start = performance.now();
      assert.equal(findObject(answer, 'decision'), undefined);
      assert.ok(performance.now() - start < 2_000);
    });
  }
});

describe('findValues', () => {
  it('finds each place, the longest value at each, and none that is short', () => {
    const text = 'abcdef abcdefgh xabcdefx short';
    assert.deepEqual(findValues(text, ['abcdef', 'abcdefgh', 'short']).map(({ start, end }) => text.slice(start, end)), ['abcdef', 'abcdefgh', 'abcdef']);
    assert.deepEqual(findValues(text, ['short']), []);
  });

  it('takes as long for thousands of values as for one', () => {
    const values = Array.from({ length: 5_000 }, (_, index) => githubToken(index));
    const start = performance.now();
    assert.equal(findValues(values.join(' '), values).length, 5_000);
    assert.ok(performance.now() - start < 2_000);
  });
});
