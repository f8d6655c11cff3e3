import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { parseWaivers } from '../../../../lib/families/gadriel/domain/records/waiver-file.ts';
import { appendWaiver, loadWaivers } from '../../../../lib/families/gadriel/domain/records/waivers.ts';
import type { NewWaiver } from '../../../../lib/families/gadriel/domain/records/waivers.types.ts';
import { makeFinding } from '../support/finding.ts';
import { tempFolder, type TempFolder } from '../../../support/temp-folder.ts';
import { assertToolFailed } from '../support/tool-failure.ts';
import { assertFails, noon } from './records-kit.ts';

const posix = process.platform !== 'win32';
const at = new Date(noon).toISOString();
const makeWaiver = (members: Partial<NewWaiver> = {}): NewWaiver => ({
  rule_id: 'R1', path: 'src/a.py', line: 4, reason: 'fine', kind: 'false_positive', created_by: 'human', created_at: at, ...members,
});
const block = '[[waiver]]\nrule_id = "R1"\npath = "src/a.py"\nline = 4\nreason = "fine"\nkind = "false_positive"\ncreated_by = "human"\ncreated_at = 2026-06-01T12:00:00.000Z\n';
let count = 0;
/** A folder with a file of waivers, or without where the text is undefined. */
function repository(temp: TempFolder, text?: string | Uint8Array): { readonly root: string; readonly file: string; read(): string } {
  const root = temp.folder(`repo-${++count}`);
  const file = path.join(root, '.gadriel-waivers.toml');
  if (text !== undefined) writeFileSync(file, text);
  return { root, file, read: () => readFileSync(file, 'utf8') };
}

