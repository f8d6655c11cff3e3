import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scanSecrets } from '../../lib/secrets/scan.ts';
import { randomStrings, randomUuid } from './samples.ts';

const r = randomStrings(29);
const found = (text: string, path: string): string[] => scanSecrets(text, { path }).map((hit) => `${hit.detectorId.slice(-3)} ${text.slice(hit.start, hit.end)}`);

const token = `Zf3D0${r('word', 27)}`;
const password = `dmc${r('digit', 2)}w!${r('letter', 4)}9`;
const uuid = randomUuid();

describe('secrets under a telling name', () => {
  const forms: [form: string, path: string][] = [
    ['myToken="{s}"', 'a.ini'], ['myToken = {s}', 'a.ini'], ['{\n  "my_token": "{s}"\n}', 'a.json'], ['\\{ \\"my_token\\": \\"{s}\\" \\}', 'a.log'],
    ['<myToken>{s}</myToken>', 'a.xml'], ['<myToken>\n    {s}\n</myToken>', 'a.xml'], ['my_token: {s}', 'a.yml'], ["my_token: '{s}'", 'a.yml'],
    ['my_token: |\n  {s}', 'a.yml'], ['my_token: >-\n  {s}', 'a.yml'], ['string myToken = "{s}";', 'a.cs'], ['var myToken string = "{s}"', 'a.go'],
    ['myToken := `{s}`', 'a.go'], ['String myToken = "{s}";', 'A.java'], ['let myToken: string = "{s}";', 'a.ts'], ['my_token: str = "{s}"', 'a.py'],
    ['my_token: Optional[str] = b"{s}"', 'a.py'], ['const MY_TOKEN: &\'static str = "{s}";', 'a.rs'], ['let myToken: String? = "{s}"', 'a.swift'], ['$myToken .= "{s}";', 'a.php'], ['"myToken" => "{s}"', 'a.rb'], ['MY_TOKEN ?= {s}', 'Makefile'],
    ['MY_TOKEN ::= "{s}"', 'Makefile'], ['MY_TOKEN += "{s}"', 'Makefile'], ['config["my_token"] = "{s}"', 'a.py'], ['getOr("api_token", "{s}")', 'a.java'],
    ['if my_token == "{s}":', 'a.py'], ['if (myToken !== "{s}") {', 'a.js'], ['this.token ||= "{s}";', 'a.js'], ['this.token ??= "{s}";', 'a.js'],
    ['<add key="ApiToken" value="{s}"/>', 'web.config'], ['- name: API_TOKEN\n  value: "{s}"', 'a.yml'], ['- name: API_TOKEN\n  value: {s}', 'a.yml'],
    ['{"name": "API_TOKEN", "value": "{s}"}', 'a.json'], ['# api_key = {s}', 'a.py'], ['cmd = "tool --api-key={s}"', 'a.py'], ['export API_KEY={s}', 'a.sh'],
    ['ENV API_KEY={s}', 'Dockerfile'], ['api_token_123 = "{s}"', 'a.py'], ['mySecretString = "{s}"', 'a.py'], ['https://h/x?api_key={s}&b=1', 'a.txt'],
    ['my_token = """{s}"""', 'a.py'], ['"my_token": \\"{s}\\"', 'a.ipynb'], ['API_KEY = {s}', 'notes.md'],
  ];
  for (const [form, path] of forms) it(`reads ${JSON.stringify(form)} in ${path}`, () => assert.deepEqual(found(form.replace('{s}', () => token), path), [`075 ${token}`]));

  it('finds one hit each for two secrets on a line', () => {
    assert.equal(found(`{"api_key": "${token}", "client_secret": "${token.slice(1)}"}`, 'a.json').length, 2);
  });

  it('takes random text that hits a placeholder word by chance, in no case that a word has', () => {
    for (const value of ['IhCoOP14DqfHvF1wYCX1YOur37q', 'nmOCKr5zqiLYhwSnd9CKO2aZ7q', 'XkGUyFjWOTbtODOsR5y6eqTfl7q']) {
      assert.deepEqual(found(`client_secret = "${value}"`, 'a.py'), [`075 ${value}`]);
    }
    for (const value of ['IhCoOP14DqfHvF1wYCX1Your37q', 'nMOCKr5zqiLYhwSnd9CKO2aZ7q', 'XkGUyFjWOTbtodosR5y6eqTfl7q']) assert.deepEqual(found(`client_secret = "${value}"`, 'a.py'), []);
  });

  it('asks more of a password without quotes than of one with', () => {
    assert.deepEqual(found(`password = "${password}"`, 'a.py'), [`075 ${password}`]);
    assert.deepEqual(found(`password=${password}`, '.env'), [`075 ${password}`]);
    assert.deepEqual(found('password: "Summer2024!"', 'a.yml'), ['075 Summer2024!']);
    assert.deepEqual(found('password: "Summer2024"', 'a.yml'), ['075 Summer2024']);
    assert.deepEqual(found('password: "My-Password-Label-1"', 'a.yml'), []);
    assert.deepEqual(found('password=aB3$efgh', '.env'), [], 'too short without quotes');
    assert.deepEqual(found(`password: ${password}`, 'notes.md'), [], 'prose is no configuration');
  });

  it('takes framework keys as such', () => {
    const key = `EiB&${r('word', 40)}^`;
    for (const name of ['SECRET_KEY', 'JWT_SECRET', 'APP_KEY', 'SECRET_KEY_BASE']) assert.deepEqual(found(`${name} = "${key}"`, 'settings.py'), [`074 ${key}`]);
    assert.deepEqual(found('SECRET_KEY = "short-key"', 'settings.py'), []);
  });

  it('takes a value under a vendor name, a uuid only under a secret one, and a bare key when long', () => {
    const short = `k${r('lower', 10)}7xq9`;
    assert.deepEqual(found(`airtable = "${short}"`, 'a.py'), [`075 ${short}`]);
    assert.deepEqual(found(`airtableToken = "${short}"`, 'a.py'), [`075 ${short}`]);
    assert.deepEqual(found(`otherToken = "${short}"`, 'a.py'), [], 'under 16 characters');
    assert.deepEqual(found(`global_setting = "${short}"`, 'a.py'), [], 'lob is not in global');
    assert.deepEqual(found(`api_token = "${uuid}"`, 'a.py'), [`075 ${uuid}`]);
    assert.deepEqual(found(`airtable_base = "${uuid}"\nkey = "${uuid}"\nclient_token = "${uuid}"`, 'a.py'), []);
    assert.deepEqual(found(`key = "${token}"`, 'a.py'), [`075 ${token}`]);
    assert.deepEqual(found(`key = "${token.slice(0, 18)}"\nif key == "${token}": pass\nurl = "https://h/x?key=${token}"`, 'a.py'), []);
  });
});

