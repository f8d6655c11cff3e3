import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { keyForms } from '../../../../lib/families/gage/domain/send/gage-keys.ts';
import { findSecrets } from '../../../../lib/families/gage/domain/send/secret-check.ts';
import { fixture } from '../crypto/vectors.ts';

// Put together at run time, so that no scanner takes the spec itself for a leak.
const github = `gh${'p'}_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0iL3oR6'}`;
const age = `AGE-SECRET${'-KEY-1'}${'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'.repeat(2).slice(0, 58)}`;
const aws = `AK${'IA'}Q3EGR7YTU2WXZ5NV`;
const pem = `-----BEGIN ${'PRIVATE'} KEY-----\n${randomBytes(96).toString('base64')}\n-----END ${'PRIVATE'} KEY-----\n`;
const base64 = (): string => randomBytes(32).toString('base64');
const identityFile = `{"box":"${base64()}","created_at":"2026-01-01T00:00:00Z","handle":"alice","sign":"${base64()}","v":1}`;

const { file_utf8: exportFile } = fixture('export.json') as { file_utf8: string };
const putty = (encryption: string): string =>
  ['PuTTY-User-Key-File-3: ssh-ed25519', `Encryption: ${encryption}`, 'Comment: x', 'Public-Lines: 2', randomBytes(48).toString('base64'), randomBytes(9).toString('base64'),
    'Private-Lines: 1', randomBytes(36).toString('base64'), `Private-MAC: ${randomBytes(32).toString('hex')}`, ''].join('\r\n');
