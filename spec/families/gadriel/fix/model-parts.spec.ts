import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { AnswerError, readFixAnswer, readOpinion } from '../../../../lib/families/gadriel/domain/fix/runners/answers.ts';
import { excerptOf } from '../../../../lib/families/gadriel/domain/fix/runners/excerpt.ts';
import { costOf, noUsage, readUsage } from '../../../../lib/families/gadriel/domain/fix/runners/prices.ts';
import { applyEdits } from '../../../../lib/families/gadriel/domain/fix/text-edit.ts';
import { makeFinding } from '../support/finding.ts';
import { githubToken, sampleSecrets } from '../support/sample-secrets.ts';

const text = 'one\ntwo\nthree\nfour';
const excerpt = excerptOf(text, makeFinding({ line: 2, end_line: 2 }));
const fixed = (edits: unknown, of = text, seen = excerpt) => readFixAnswer(JSON.stringify({ decision: 'fix', rationale: 'r', edits }), of, seen);
const edit = (start_line: unknown, end_line: unknown, new_text: unknown) => ({ start_line, end_line, new_text });

describe('readFixAnswer', () => {
  for (const [what, edits, expected] of [
    ['replaces lines', [edit(2, 3, 'x\ny\nz')], 'one\nx\ny\nz\nfour'], ['takes a line end at the end of the text as none', [edit(2, 2, 'x\n')], 'one\nx\nthree\nfour'],
    ['deletes lines', [edit(2, 3, '')], 'one\nfour'], ['inserts before a line', [edit(2, 1, 'x')], 'one\nx\ntwo\nthree\nfour'],
    ['keeps the missing line end of the last line', [edit(4, 4, 'x\ny')], 'one\ntwo\nthree\nx\ny'],
    ['takes edits in any order', [edit(4, 4, 'd'), edit(1, 1, 'a')], 'a\ntwo\nthree\nd'],
    ['can insert before a line that it replaces', [edit(2, 1, 'x'), edit(2, 2, 'y')], 'one\nx\ny\nthree\nfour'],
    ['takes a blank line', [edit(2, 2, '\n')], 'one\n\nthree\nfour'],
  ] as const) {
    it(what, () => assert.deepEqual(fixed(edits), { kind: 'fixed', rationale: 'r', text: expected }));
  }

  it('writes the line ends of the file', () => {
    const crlf = 'a\r\nb\r\n';
    assert.deepEqual(fixed([edit(1, 1, 'x\ny')], crlf, excerptOf(crlf, makeFinding())), { kind: 'fixed', rationale: 'r', text: 'x\r\ny\r\nb\r\n' });
  });

  for (const [what, answer] of [
    ['no JSON', 'sure'], ['an array', '[1]'], ['braces alone', '}{'], ['no decision', '{"rationale":"r"}'], ['no rationale', '{"decision":"fix","edits":[]}'],
    ['an empty rationale', '{"decision":"decline","rationale":" "}'], ['no edits', '{"decision":"fix","rationale":"r","edits":[]}'],
    ['edits that are none', '{"decision":"fix","rationale":"r","edits":"all"}'],
  ] as const) {
    it(`refuses ${what}`, () => assert.throws(() => readFixAnswer(answer, text, excerpt), AnswerError));
  }

  for (const [what, edits] of [
    ['a line that was not shown', [edit(5, 5, 'x')]], ['a line 0', [edit(0, 0, 'x')]], ['a range that runs backwards', [edit(3, 1, 'x')]],
    ['a range without end', [edit(1, 1e6, 'x')]], ['lines that are edited twice', [edit(1, 2, 'x'), edit(2, 3, 'y')]], ['a text that is none', [edit(1, 1, 7)]],
    ['a control character', [edit(2, 2, 'a = "\u001b[2K"')]], ['a lone carriage return', [edit(2, 2, 'a\rb')]], ['a character that turns the text round', [edit(2, 2, 'a = "\u202e"')]],
    ['one that does not show', [edit(2, 2, 'a\u200bb = 1')]], ['a line that is no number', [edit('1', 1, 'x')]], ['an edit that is null', [null]], ['a text that is too long', [edit(1, 1, 'x'.repeat(200_001))]],
  ] as const) {
    it(`refuses ${what}`, () => assert.throws(() => fixed(edits), AnswerError));
  }

  it('throws nothing but AnswerError, whatever the answer', () => {
    const part = fc.oneof(fc.integer({ min: -2, max: 7 }), fc.string(), fc.constant(null));
    fc.assert(fc.property(fc.array(fc.record({ start_line: part, end_line: part, new_text: part }, { requiredKeys: [] })), (edits) => {
      try {
        fixed(edits);
      } catch (error) {
        assert.ok(error instanceof AnswerError);
      }
    }));
  });
});

