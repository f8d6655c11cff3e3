import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maskLine } from '../../lib/cli/mask.ts';

// Put together here, so that no scanner takes this file for a leak.
const key = ['ghp', '_', 'x7Kq9LmZ2RtVb4NcW8yPd3HsJf6GaU1Te5Xo'].join('');

test('secrets of a line are masked, everything else keeps its bytes', () => {
  const cases: [string, string][] = [
    ['{"password":"hunter2"}', '{"password":"***"}'],
    ['{ "Password" : "hunter2" , "a" : 1.0 }', '{ "Password" : "***" , "a" : 1.0 }'],
    ['{"Authorization":"Bearer abc","x-api-key":7}', '{"Authorization":"***","x-api-key":"***"}'],
    ['{"client_secret":null,"accessToken":["a",{"b":"c"}],"d":"e"}', '{"client_secret":null,"accessToken":["***",{"b":"***"}],"d":"e"}'],
    ['{"p\\u0061ssword":"hunter2"}', '{"p\\u0061ssword":"***"}'],
    ['{"id":9007199254740993,"_meta":{"progressToken":"p"}}', '{"id":9007199254740993,"_meta":{"progressToken":"p"}}'],
    ['{"token":{},"after":"plain"}', '{"token":{},"after":"plain"}'],
    ['["password","hunter2"]', '["password","hunter2"]'],
    [`{"text":"see ${key} here"}`, '{"text":"see *** here"}'],
    [JSON.stringify({ content: `import os\npassword = "hunter22"\n` }), JSON.stringify({ content: 'import os\npassword = "***"\n' })],
    [JSON.stringify({ text: JSON.stringify({ api_key: 'abc', n: [1] }) }), JSON.stringify({ text: JSON.stringify({ api_key: '***', n: [1] }) })],
    [`not JSON: ${key}`, 'not JSON: ***'],
    ['{"a":"caf\\u00e9 \\n"}', '{"a":"caf\\u00e9 \\n"}'],
    ['', ''],
  ];
  for (const [line, masked] of cases) assert.equal(maskLine(line), masked);
});

test('a line of more than a mebibyte is left out', () => {
  assert.equal(maskLine(JSON.stringify({ text: 'x'.repeat(1024 * 1024) })), '… 1048587 characters left out');
});

test('a value under a secret key never shows, however deep it is', () => {
  const value = fc.string({ minLength: 1 }).map((text) => `<${text}>`);
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('password', 'api_key', 'Authorization', 'access-token'), value, (json, name, secret) => {
      const line = JSON.stringify({ before: json, inner: [{ [name]: [secret] }], after: json });
      const masked = JSON.parse(maskLine(line)) as { inner: unknown };
      assert.deepEqual(masked.inner, [{ [name]: ['***'] }]);
    }),
  );
});

test('what has no secrets comes back to the byte, whatever it is', () => {
  const plain = fc.stringMatching(/^[ -~\n]{0,20}$/).filter((text) => {
    // Names count without their signs: `pi-n` is `pin`.
    const words = text.replace(/[^a-z0-9]/gi, '');
    return !/secret|pass|pwd|token|key|auth|pin|otp|cookie|bearer|cred/i.test(words) && !text.includes('://');
  });
  fc.assert(fc.property(fc.dictionary(plain, plain), (json) => assert.equal(maskLine(JSON.stringify(json, null, 1)), JSON.stringify(json, null, 1))));
  fc.assert(fc.property(fc.string(), (text) => assert.equal(typeof maskLine(text), 'string')));
});