describe('a waiver that is appended', () => {
  const temp = tempFolder();
  const hand = '# Ours.  Keep!\n\n[[waiver]]   # old one\nrule_id="R9"\npath = \'b.py\'\n\treason = "x"\n';
  const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
  const cases: [title: string, before: string | undefined, added: string][] = [
    ['makes the file where there is none', undefined, block],
    ['starts an empty file', '', block],
    ['leaves a person’s text and comments as they are', hand, `\n${block}`],
    ['comes on a line of its own behind a file without final newline', hand.trimEnd(), `\n\n${block}`],
    ['comes behind a last comment', '# nothing yet', `\n\n${block}`],
    ['ends its lines as the file does', crlf(hand), crlf(`\n${block}`)],
    ['ends its lines as the first one of a mixed file does', `# one\r\n${hand}`, crlf(`\n${block}`)],
    ['leaves a byte order mark where it is', `\ufeff${hand}`, `\n${block}`],
    ['comes behind a table of something else', '[other]\nx = 1\n', `\n${block}`],
  ];
  for (const [title, before, added] of cases) {
    it(title, async () => {
      const { root, read } = repository(temp, before);
      assert.equal(await appendWaiver(root, makeWaiver()), 'added');
      assert.equal(read(), (before ?? '') + added);
      assert.equal((await loadWaivers(root, noon)).match(makeFinding({ rule_id: 'R1', file: 'src/a.py', line: 4 }))?.reason, 'fine');
      assert.deepEqual(readdirSync(root), ['.gadriel-waivers.toml', '.security']);
    });
  }

  it('says every member that it has, in one order', async () => {
    const { root, read } = repository(temp);
    const full = makeWaiver({ expires_at: '2026-07-01T00:00:00.000Z', fingerprint: 'f'.repeat(64), finding_id: 'R1:00000000', kind: 'mechanized', created_by: 'campaign' });
    await appendWaiver(root, full);
    assert.deepEqual(read().match(/^\w+/gm), ['rule_id', 'path', 'line', 'finding_id', 'fingerprint', 'reason', 'kind', 'created_by', 'created_at', 'expires_at']);
    assert.deepEqual(parseWaivers(read()), [full]);
  });

  it('keeps any text, and nothing of it can break out of its quotes or hide', () => {
    const anyText = fc.oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\r', "'", '[', '\u202e', '\x7f', '\ud800', '😀', 'u'), minLength: 1 }));
    return fc.assert(fc.asyncProperty(anyText, anyText, async (reason, rule_id) => {
      const { root, read } = repository(temp);
      await appendWaiver(root, makeWaiver({ reason, rule_id }));
      const whole = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');
      const [entry] = (parse(read()) as { waiver: { reason: string; rule_id: string }[] }).waiver;
      assert.deepEqual([entry?.reason, entry?.rule_id], [whole(reason), whole(rule_id)]);
      assert.ok(!/[\u202e\x7f\r]/.test(read()));
      assert.equal(read().split('\n').length, block.split('\n').length);
    }), { numRuns: 40 });
  });

  it('is there once for each rule, path and line', async () => {
    const { root, read } = repository(temp);
    const outcomes: string[] = [];
    const waivers = [makeWaiver(), makeWaiver({ reason: 'another', fingerprint: 'x' }), makeWaiver({ line: 5 }), makeWaiver({ path: 'b.py' }), makeWaiver({ rule_id: 'R2' }), makeWaiver()];
    for (const waiver of waivers) outcomes.push(await appendWaiver(root, waiver));
    assert.deepEqual(outcomes, ['added', 'present', 'added', 'added', 'added', 'present']);
    assert.equal(parseWaivers(read()).length, 4);
  });

  it('comes in addition where the older one ends before it does', async () => {
    const { root } = repository(temp);
    const until = (expires_at: string): NewWaiver => makeWaiver({ kind: 'mechanized', expires_at });
    assert.equal(await appendWaiver(root, until('2026-06-30T00:00:00.000Z')), 'added');
    assert.equal(await appendWaiver(root, until('2026-06-15T00:00:00.000Z')), 'present');
    assert.equal(await appendWaiver(root, { ...until('2026-06-29T00:00:00.000Z'), created_at: '2026-08-01T00:00:00.000Z' }), 'added');
    assert.equal(await appendWaiver(root, makeWaiver()), 'added');
    assert.equal(await appendWaiver(root, until('2031-01-01T00:00:00.000Z')), 'present');
  });

  const broken: [title: string, text: string | Uint8Array, reason: string][] = [
    ['is broken', '# mine\n[[waiver]\nrule_id = "R1"\n', '.gadriel-waivers.toml is not valid TOML: see line 2'],
    ['is cut in the middle of a text', '[[waiver]]\nrule_id = "R1', '.gadriel-waivers.toml is not valid TOML: see line 2'],
    ['is not UTF-8', Uint8Array.of(0x23, 0xff, 0x0a), '.gadriel-waivers.toml is not UTF-8'],
    ['has an inline list', 'waiver = []\n', '.gadriel-waivers.toml: nothing can be appended: write each waiver as a table [[waiver]]'],
    ['has one table', '[waiver]\nrule_id = "R1"\n', '.gadriel-waivers.toml: write each waiver as a table [[waiver]]'],
    ['has a waiver without rule', '[[waiver]]\npath = "a.py"\n', '.gadriel-waivers.toml: waiver 1: rule_id is missing'],
  ];
  for (const [title, text, reason] of broken) {
    it(`is refused where the file ${title}, which stays as it is`, async () => {
      const { root, file } = repository(temp, text);
      await assertFails(appendWaiver(root, makeWaiver()), reason);
      assert.deepEqual(readFileSync(file), Buffer.from(text));
    });
  }

  it('is never written through a link to a source file', { skip: !posix }, async () => {
    const { root, file } = repository(temp);
    const source = temp.write('source.py', 'x = 1\n');
    symlinkSync(source, file);
    await assertFails(appendWaiver(root, makeWaiver()), '.gadriel-waivers.toml is a symbolic link: it is neither read nor written through');
    assert.equal(readFileSync(source, 'utf8'), 'x = 1\n');
  });

  it('leaves the file as it is when the disk is full', { skip: !posix }, () => {
    const { root, read } = repository(temp, `# ${'x'.repeat(70_000)}\n`);
    const before = read();
    const { stdout, stderr } = spawnSync('sh', ['-c', 'trap "" XFSZ; ulimit -f 64; exec "$0" --input-type=module -e "$1"', process.execPath, appender(root, 1)], {
      encoding: 'utf8', env: { ...process.env, NODE_V8_COVERAGE: '' },
    });
    assert.equal(`${stdout}${stderr}`, '.gadriel-waivers.toml can not be written: the limit for the size of files is reached\n');
    assert.equal(read(), before);
    assert.deepEqual(readdirSync(root), ['.gadriel-waivers.toml', '.security']);
  });

  it('is not lost when two processes append at once', async () => {
    const { root, read } = repository(temp, hand);
    const children = ['a', 'b'].map((name) => spawn(process.execPath, ['--input-type=module', '-e', appender(root, 25, name)], { stdio: ['ignore', 'inherit', 'inherit'] }));
    await Promise.all(children.map(async (child) => assert.deepEqual(await once(child, 'exit'), [0, null])));
    assert.ok(read().startsWith(hand));
    assert.equal(parseWaivers(read()).length, 51);
    assert.deepEqual(readdirSync(path.join(root, '.security')), ['.gitignore']);
  });
});