describe('readOpinion', () => {
  const good = { confirmation: 'real_risk', confirmation_rationale: 'r'.repeat(300), explanation: 'e', effort: 'low' };
  it('cuts the rationale to 280 characters, and takes actions as none', () => {
    const opinion = readOpinion(JSON.stringify(good));
    assert.deepEqual([opinion.confirmation_rationale.length, opinion.additional_actions], [280, []]);
  });
  for (const [what, more] of [['a confirmation that it does not know', { confirmation: 'maybe' }], ['an effort that it does not know', { effort: 1 }], ['actions that are none', { additional_actions: [1] }], ['no explanation', { explanation: undefined }]] as const) {
    it(`refuses ${what}`, () => assert.throws(() => readOpinion(JSON.stringify({ ...good, ...more })), AnswerError));
  }
});

describe('excerptOf', () => {
  const long = Array.from({ length: 500 }, (_, index) => (index < 40 ? `import m${index}` : `line ${index + 1}`)).join('\n');

  it('shows at most 120 lines round the finding with imports before them, and says where some are left out', () => {
    for (const line of [1, 60, 250, 500]) {
      const { shown, has } = excerptOf(long, makeFinding({ line, end_line: line }));
      const lines = shown.split('\n');
      assert.ok(lines.filter((each) => each !== '…').length <= 120);
      assert.ok(lines.some((each) => each.startsWith(`${line}: `)) && has(line) && shown.startsWith('1: import m0'));
      assert.equal(lines.filter((each) => each !== '…').length, Array.from({ length: 500 }, (_, index) => index + 1).filter(has).length);
    }
  });

  it('shows a long statement from its start', () => {
    assert.ok(excerptOf(long, makeFinding({ line: 100, end_line: 400 })).has(100));
  });

  it('shows the head of a long line, which can not be edited then', () => {
    const { shown, has } = excerptOf(`a\n${'x'.repeat(1_000)}\n`, makeFinding({ line: 1 }));
    assert.ok(shown.length < 500 && !has(2));
  });

  it('shows no secret that the scanner knows, keeps line numbers, and puts it back into what is written', () => {
    for (const { secret, line } of sampleSecrets(3)) {
      const { shown, unmask } = excerptOf(`first\n${line}\nlast\n`, makeFinding({ file: 'a.py', line: 2 }));
      assert.ok(!shown.includes(secret), line);
      assert.match(shown, /\n3: last/);
      assert.ok(unmask(shown, 1, 3)?.includes(secret));
    }
  });

  it('keeps the lines of a secret on several lines, and takes no mask that stands for none', () => {
    const pem = ['-----BEGIN RSA PRIVATE ', 'KEY-----'].join('') + `\n${'MIIEpAIBAAKCAQEA7bq2Zt9x'.repeat(3)}\n${'q7Rw2ZtYb9Kc4Vn8XsPm3Lf6'.repeat(3)}\n` + ['-----END RSA PRIVATE ', 'KEY-----'].join('');
    const text = `k = '''${pem}'''\nlast\n`;
    const { shown, unmask } = excerptOf(text, makeFinding({ file: 'a.py' }));
    assert.ok(!shown.includes('MIIE'));
    assert.match(shown, /\n5: last/);
    const mask = /__MASKED_SECRET_1__/.exec(shown)![0];
    assert.equal(unmask(`${mask}\n\n\n\nx`, 1, 4), `${pem}\nx`);
    assert.equal(unmask(mask, 1, 4), undefined);
    assert.equal(unmask(`${mask}\n\n\n\n __MASKED_SECRET_9__`, 1, 4), undefined);
  });

  it('masks by a word that the file does not have', () => {
    const { shown, unmask } = excerptOf(`x = "__MASKED_SECRET_1__"\ny = "${githubToken(4)}"\n`, makeFinding({ file: 'a.py' }));
    assert.equal(unmask(shown, 1, 2), `1: x = "__MASKED_SECRET_1__"\n2: y = "${githubToken(4)}"\n3: `);
  });
});