describe('what is never a secret under a telling name', () => {
  const values = [
    'two words 12 and more', '${API_KEY_FROM_ENV}', '{{ vault.token_value1 }}', '%s-token-%d-value1', '{token_value_here}', '$TOKEN_VALUE_1', '%TOKEN_VALUE_1%', '<your-token-12345>',
    'https://auth.example.org/oauth2/token1', '/run/secrets/forge_token1', './config/token_file.json', 'C:\\secrets\\token1.txt', 'arn:aws:kms:eu-west-1:111122223333:key1',
    'forge-signing-key-2024', 'access_token_for_user_1', 'ultraPictureBoxControl1', 'justlowercaselettersinarow', 'OnlyCamelCaseWordsInARowHere', '1234567890123456',
    '2024-01-31T10:20:30', 'aaaaaaaaaaaaaaaa1', 'abcdefghijklmnop1', 'a1b2a1b2a1b2a1b2', 'changeme12345678', 'my-example-token-9f8e7d', 'xxxx1111yyyy2222zz', 'aB3dummyF9kLq2Xz',
    'redacted-aB3F9kLq', '********a1B2c3', 'testTokenaB3F9kLq2', 'first:second:third2', 'auth.f4ke-host.com:5215', 'me+tag@mail-host3.org', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
    'get_token_from_env("X1")', 'settings.API_TOKEN_V2', '[A-Za-z0-9]{16,40}', '\\d+-[a-z]{8}-\\w+', 'op://vault/item/field1', 'ENC[AES256_GCM,data:W3PiZ6lD6b]', '$2b$12$R9h/cIPz0gi.URNNX3kh2O',
    'sha256-Zf3D0LXCM3EIMbgJpUNnkR', 'server.key', 'X25519.BlindKeySignatures', '0x1f2e3d4c5b6a79881234',
  ];
  for (const value of values) {
    it(`leaves ${JSON.stringify(value)} alone`, () => {
      assert.deepEqual(found(`api_token = ${JSON.stringify(value)}`, 'a.py'), []);
      assert.deepEqual(found(`api_token: "${value}"`, 'a.yml'), []);
    });
  }

  const names = [
    'token_url', 'secret_path', 'key_file', 'secretName', 'key_id', 'token_type', 'KEY_ALIAS', 'password_label', 'password_hint', 'auth_header', 'key_size', 'API_VERSION', 'publicKey', 'primary_key',
    'foreignKey', 'cache_key', 'bucket_key', 'csrf_token', 'next_page_token', 'pageToken', 'tokenization', 'author', 'authentication_source', 'accessibilityKey', 'accessor', 'monkey', 'keyword', 'credentialsId',
    'request_token', 'random_access', 'authenticity_token',
  ];
  for (const name of names) it(`does not look under ${name}`, () => assert.deepEqual(found(`${name} = "${token}"`, 'a.py'), []));

  const code: [text: string, path: string][] = [
    [`token = ${token}`, 'a.py'], [`token: ${token};`, 'a.ts'], [`f(token=${token})`, 'a.py'], [`"token": ${token}`, 'a.ipynb'], [`x = f"api_key=" + other; token = f"${token}"`, 'a.py'],
    [`a = 'token=' + b + '${token}'`, 'a.py'], [`token ${token}`, 'a.cfg'], [`token, "${token}"`, 'a.py'], [`token::Type("${token}")`, 'a.cpp'], [`"AWS::Api::ApiKey": "${token}"`, 'a.json'],
    [`arn:aws:secretsmanager:us-west-2:123456789012:secret:${token}`, 'a.json'], ['token =', 'a.ini'], ['token = "', 'a.ini'], [`token = "${'x9Y'.repeat(80)}"`, 'a.ini'],
    [`token=${'x9Y'.repeat(80)}`, 'a.ini'], [`token = "abc\n${token}"`, 'a.ini'], [`token > ${token}`, 'a.ini'], [`token ? ${token} : b`, 'a.ini'], [`password: str`, 'a.py'],
  ];
  for (const [text, path] of code) it(`leaves ${JSON.stringify(text.slice(0, 40))} in ${path} alone`, () => assert.deepEqual(found(text, path), []));
});