/** A password of an address, put together for the same reason. */
const login = ['svc', 'kq7Zp2x9Lm@'].join(':');
/** A random value, with a digit and both cases, that is no word. */
const value = (): string => `q7Zp${randomBytes(12).toString('hex')}Lm`;
const mebibyte = 1024 * 1024;
const filler = (length: number): string => 'word word\n'.repeat(length / 10 + 1).slice(0, length - 1) + '\n';

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
    ['an exported identity of gage', exportFile, 'gage-export', 1],
    ['an exported identity of gage in JSON', `[\n${JSON.stringify({ content: exportFile })}]`, 'gage-export', 2],
    ['an identity file of gage whose slashes are escaped', `x\n${identityFile.replaceAll('/', '\\/')}`, 'gage-identity', 2],
    ['an identity file of gage in JSON', JSON.stringify(identityFile), 'gage-identity', 1],
    ['a token behind an encoded equals sign', `x\nhttps://h/?token%3D${github}`, 'github', 2],
    ['a token behind a sign that was encoded thrice', `token%25253D${github}`, 'github', 1],
    ['a token behind an escape of JSON', `{"a":\n"\\u003c${github}\\u003e"}`, 'github', 2],
    ['a token behind a NUL that is encoded', `%00 token%3d${github}`, 'github', 1],
    ['a token in quoted-printable mail', `a=C3=A4 b\nhref=3D${github.slice(0, 20)}=\r\n${github.slice(20)}\n`, 'github', 2],
    ['a token in quoted lines', `> ${github.slice(0, 12)}\n> ${github.slice(12, 24)}\n> ${github.slice(24)}\n`, 'github', 1],
    ['a token in lines that were quoted twice', `x\n>> ${github.slice(0, 20)}\n> > ${github.slice(20)}\n`, 'github', 2],
    ['a token in a comment of two lines', `// see ${github.slice(0, 20)}\n// ${github.slice(20)} there`, 'github', 1],
    ['a token that is split by a zero width space', `a\nb ${github.slice(0, 20)}\u200b${github.slice(20)}`, 'github', 2],
    ['a token that is split by soft hyphens and wrapped', `${github.slice(0, 9)}\u00ad${github.slice(9, 20)}\n${github.slice(20, 30)}\u2060${github.slice(30)}`, 'github', 1],
    ['a token that is split by a byte of another character set', Buffer.concat([Buffer.from(github.slice(0, 20)), Buffer.from([0xad]), Buffer.from(github.slice(20))]), 'github', 1],
    ['a key file of PuTTY', `x\n${putty('none')}`, 'private-key', 2],
    ['a key file of PuTTY with a passphrase', putty('aes256-cbc'), 'private-key', 1],
    ['a line of a netrc file', `x\nmachine h.example.org login ada password ${value()}\n`, 'netrc', 2],
    ['a netrc entry in lines', `default\n  login ada\n  account a\n  password ${value()}\n`, 'netrc', 4],
    ['a Hugging Face token with digits', `${'h'}f_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0iL3oR6'.slice(0, 34)}`, 'huggingface', 1],
    ['an address with a password in a very long line', `${'var a=1;'.repeat(3_000)}"postgres://${login}db.internal/app"`, 'url-credential', 1],
    ['a password in an address where a password is told a command', `sshpass -p https://${login}h.internal/path ssh x`, 'url-credential', 1],
    ['a token across the seam of two pieces', `${filler(mebibyte - 20)}${github}`, 'github', Math.ceil((mebibyte - 20) / 10) + 1],
    ['a wrapped token across the seam of two pieces', `${filler(mebibyte - 20)}${github.slice(0, 19)}\n${github.slice(19)}`, 'github', Math.ceil((mebibyte - 20) / 10) + 1],
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
    for (const text of ['', 'hello\n', 'postgres://svc:\nkq7Zp2x9Lm@db.internal/app', 'postgres://svc:kq7Z\np2x9Lm@db.internal/app', 'AKIA is how keys begin\nQ3EGR7YTU2WXZ5NV', `AK\n\nIA${aws.slice(4)}`]) assert.deepEqual(find(text), [], text);
  });

  it('never shows the secret', () => {
    const finds = findSecrets([{ place: 'many', bytes: Buffer.from(`${github}\n`.repeat(9)) }], []);
    assert.equal(finds.length, 9);
    assert.ok(!JSON.stringify(finds).includes(github.slice(0, 12)));
  });

  describe('is ended by no number of guesses', () => {
    const guesses = Array.from({ length: 150 }, () => `db_password = "${value()}"\n`).join('');
    const key = randomBytes(32);
    const source = (place: string, text: string) => ({ place, bytes: Buffer.from(text) });
    for (const [what, sources, rule] of [
      ['in the same text', [source('a.ini', `${guesses}${github}\n`)], 'github'],
      ['in another text', [source('a.ini', guesses), source('z.txt', aws)], 'aws-access-key'],
      ['in another text that holds the key of the sender', [source('a.ini', guesses), source('z.txt', key.toString('base64'))], 'gage-key'],
    ] as const) {
      it(`before a secret ${what}, and reports a hundred of them`, () => {
        const finds = findSecrets(sources, keyForms(key));
        assert.deepEqual(finds.filter(({ weight }) => weight !== 'warn').map((each) => each.rule), [rule]);
        assert.equal(finds.filter(({ weight }) => weight === 'warn').length, 100);
      });
    }
  });

  it('lets nobody wave more than a hundred secrets through, and looks no further', () => {
    const many = (count: number) => findSecrets([{ place: 'guess.ini', bytes: Buffer.from(`db_password = "${value()}"`) }, { place: 'many', bytes: Buffer.from(`${github}\n`.repeat(count)) }], []);
    const weights = (count: number) => {
      const finds = many(count);
      return (['warn', 'refuse', 'never'] as const).map((weight) => finds.filter((each) => each.weight === weight).length);
    };
    assert.deepEqual(weights(100), [1, 100, 0]);
    for (const count of [101, 5_000]) assert.deepEqual(weights(count), [0, 0, 101]);
  });

  describe('counts the secrets of a line', () => {
    const token = (number: number): string => `gh${'p'}_${String(number).padStart(4, '0')}${'E6gH9jK2mN5pQ8sT1vW4yZ7cF0iL3oR6'}`;
    const stripe = ['sk', 'live', 'Q7zPq8Wm4Kx2Tn5Rb'].join('_');
    const counted = (bytes: string | Uint8Array) => findSecrets([{ place: 'x', bytes: Buffer.from(bytes as string) }], []).map(({ rule, line, more, weight }) => [rule, line, more, weight]);
    const many = (count: number): string => Array.from({ length: count }, (_, index) => `"${token(index)}"`).join(',');
    for (const [what, bytes, expected] of [
      ['several of one rule', `x\n${token(1)} ${token(2)} ${token(3)}`, [['github', 2, 2, 'refuse']]],
      ['one that stands there twice', `${token(1)} ${token(2)} ${token(1)}`, [['github', 1, 1, 'refuse']]],
      ['one that stands in two lines', `${token(1)}\n${token(1)}`, [['github', 1, 0, 'refuse'], ['github', 2, 0, 'refuse']]],
      ['several rules', `${token(1)} ${aws} ${token(2)}`, [['github', 1, 1, 'refuse'], ['aws-access-key', 1, 0, 'refuse']]],
      ['one that is wrapped beside one that is not', `${token(1)} ${token(2).slice(0, 20)}\n${token(2).slice(20)}`, [['github', 1, 1, 'refuse']]],
      ['one that is split beside one that is not', `${token(1)} ${token(2).slice(0, 20)}\u200b${token(2).slice(20)}`, [['github', 1, 1, 'refuse']]],
      ['one that two views spell otherwise', `x https://svc:kq7Zp2%78x9Lm@db.internal/app`, [['url-credential', 1, 0, 'refuse']]],
      ['one of which a view sees a part', `${stripe}\u200bX7`, [['stripe', 1, 0, 'refuse']]],
      ['one that ends at a NUL in one view alone', Buffer.concat([Buffer.alloc(3_000), Buffer.from(`\n${stripe}\0X7\0`)]), [['stripe', 2, 0, 'refuse']]],
      ['several between NULs', Buffer.from(`${token(1)} ${token(2)}`, 'utf16le'), [['github', 1, 1, 'refuse']]],
      ['several in the seam of two pieces', `${filler(mebibyte - 50_000)}${token(1)} ${token(2)}\n`, [['github', Math.ceil((mebibyte - 50_000) / 10) + 1, 1, 'refuse']]],
      ['passwords of a netrc file', `machine h login u password ${'q7Zp4kL9mX2w'} machine i login v password ${'r8Yq5jM3nW1v'}`, [['netrc', 1, 1, 'refuse']]],
      ['a password beside a guess', `machine h login u password my-own-word machine i login v password ${'r8Yq5jM3nW1v'}`, [['netrc', 1, 0, 'warn'], ['netrc', 1, 0, 'refuse']]],
      ['ever so many guesses', Array.from({ length: 3_000 }, (_, index) => `machine h login u password my-own-word-${index} `).join(''), [['netrc', 1, 100, 'warn']]],
      ['a hundred', many(100), [['github', 1, 99, 'refuse']]],
      ['a hundred and one', many(101), [['github', 1, 100, 'never']]],
      ['ever so many', many(3_000), [['github', 1, 100, 'never']]],
      ['a hundred and one of two lines', `${many(50)}\n${many(60)}`, [['github', 1, 49, 'never'], ['github', 2, 50, 'never']]],
    ] as const) {
      it(`with ${what}`, () => assert.deepEqual(counted(bytes), expected));
    }
  });

  it('takes what is known or written about for no secret', () => {
    const sample = ['eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ', 'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c'].join('.');
    for (const text of [
      sample, `Authorization: Bearer ${sample}`, `token: "${sample}"`, '{"type": "gage-identity-export"}', '{"type": "gage-identity-export", "salt": "…", "nonce": "…", "ct": "…"}',
      'machine h.example.org login ada password changeme1', 'machine h login u password ${TOKEN}', '\u0008machine z\u0007 login z\n password )x9Kq2\u0008rw2 ', 'the machine has a default login and a password of its own', putty('none').slice(0, 120),
      'see https%3A%2F%2Fexample.org%2Fa%3Fb%3Dc', `password%20%3D%20%22${value()}%22`, 'PuTTY-User-Key-File-3: is how they begin; Private-Lines: 3 and then base64',
    ]) assert.deepEqual(find(text), [], text);
    assert.deepEqual(find('machine h login u password my-own-word').map(({ weight }) => weight), ['warn']);
  });

  it('takes time in proportion to the size', () => {
    const took = (bytes: Buffer): number => {
      const start = process.hrtime.bigint();
      findSecrets([{ place: 'x', bytes }], []);
      return Number(process.hrtime.bigint() - start);
    };
    for (const hostile of ['"sign" : "', 'machine a ', 'PuTTY-User-Key-File-3: ', '%2525', '> > > ', 'a\n', '\\u0041']) {
      assert.ok(took(Buffer.from(hostile.repeat(mebibyte / hostile.length))) < 5e9, hostile);
    }
  });

  it('takes little memory for eight mebibytes of short lines', () => {
    const script = `const { findSecrets } = await import(${JSON.stringify(new URL('../../../../lib/families/gage/domain/send/secret-check.js', import.meta.url).href)});
      findSecrets([{ place: 'x', bytes: Buffer.from('a\\n'.repeat(4194304)) }], []); console.log(process.resourceUsage().maxRSS / 1024)`;
    const used = Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
    assert.ok(used > 30 && used < 700, `${used} MiB`);
  });
});
