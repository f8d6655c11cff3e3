import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { findSecrets, keyForms } from '../../../../lib/families/gage/domain/send/secret-check.ts';

// Put together at run time, so that no scanner takes the spec itself for a leak.
const github = `gh${'p'}_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0iL3oR6'}`;
const age = `AGE-SECRET${'-KEY-1'}${'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'.repeat(2).slice(0, 58)}`;
const aws = `AK${'IA'}Q3EGR7YTU2WXZ5NV`;
const pem = `-----BEGIN ${'PRIVATE'} KEY-----\n${randomBytes(96).toString('base64')}\n-----END ${'PRIVATE'} KEY-----\n`;
const base64 = (): string => randomBytes(32).toString('base64');
const identityFile = `{"box":"${base64()}","created_at":"2026-01-01T00:00:00Z","handle":"alice","sign":"${base64()}","v":1}`;

const find = (bytes: string | Uint8Array, place = 'notes.txt', own: readonly string[] = []) => findSecrets([{ place, bytes: Buffer.from(bytes as string) }], own).map(({ rule, line, weight }) => ({ rule, line, weight }));

describe('secret check before sending', () => {
  for (const [what, bytes, rule, line, place] of [
    ['a token in a line', `one\ntwo ${github}\n`, 'github', 2],
    ['an age key', `# key\n${age}\n`, 'age', 2],
    ['a private key', `x\n${pem}`, 'private-key', 2],
    ['a token that is wrapped at a width', `start\n${aws.slice(0, 9)}\n${aws.slice(9)}\nend`, 'aws-access-key', 2],
    ['a token in four lines', `${github.slice(0, 10)}\n${github.slice(10, 20)}\n${github.slice(20, 30)}\r\n${github.slice(30)}`, 'github', 1],
    ['a token wrapped in prose', `the key is ${github.slice(0, 12)}\n${github.slice(12)} and it is new`, 'github', 1],
    ['a wrapped token with indentation and backslash', `  ${github.slice(0, 20)}\\\n    ${github.slice(20)}`, 'github', 1],
    ['a token in UTF-16', Buffer.from(`a\n${github}`, 'utf16le'), 'github', 2],
    ['a token between bytes that are no text', Buffer.concat([Buffer.from([0xff, 0xfe, 0x00, 0x0a]), Buffer.from(`${github} `), Buffer.from([0xc3])]), 'github', 2],
    ['a token behind many NULs', Buffer.concat([Buffer.alloc(9_000), Buffer.from(`\n${github}`)]), 'github', 2],
    ['a token in a lock file', `{"lockfileVersion": 3,\n "t": "${github}"}`, 'github', 2, 'package-lock.json'],
    ['a token in what is named as an image', `x ${github}`, 'github', 1, 'a.png'],
    ['a token behind 5 MiB', `${'word word\n'.repeat(600_000)}${github}`, 'github', 600_001],
    ['a token in a test', `const t = "${github}"`, 'github', 1, 'spec/a.test.ts'],
    ['an identity file of gage', `note\n${identityFile}`, 'gage-identity', 2],
    ['an exported identity of gage', '{"cipher":"x","type": "gage-identity-export"}', 'gage-export', 1],
  ] as const) {
    it(`finds ${what}`, () => {
      const finds = find(bytes, place);
      assert.deepEqual(finds, [{ rule, line, weight: rule.startsWith('gage') ? 'never' : 'refuse' }]);
    });
  }

  it("finds the sender's own private keys in each form, and never lets them through", () => {
    const key = randomBytes(32);
    for (const form of [key.toString('base64'), key.toString('base64url'), key.toString('hex'), key.toString('hex').toUpperCase()]) {
      assert.deepEqual(find(`a\nkey ${form}!`, 'x', keyForms(key)).filter(({ rule }) => rule === 'gage-key'), [{ rule: 'gage-key', line: 2, weight: 'never' }]);
    }
  });

  it('only warns of what a variable is named', () => {
    assert.deepEqual(find(`client_secret = "${randomBytes(24).toString('base64url')}a7"`, 'a.py'), [{ rule: 'generic', line: 1, weight: 'warn' }]);
  });

  it('refuses no public keys of gage, and takes lines for wrapped only where a token goes on', () => {
    const manifest = `{"from":{"box":"${base64()}","handle":"a","key":"${base64()}"}}`;
    assert.deepEqual(find(manifest).filter(({ weight }) => weight !== 'warn'), []);
    for (const text of ['', 'hello\n', 'postgres://svc:\nkq7Zp2x9Lm@db.internal/app', 'AKIA is how keys begin\nQ3EGR7YTU2WXZ5NV', `AK\n\nIA${aws.slice(4)}`]) assert.deepEqual(find(text), [], text);
  });

  it('never shows the secret, and stops counting at a hundred finds', () => {
    const finds = findSecrets([{ place: 'many', bytes: Buffer.from(`${github}\n`.repeat(300)) }], []);
    assert.equal(finds.length, 100);
    assert.ok(!JSON.stringify(finds).includes(github.slice(0, 12)));
  });

  it('takes time in proportion to the size', () => {
    const took = (bytes: Buffer): number => {
      const start = process.hrtime.bigint();
      findSecrets([{ place: 'x', bytes }], []);
      return Number(process.hrtime.bigint() - start);
    };
    const hostile = Buffer.from('"sign" : "'.repeat(100_000));
    assert.ok(took(hostile) < 5e9);
  });
});
