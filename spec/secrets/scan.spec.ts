import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { detectorTable, scanSecrets } from '../../lib/secrets/scan.ts';
import { projectRoot } from '../support/project.ts';
import { jwtLike, pemLike, randomStrings, tokenSamples } from './samples.ts';

const r = randomStrings(5);
const github = `ghp_${r('word', 36)}`;

describe('scanSecrets', () => {
  const expected: Record<string, number[]> = {
    'p01_app.json': [4], 'p02_login.py': [5], 'p03_credentials.ini': [2, 3], 'p04_settings.py': [2], 'p05_notebook.ipynb': [7], 'p06_deploy.yml': [3],
  };
  const folder = path.join(projectRoot, 'spec/fixtures/secrets');
  for (const file of readdirSync(folder)) {
    it(`finds the secrets of ${file} and nothing else`, () => {
      const text = readFileSync(path.join(folder, file), 'utf8');
      assert.deepEqual(scanSecrets(text, { path: file }).map((hit) => hit.line), expected[file] ?? []);
    });
  }

  it('has one table of the detectors 001 to 076', () => {
    assert.deepEqual(detectorTable.map((row) => row.id), Array.from({ length: 76 }, (_, i) => `CODE-W1-SECRET-${String(i + 1).padStart(3, '0')}`));
  });

  it('says where a secret stands, in lines and UTF-16 columns', () => {
    const pem = pemLike('PRIVATE KEY', 2);
    const text = `\u{1F511} é\r\nkey:\t"${github}"\n${pem}\n`;
    const [first, second] = scanSecrets(text, { path: 'a.cfg' });
    assert.deepEqual([first?.line, first?.column, first?.endLine, first?.endColumn], [2, 7, 2, 47]);
    assert.deepEqual([second?.line, second?.column, second?.endLine, second?.endColumn], [3, 1, 6, 26]);
  });

  it('shows four characters and the length, fewer of a short secret', () => {
    assert.equal(scanSecrets(github, { path: 'a.cfg' })[0]?.preview, 'ghp_… (40 characters)');
    assert.equal(scanSecrets('password = "hunter2"', { path: 'a.py' })[0]?.preview, 'h… (7 characters)');
  });

  it('ties equal secrets together and keeps different ones apart', () => {
    const hits = scanSecrets(`a = "${github}"\nb = "${github}"\nc = "gho_${r('word', 36)}"`, { path: 'a.py' });
    assert.equal(hits[0]?.sameAs, hits[1]?.sameAs);
    assert.notEqual(hits[0]?.sameAs, hits[2]?.sameAs);
  });

  it('reports the more specific detector of an overlap', () => {
    const jwt = jwtLike('{"alg":"HS256"}');
    const ids = (text: string): string[] => scanSecrets(text, { path: 'a.sh' }).map((hit) => hit.detectorId.slice(-3));
    assert.deepEqual(ids(`curl -H "Authorization: Bearer ${github}"`), ['004']);
    assert.deepEqual(ids(`curl -H "Authorization: Bearer ${jwt}"`), ['066']);
    assert.deepEqual(ids(`SECRET_KEY=${github}`), ['004']);
    assert.deepEqual(ids(`git clone https://x:${github}@github.com/a/b`), ['004']);
  });

  it('lowers the confidence in tests and examples, and only that', () => {
    const at = (file: string): unknown => scanSecrets(`k = "${github}"`, { path: file }).map((hit) => [hit.severity, hit.confidence]);
    assert.deepEqual(at('src/a.py'), [['high', 'medium']]);
    for (const file of ['tests/a.py', 'src/__tests__/a.js', 'pkg/test_a.py', 'a.spec.ts', 'examples/a.py', 'x/fixtures/a.json', '.env.example', 'conftest.py']) assert.deepEqual(at(file), [['high', 'low']], file);
    assert.equal(scanSecrets(`t = "glpat-${r('word', 20)}"`, { path: 'tests/a.py' })[0]?.confidence, 'medium');
    assert.equal(scanSecrets(`t = "glpat-${r('word', 20)}"`, { path: 'a.py', isTest: true })[0]?.confidence, 'medium');
    assert.equal(scanSecrets(`t = "glpat-${r('word', 20)}"`, { path: 'tests/a.py', isTest: false })[0]?.confidence, 'high');
  });

  it('skips lock files, media, binary and very large texts', () => {
    const cases: [string, string][] = [
      ['package-lock.json', github], ['sub/yarn.lock', github], ['Cargo.lock', github], ['go.sum', github], ['a.png', github], ['a.txt', `\0${github}`], ['a.txt', github + ' '.repeat(5 * 1024 * 1024)],
      ['renamed.json', `{\n  "name": "x",\n  "version": "1.0.0",\n  "lockfileVersion": 3,\n  "k": "${github}"\n}`], ['renamed.yml', `lockfileVersion: '9.0'\nk: ${github}`],
    ];
    for (const [file, text] of cases) assert.deepEqual(scanSecrets(text, { path: file }), [], file);
  });

  it('looks for shaped tokens only in lines over 20,000 characters', () => {
    const text = `${'var a=1;'.repeat(2600)}token="${r('word', 30)}";b="${github}"\ntoken="${r('word', 30)}"`;
    assert.deepEqual(scanSecrets(text, { path: 'a.min.js' }).map((hit) => [hit.detectorId.slice(-3), hit.line]), [['004', 1], ['075', 2]]);
  });

  it('looks for all but guesses by a name in long lines too when asked to', () => {
    const text = `${'var a=1;'.repeat(2600)}token="${r('word', 30)}";b="${github}";c="postgres://a:${['kq7Zp2', 'x9Lm'].join('')}@h/x"`;
    assert.deepEqual(scanSecrets(text, { path: 'a.min.js', longLines: true }).map((hit) => hit.detectorId.slice(-3)), ['004', '069']);
  });

  it('takes the language and the literals it is given', () => {
    const text = `password = "hunter2"`;
    assert.equal(scanSecrets(text, { path: 'a', language: 'python' }).length, 1);
    assert.equal(scanSecrets(text, { path: 'a' }).length, 0);
    assert.equal(scanSecrets(text, { path: 'a.py', literals: [] }).length, 0);
    assert.equal(scanSecrets(text, { path: 'a.py', literals: [{ start: 11, end: 20, kind: 'string' }] }).length, 1);
    assert.equal(scanSecrets(text, { path: 'a.py', literals: [{ start: 0, end: 20, kind: 'comment' }] }).length, 0);
  });

  it('is fast on hostile repetition', () => {
    const started = performance.now();
    for (const unit of ['kind: Secret\n', '"type": "service_account",', '-----BEGIN PRIVATE KEY-----\n', 'curl -u a:\\\n', 'eyJ-eyJ.', '_authToken=', 'Server=a;Database=b;pwd=aB3$e;', 'aws key = ', 'token="a\n', '"token", "value": '])
      scanSecrets(unit.repeat(20_000), { path: 'a.py' });
    assert.ok(performance.now() - started < 15_000);
  });
});