describe('secrets that a model is asked about', () => {
  const [token, password] = [githubToken(8), `Zx9!${'qLm4#Rt7'}`];
  const source = `token = "${token}"\nDB_PASSWORD = "${password}"\nnote = "${password}"\ncall(note)\nlog("${token}-x")\n`;
  const seen = excerptOf(source, makeFinding({ file: 'a.py', line: 4, end_line: 4 }), { values: ['the-key-of-the-model'] });

  it('are masked wherever they stand, in other texts too', () => {
    for (const value of [token, password]) {
      assert.ok(!seen.shown.includes(value), seen.shown);
      assert.ok(!seen.hide(`an earlier fix had ${value} in it`).includes(value));
    }
    assert.ok(!seen.hide('x the-key-of-the-model y').includes('the-key-of-the-model'));
    assert.equal(seen.hide('nothing of them'), 'nothing of them');
  });

  it('are masked when only a pattern of the user finds them', () => {
    const own = makeFinding({ scan_type: 'secrets', line: 2, end_line: 2, column: 6, end_column: 15 });
    const { shown, unmask } = excerptOf('first\nv = "acme-4711"\nw = "acme-4711"\n', makeFinding({ file: 'a.py', line: 2 }), { scan: [own] });
    assert.ok(!shown.includes('acme-4711'));
    assert.equal(unmask('w = "__MASKED_SECRET_1__"', 3, 3), 'w = "acme-4711"');
  });

  const mask = /note = "(__MASKED_SECRET_\d+__)"/.exec(seen.shown)![1]!;
  for (const [what, edits, expected] of [
    ['as it was', [edit(3, 3, `remark = "${mask}"`)], `remark = "${password}"`], ['less often', [edit(3, 3, 'note = ""')], 'note = ""'],
    ['twice', [edit(3, 3, `note = "${mask}" + "${mask}"`)], undefined], ['on another line', [edit(4, 4, `send("${mask}")`)], undefined],
    ['in what is put in', [edit(4, 3, `send("${mask}")`)], undefined], ['that there is not', [edit(3, 3, 'note = "__MASKED_SECRET_77__"')], undefined],
  ] as const) {
    it(`${expected === undefined ? 'refuse' : 'take'} a mask ${what}`, () => {
      if (expected === undefined) assert.throws(() => fixed(edits, source, seen), AnswerError);
      else assert.ok((fixed(edits, source, seen) as { text: string }).text.split('\n').includes(expected));
    });
  }
});

describe('costOf', () => {
  const usage = { input_tokens: 1_000, output_tokens: 100, cache_creation_input_tokens: 10, cache_read_input_tokens: 2_000 };
  for (const [what, prices, cost] of [
    ['counts each kind of token', '{"m":{"in":3,"out":15,"cache_read":0.3,"cache_write":3.75}}', 0.005138], ['takes the price of input for the cache', '{"m":{"in":1,"out":1}}', 0.00311],
    ['knows no price', '{"other":{"in":1,"out":1}}', null], ['has no table', undefined, null], ['has a broken table', '{', null], ['has a table that is none', '[]', null],
    ['has a price that is none', '{"m":{"in":"3","out":1}}', null], ['has a price below zero', '{"m":{"in":-3,"out":1}}', null], ['has null for a price', '{"m":null}', null],
  ] as const) {
    it(`${what}: ${cost}`, () => assert.equal(costOf(usage, 'm', { GADRIEL_PRICES: prices }), cost));
  }

  it('counts tokens that are missing or no numbers as none', () => {
    assert.deepEqual(readUsage(null), noUsage);
    assert.deepEqual(readUsage({ input_tokens: 'many', output_tokens: -1, cache_read_input_tokens: 2 }), { ...noUsage, cache_read_input_tokens: 2 });
  });
});

describe('applyEdits', () => {
  it('makes all edits, insertions at one place in their order', () => {
    assert.equal(applyEdits('abcd', [{ start: 3, end: 4, text: 'D' }, { start: 1, end: 1, text: 'x' }, { start: 1, end: 1, text: 'y' }]), 'axybcD');
  });
  for (const [what, edits] of [['overlap', [{ start: 0, end: 2, text: '' }, { start: 1, end: 3, text: '' }]], ['lie outside', [{ start: 3, end: 9, text: '' }]], ['run backwards', [{ start: 3, end: 2, text: '' }]]] as const) {
    it(`makes none of edits that ${what}`, () => assert.equal(applyEdits('abcd', edits), undefined));
  }
});