/** A program that appends so many waivers of its own, and prints why it could not. */
function appender(root: string, times: number, name = 'p'): string {
  const module = new URL('../../../../lib/families/gadriel/domain/records/waivers.js', import.meta.url).href;
  return `import { appendWaiver } from '${module}';
    for (let line = 1; line <= ${times}; line++) {
      await appendWaiver(${JSON.stringify(root)}, { ...${JSON.stringify(makeWaiver())}, path: '${name}.py', line }).catch((error) => console.log(error.message));
    }`;
}

describe('the waivers of a repository', () => {
  const temp = tempFolder();
  const finding = makeFinding({ rule_id: 'R1', file: 'src/a.py', line: 30, fingerprint: 'abc', finding_id: 'R1:0000abcd' });
  const matches = async (members: string): Promise<boolean> => (await loadWaivers(repository(temp, `[[waiver]]\n${members.replaceAll('; ', '\n')}\n`).root, noon)).match(finding) !== undefined;
  const here = 'rule_id = "R1"; path = "src/a.py"';
  const cases: [title: string, members: string, expected: boolean][] = [
    ['the same rule, path and line', `${here}; line = 30`, true],
    ['the whole file where no line is named', here, true],
    ['the whole repository where no path is named', 'rule_id = "R1"', true],
    ['the same line though its code is another now', `${here}; line = 30; fingerprint = "old"`, true],
    ['the same code up to 25 lines away', `${here}; line = 5; fingerprint = "abc"`, true],
    ['no code further away', `${here}; line = 4; fingerprint = "abc"`, false],
    ['no other line', `${here}; line = 29`, false],
    ['no other code', `${here}; line = 29; fingerprint = "abd"`, false],
    ['no other rule', 'rule_id = "R"; path = "src/a.py"', false],
    ['no other file', 'rule_id = "R1"; path = "a.py"', false],
    ['a path as people write it', 'rule_id = "R1"; path = "./src\\\\a.py"', true],
    ['a rule until its time is over', `${here}; expires_at = 2026-06-01T12:00:01Z`, true],
    ['nothing from then on', `${here}; expires_at = 2026-06-01T12:00:00Z`, false],
    ['a rule until the end of the day that is named', `${here}; expires_at = 2026-06-01`, true],
    ['nothing after that day', `${here}; expires_at = 2026-05-31`, false],
    ['nothing after a day that is named in quotes', `${here}; expires_at = "2026-05-31"`, false],
    ['a rule until a time with a zone', `${here}; expires_at = "2026-06-01 13:30+01:00"`, true],
    ['a rule until a local time, read as UTC', `${here}; expires_at = 2026-06-01T12:00:01`, true],
    ['the one finding whose id stands in the place of a path', 'rule_id = "R1"; finding_id = "R1:0000abcd"', true],
    ['no other finding than that', 'rule_id = "R1"; finding_id = "R1:0000abce"', false],
    ['a rule with the rule’s own id as finding', 'rule_id = "R1"; finding_id = "R1"', true],
    ['a rule though members nobody knows are there', `${here}; ticket = "X-1"`, true],
  ];
  for (const [title, members, expected] of cases) it(`cover ${title}`, async () => assert.equal(await matches(members), expected));

  it('are none where there is no file, and nothing is made by looking', async () => {
    const { root } = repository(temp);
    assert.equal((await loadWaivers(root)).match(finding), undefined);
    assert.ok(!existsSync(path.join(root, '.security')));
  });

  it('answer with the one that names the place most closely, the first of equals', async () => {
    const at = (members: string): string => `[[waiver]]\nrule_id = "R1"\n${members}\n`;
    const text = [
      at('reason = "all"'), at('finding_id = "R1:0000abcd"\nreason = "id"'), at('path = "src/a.py"\nreason = "file"'), at('path = "src/a.py"\nreason = "file again"'),
      at('path = "src/a.py"\nline = 20\nfingerprint = "abc"\nreason = "code"'), at('path = "src/a.py"\nline = 30\nreason = "line"'),
    ];
    const waivers = await loadWaivers(repository(temp, text.join('')).root, noon);
    const reasons = [{}, { line: 31 }, { fingerprint: 'x', line: 31 }, { file: 'b.py' }, { file: 'b.py', finding_id: 'R1:1' }].map((members) => waivers.match({ ...finding, ...members })?.reason);
    assert.deepEqual(reasons, ['line', 'code', 'file', 'id', 'all']);
  });

  it('are matched in time whatever their number', async () => {
    const text = Array.from({ length: 50_000 }, (_, index) => `[[waiver]]\nrule_id="R1"\npath="src/a.py"\nline=${index + 100}\nfingerprint="f${index % 10}"\n`).join('');
    const started = performance.now();
    const waivers = await loadWaivers(repository(temp, text).root, noon);
    const matched = Array.from({ length: 20_000 }, (_, index) => waivers.match({ ...finding, line: index, fingerprint: `f${index % 20}` })).filter((one) => one !== undefined);
    assert.ok(matched.length > 19_000 && matched.length < 20_000);
    // Measured: 0.4 s; a list for each rule and path would take a minute.
    assert.ok(performance.now() - started < 8_000);
  });

  const faults: [members: string, fault: string][] = [
    ['rule_id = ""', 'rule_id must be a text that is not empty'],
    ['rule_id = 4', 'rule_id must be a text that is not empty'],
    ['rule_id = "R"; path = ["a"]', 'path must be a text that is not empty'],
    ['rule_id = "R"; path = "a"; line = "4"', 'line must be a whole number from 1 on'],
    ['rule_id = "R"; path = "a"; line = 0', 'line must be a whole number from 1 on'],
    ['rule_id = "R"; path = "a"; line = 1.5', 'line must be a whole number from 1 on'],
    ['rule_id = "R"; line = 4', 'line needs a path beside it'],
    ['rule_id = "R"; kind = "wontfix"', 'kind must be one of false_positive, accepted_risk, mechanized'],
    ['rule_id = "R"; created_by = "me"', 'created_by must be one of human, cli, campaign'],
    ['rule_id = "R"; reason = 4', 'reason must be a text that is not empty'],
    ['rule_id = "R"; expires_at = "soon"', 'expires_at must be a date or a time, such as 2030-12-31'],
    ['rule_id = "R"; expires_at = "2026-13-41"', 'expires_at must be a date or a time, such as 2030-12-31'],
    ['rule_id = "R"; expires_at = "2026-02-30"', 'expires_at must be a date or a time, such as 2030-12-31'],
    ['rule_id = "R"; expires_at = "2026-04-31T10:00:00Z"', 'expires_at must be a date or a time, such as 2030-12-31'],
    ['rule_id = "R"; expires_at = 2026-02-30', 'expires_at must be a date or a time, such as 2030-12-31'],
    ['rule_id = "R"; created_at = 2026-02-31T10:00:00Z', 'created_at must be a date or a time, such as 2030-12-31'],
    ['rule_id = "R"; expire_at = 2030-01-01', '"expire_at" is no key: did you mean expires_at?'],
    ['rule_id = "R"; expires = "2030-01-01"', '"expires" is no key: did you mean expires_at?'],
    ['rule_id = "R"; expiry = 4', '"expiry" is no key: did you mean expires_at?'],
    ['rule_id = "R"; until = 2030-01-01', '"until" is no key: did you mean expires_at?'],
    ['rule_id = "R"; file = "a.py"', '"file" is no key: did you mean path?'],
    ['rule_id = "R"; Path = "a.py"', '"Path" is no key: did you mean path?'],
    ['rule_id = "R"; paht = "a.py"', '"paht" is no key: did you mean path?'],
    ['rule_id = "R"; path = "a.py"; lines = 4', '"lines" is no key: did you mean line?'],
    ['rule_id = "R"; path = "a.py"; lin = 4', '"lin" is no key: did you mean line?'],
    ['rule-id = "R"', '"rule-id" is no key: did you mean rule_id?'],
    ['rule_id = "R"; fingerprind = "f"', '"fingerprind" is no key: did you mean fingerprint?'],
    ['rule_id = "R"; "e\\u001bxpires_at" = 1', '"e\\\\x1bxpires_at" is no key: did you mean expires_at?'],
    ['rule_id = "R"; expires_at = 12:00:00', 'expires_at must be a date or a time, such as 2030-12-31'],
    ['rule_id = "R"; expires_at = true', 'expires_at must be a date or a time, such as 2030-12-31'],
  ];
  for (const [members, fault] of faults) {
    it(`are refused where ${fault.split(' ')[0]} is wrong: ${members}`, () => {
      const text = `[[waiver]]\nrule_id = "R"\nreason = ""\n\n[[waiver]]\n${members.replaceAll('; ', '\n')}\n`;
      assertToolFailed(() => parseWaivers(text), `.gadriel-waivers.toml: waiver 2: ${fault}`);
    });
  }

  it('may have members that nobody knows, and another word beside the right one', () => {
    const others = 'link = "https://tracker.example"\nticket = "T-1"\nowner = "me"\nfile = "a.py"\npath = "b.py"\nnote = ""\n';
    assert.deepEqual(parseWaivers(`[[waiver]]\nrule_id = "R"\n${others}expires_at = 2028-02-29\n`).map(({ path, line, expires_at }) => [path, line, expires_at]), [['b.py', undefined, '2028-03-01T00:00:00.000Z']]);
  });

  it('may name a rule by its short id, which waives that rule alone', async () => {
    const { root } = repository(temp, '[[waiver]]\nrule_id = "l3-002"\npath = "a.py"\n[[waiver]]\nrule_id = "CONFIG-MCP-001"\n[[waiver]]\nrule_id = "L3-003"\nfinding_id = "L3-003:00000001"\n');
    const { match } = await loadWaivers(root, noon);
    const waived = (rule_id: string, members: Partial<Parameters<typeof makeFinding>[0]> = {}): boolean => match(makeFinding({ rule_id, ...members })) !== undefined;
    assert.deepEqual([waived('CODE-W1-L3-002'), waived('CODE-W1-L3-002', { file: 'b.py' }), waived('CODE-W2-CONFIG-MCP-001'), waived('CODE-W3-CONFIG-MCP-001'), waived('XL3-002')], [true, false, true, false, false]);
    assert.deepEqual(['1', '2'].map((digit) => waived('CODE-W1-L3-003', { finding_id: `CODE-W1-L3-003:0000000${digit}` })), [true, false]);
  });

  it('of any text are waivers or a ToolFailed', () => {
    const piece = fc.constantFrom('[[waiver]]\n', '[waiver]\n', 'rule_id = ', 'path = ', 'line = ', 'expires_at = ', '"', "'''", '2026-02-30', '0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59', '2026-02-28', '12:00:00', '\n', '[', ']', '{', '}', '1e400', '-0', 'nan', '\\u', '#', '\x00', ',');
    fc.assert(fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
      try {
        assert.ok(Array.isArray(parseWaivers(pieces.join(''))));
      } catch (error) {
        assert.match((error as Error).message, /^\.gadriel-waivers\.toml(?::| is not valid TOML)/);
      }
    }), { numRuns: 2_000 });
    for (const date of ['0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59', '9999-12-31', '0000-01-01']) {
      try {
        assert.equal(parseWaivers(`[[waiver]]\nrule_id = "R"\nexpires_at = ${date}\n`).length, 1);
      } catch (error) {
        assert.match((error as Error).message, /expires_at must be a date/);
      }
    }
  });

  it('read hostile TOML without harm', () => {
    assert.deepEqual(parseWaivers('[__proto__]\nwaiver = 1\n[constructor]\nx = 1\n'), []);
    assert.equal(({} as { waiver?: unknown }).waiver, undefined);
    assertToolFailed(() => parseWaivers(`x = ${'['.repeat(100_000)}`), /^\.gadriel-waivers\.toml is not valid TOML/);
  });
});