describe('scanSecrets on arbitrary text', () => {
  const pieces = fc.constantFrom(
    ...tokenSamples().map(([, sample]) => sample), 'password = "', 'token: ', '"', '\'', '\n', '\\', '=', ' ', '-----BEGIN ', 'PRIVATE KEY-----', '-----END ', 'curl -u ', 'kind: Secret\n', 'data:\n', 'a: ', '://', '@', ':', 'Authorization: Bearer ',
    'Server=', 'Pwd=', ';', '/*', '*/', '//', '#', '`', '${', '}', '\u{1F511}', '\ud800', '\0', 'aB3$xY9!kLm', 'é', '<', '>', 'value', '|',
  );
  const texts = fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 40 }).map((parts) => parts.join(''));
  const paths = fc.constantFrom('a.py', 'a.js', 'a.yml', 'a.json', 'a.md', 'a.rs', 'a.ipynb', 'a.sh', 'a', '.npmrc', 'nuget.config', 'a.sql');

  it('never throws, points at the text, never overlaps and never carries the secret', () => {
    fc.assert(fc.property(texts, paths, (text, file) => {
      let last = 0;
      const lines = text.split(/(?<=\n|\r(?!\n))/);
      for (const hit of scanSecrets(text, { path: file })) {
        const secret = text.slice(hit.start, hit.end);
        assert.ok(hit.start >= last && hit.end > hit.start && hit.end <= text.length);
        last = hit.end;
        assert.ok(!JSON.stringify(hit).includes(JSON.stringify(secret).slice(1, -1)));
        const before = lines.slice(0, hit.line - 1).reduce((sum, line) => sum + line.length, 0);
        assert.equal(before + hit.column - 1, hit.start);
      }
    }), { numRuns: 600 });
  });
});