describe('weak passwords in string literals', () => {
  const weak: [text: string, path: string][] = [
    ['password = "hunter2"', 'a.py'], ['connect(user, password="hunter2")', 'a.py'], ['{"password": "hunter2"}', 'a.py'], ['const dbPassword = \'hunter2\';', 'a.js'], ['String pwd = "hunter2";', 'A.java'],
  ];
  for (const [text, path] of weak) {
    it(`takes ${text} at medium severity and low confidence`, () => {
      const [hit] = scanSecrets(text, { path });
      assert.deepEqual([hit?.detectorId, hit?.severity, hit?.confidence], ['CODE-W1-SECRET-076', 'medium', 'low']);
    });
  }

  const none: [text: string, path: string][] = [
    ['"""Use password = "hunter2" to log in."""', 'a.py'], ['# password = "hunter2"', 'a.py'], ['usage = \'password = "hunter2"\'', 'a.py'], ['password: "hunter2"', 'a.yml'], ['password = "hunter"', 'a.py'],
    ['password = "ab1"', 'a.py'], ['password = "my-pass-1"', 'a.py'], ['password = "changeme1"', 'a.py'], ['if password == "hunter2": pass', 'a.py'], ['password = "https://h0/x"', 'a.py'],
    [`password_id = "hunter2"`, 'a.py'], ['token = "hunter2"', 'a.py'], ['password = "1234567"', 'a.py'], ['password = get("hunter2")', 'a.py'],
  ];
  for (const [text, path] of none) it(`leaves ${text} in ${path} alone`, () => assert.deepEqual(found(text, path), []));
});
