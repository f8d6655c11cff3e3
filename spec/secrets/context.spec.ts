import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scanSecrets } from '../../lib/secrets/scan.ts';
import { pemLike, randomStrings, randomUuid } from './samples.ts';

const r = randomStrings(11);
const found = (text: string, path = 'settings.cfg'): string[] => scanSecrets(text, { path }).map((hit) => `${hit.detectorId.slice(-3)} ${text.slice(hit.start, hit.end)}`);

type Case = [title: string, text: string, expected: string[], path?: string];
function table(cases: readonly Case[]): void {
  for (const [title, text, expected, path] of cases) it(title, () => assert.deepEqual(found(text, path), expected));
}

const aws = r('base64', 40);
const word40 = r('word', 40);
const hex32 = r('hex', 32);
const hex40 = r('hex', 40);
const uuid = randomUuid();
const password = `${r('letter', 6)}9!${r('letter', 4)}`;
const bearer = r('word', 44);

describe('vendor keys known by their neighbours', () => {
  table([
    ['takes 40 characters beside aws and secret', `aws_secret_access_key = ${aws}`, [`002 ${aws}`]],
    ['takes the camel-case name of a JSON answer', `{"SecretAccessKey": "${aws}"}`, [`002 ${aws}`]],
    ['leaves 41 characters to the generic detector', `aws_secret_access_key = ${aws}x`, [`075 ${aws}x`]],
    ['leaves the documented AWS example alone', `aws_secret_access_key = ${['wJalrXUtnFEMI', 'K7MDENG', 'bPxRfiCYEXAMPLEKEY'].join('/')}`, []],
    ['takes a cohere key', `CO_API_KEY="${word40}"`, [`023 ${word40}`]],
    ['takes a mistral key', `MISTRAL_API_KEY=${hex32}`, [`024 ${hex32}`]],
    ['takes a wandb key', `wandb: "${hex40}"`, [`024 ${hex40}`]],
    ['takes a pinecone uuid', `pinecone_key = '${uuid}'`, [`024 ${uuid}`]],
    ['wants the length of that vendor', `wandb_run: "${hex32.slice(0, 10)}"`, []],
    ['takes a mailchimp key near the name', `# mailchimp\nlist = "${hex32}-us12"`, [`029 ${hex32}-us12`]],
    ['wants the name near a mailchimp key', `list = "${hex32}-us12"`, []],
  ]);
});

describe('package registry credentials', () => {
  const token = r('word', 30);
  table([
    ['takes an npm token of any shape', `//registry.example.org/:_authToken=${token}`, [`032 ${token}`], '.npmrc'],
    ['takes _password only in an npm file', `//r.org/:_password=${r('word', 3)}a1b2C3d4E5f6G7`, [], 'readme.md'],
    ['leaves an environment reference alone', '//registry.example.org/:_authToken=${NPM_TOKEN}', [], '.npmrc'],
    ['leaves words alone', '//registry.example.org/:_authToken=MYTOKEN1', [], '.npmrc'],
    ['takes a NuGet password from nuget.config', `<add key="ClearTextPassword" value="${password}" />`, [`035 ${password}`], 'src/NuGet.Config'],
    ['leaves a NuGet variable alone', '<add key="ClearTextPassword" value="%FEED_PASSWORD%" />', [], 'nuget.config'],
    ['leaves a short NuGet value alone', '<add key="Password" value="abc" />', [], 'nuget.config'],
  ]);

  it('takes _auth and _password in an .npmrc file', () => {
    const value = r('base64', 24);
    assert.deepEqual(found(`_auth = "${value}"\n_password=${value}x`, 'home/.npmrc'), [`032 ${value}`, `032 ${value}x`]);
  });
});

describe('private keys', () => {
  const pem = pemLike('RSA PRIVATE KEY', 4);
  const escaped = pemLike('PRIVATE KEY', 3, '\\n');
  table([
    ['takes a PEM block', pem, [`065 ${pem}`], 'id_rsa'],
    ['takes an OpenPGP block', pemLike('PGP PRIVATE KEY BLOCK', 3), [], 'key.pub'],
    ['takes a block with escaped line breaks', `key = "${escaped}\\n"`, [`065 ${escaped}`]],
    ['leaves a public key alone', pemLike('PUBLIC KEY', 4), []],
    ['leaves a certificate alone', pemLike('CERTIFICATE', 4), []],
    ['leaves a head without a body alone', '-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----', []],
    ['leaves a shortened block alone', pem.replace(/\n/, '\n...'), []],
    ['leaves an open block alone', pem.slice(0, 200), []],
    ['leaves a block that another label closes alone', pem.replace('END RSA PRIVATE KEY', 'END CERTIFICATE'), []],
    ['leaves a body of one letter alone', pem.replace(/[A-Za-z0-9+/]{64}/g, 'A'.repeat(64)), []],
    ['leaves prose between the marks alone', `-----BEGIN PRIVATE KEY-----\n${'(see: "the manual")! '.repeat(20)}\n-----END PRIVATE KEY-----`, []],
  ].map((row): Case => (row[0] === 'takes an OpenPGP block' ? [row[0], row[1] as string, [`065 ${row[1] as string}`]] : (row as Case))));

  it('takes an indented block whatever the indentation', () => {
    const text = pem.replace(/^/gm, '    ');
    assert.equal(scanSecrets(text, { path: 'a.yml' })[0]?.detectorId, 'CODE-W1-SECRET-065');
  });

  it('is less sure of an encrypted key', () => {
    const [hit] = scanSecrets(pemLike('ENCRYPTED PRIVATE KEY', 4), { path: 'a.pem' });
    assert.deepEqual([hit?.severity, hit?.confidence], ['high', 'medium']);
  });

  it('takes a block whose end lacks the last dashes', () => {
    assert.equal(found(pem.slice(0, -5)).length, 1);
  });

  it('names a service account key by that and not by its PEM block', () => {
    const key = pemLike('PRIVATE KEY', 4, '\\n');
    const json = JSON.stringify({ type: 'service_account', project_id: 'p', private_key: 'KEY' }, null, 2).replace('KEY', `${key}\\n`);
    assert.deepEqual(found(json, 'sa.json'), [`016 ${key}\\n`]);
    assert.deepEqual(found(json.replace('"type"', '"kind"'), 'sa.json'), [`065 ${key}`]);
    assert.deepEqual(found('{"type": "service_account"}', 'sa.json'), []);
  });
});

describe('addresses, connection strings and headers', () => {
  table([
    ['takes the password of an address', `postgres://app:${password}@db.example.org/x`, [`069 ${password}`]],
    ['takes a password without a user', `redis://:${password}@cache:6379`, [`069 ${password}`]],
    ['leaves an address without password alone', 'https://user@example.org/a:b@c', []],
    ['leaves the word password alone', 'postgres://app:password@db/x', []],
    ['leaves an environment reference alone', 'postgres://app:${DB_PASS}@db/x and mysql://u:$PW@h and amqp://u:{pw}@h', []],
    ['leaves stand-ins alone', 'https://user:your-password@host and https://u:xxxx@host and https://u:***@host', []],
    ['leaves a port and a path with an at sign alone', 'http://localhost:8080/@scope/x', []],
    ['takes Pwd of a connection string', `Server=db01;Database=crm;Uid=app;Pwd=${password}`, [`070 ${password}`]],
    ['takes Password of a connection string', `"Data Source=x;Initial Catalog=y;Password=${password};"`, [`070 ${password}`]],
    ['wants two words of a connection string', 'Server=db01;Pwd=abcd1234', []],
    ['leaves a stand-in of a connection string alone', 'Server=db;Database=x;Pwd=<password>;User Id=a;Password=%PW%', []],
    ['leaves keyword arguments of a function alone', 'def __init__(self, host=H, port=P, user=None, password=None): pass', [], 'a.py'],
    ['takes a connection string in a string of code', `dsn = "host=db port=5432 password=${password}"`, [`070 ${password}`], 'a.py'],
    ['takes a bearer token', `Authorization: Bearer ${bearer}`, [`071 ${bearer}`]],
    ['takes a bearer token in code', `headers = {"Authorization": "Bearer ${bearer}"}`, [`071 ${bearer}`], 'a.py'],
    ['leaves a bearer without authorization alone', `the bearer ${bearer}`, []],
    ['leaves a built header alone', 'headers = {"Authorization": f"Bearer {access_token_of_user}"}', [], 'a.py'],
    ['leaves words after bearer alone', 'Authorization: Bearer some-long-access-token-value', []],
  ]);

  it('is unsure of a password of letters only in an address', () => {
    const [hit] = scanSecrets('ftp://anonymous:flabada@host', { path: 'a.txt' });
    assert.deepEqual([hit?.severity, hit?.confidence], ['medium', 'low']);
  });
});

describe('curl command lines', () => {
  const key = r('hex', 32);
  const basic = Buffer.from(`api:${r('word', 20)}`).toString('base64');
  const secret = `h0pk1ns~${r('digit', 3)}s`;
  table([
    ['takes the password of -u', `curl -u elastic:${password} https://h`, [`072 ${password}`], 'a.sh'],
    ['takes a word with a number', 'curl --user joe:Summer2024 https://h', ['072 Summer2024'], 'a.sh'],
    ['takes a user given alone', `curl -u "${secret}:" https://h`, [`072 ${secret}`], 'a.sh'],
    ['takes a password given alone', `curl -u ":${secret}" https://h`, [`072 ${secret}`], 'a.sh'],
    ['takes a quoted pair', `curl -s --user 'johns:${secret}' $URL`, [`072 ${secret}`], 'a.sh'],
    ['takes a pair with a quoted password', `curl --user kevin:'${secret}' -X PATCH`, [`072 ${secret}`], 'a.sh'],
    ['reads on over continued lines', `curl -k -X POST https://h \\\n  -d 'x' \\\n  -u dev:${secret}`, [`072 ${secret}`], 'a.sh'],
    ['reads on over an indented option', `curl https://h\n    -H "X-Octopus-ApiKey: ${key}"`, [`072 ${key}`], 'a.sh'],
    ['takes basic authorization', `curl -H 'Authorization: Basic ${basic}'`, [`072 ${basic}`], 'a.sh'],
    ['takes other authorization schemes', `curl -H "Authorization: Token ${key}"`, [`072 ${key}`], 'a.sh'],
    ['takes a key header', `curl --header "apikey: ${key}"`, [`072 ${key}`], 'a.sh'],
    ['does not read on into the next command', `curl https://h\nnc -u -l 41234:${secret}`, [], 'a.sh'],
    ['leaves variables alone', 'curl -u "${u}:${p}" -H "apikey: $KEY" -H "Authorization: Bearer $(get token)" -u $1:$2', [], 'a.sh'],
    ['leaves stand-ins alone', `curl -u user:pass -u 'test:test' -u <user:password> -H "Authorization: Bearer XXXXXXXXXXXX"`, [], 'a.sh'],
    ['leaves a name that holds curl alone', `libcurl -u elastic:${password} x`, [], 'a.sh'],
  ]);
});

describe('Kubernetes secrets', () => {
  const value = Buffer.from(`S!B\\*$d${r('word', 6)}`).toString('base64');
  const manifest = (data: string, kind = 'Secret'): string => `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: db\n${data}`;
  table([
    ['takes base64 under data', manifest(`data:\n  # the data\n  extra: ${value}\n  user: YWRtaW4=\n`), [`073 ${value}`], 'a.yaml'],
    ['takes data that stands before kind', `apiVersion: v1\ndata:\n  extra: "${value}"\nkind: Secret\n`, [`073 ${value}`], 'a.yaml'],
    ['takes a block value', manifest(`data:\n  .dockercfg: |\n    ${value}\ntype: Opaque\n`), [`073 ${value}`], 'a.yaml'],
    ['takes a JSON manifest', `{\n  "kind": "Secret",\n  "data": {\n    "extra": "${value}"\n  }\n}`, [`073 ${value}`], 'a.json'],
    ['leaves templates and empty values alone', manifest('data:\n  a: {{ .Values.a }}\n  b: ""\n  c: \'\'\n'), [], 'a.yaml'],
    ['leaves what stands outside data alone', manifest(`data:\n  a: ""\nother:\n  extra: ${value}\n`), [], 'a.yaml'],
    ['leaves other kinds alone', manifest(`data:\n  extra: ${value}\n`, 'ConfigMap') + manifest(`data:\n  extra: ${value}\n`, 'SecretStore'), [], 'a.yaml'],
    ['stays within one document', `${manifest('data:\n  a: ""\n')}\n---\nkind: ConfigMap\ndata:\n  extra: ${value}\n`, [], 'a.yaml'],
    ['starts at its own document', `kind: ConfigMap\ndata:\n  extra: ${value}\n---\n${manifest('type: Opaque')}`, [], 'a.yaml'],
    ['leaves certificates alone', manifest(`data:\n  ca.pem: ${Buffer.from(pemLike('CERTIFICATE', 4)).toString('base64')}\n`), [], 'a.yaml'],
    ['wants the whole key to be kind', `mankind: Secret\ndata:\n  extra: ${value}\n`, [], 'a.yaml'],
  ]);

  it('reaches back over a long stretch without a document mark', () => {
    const text = `${'# filler line\n'.repeat(2000)}data:\n  extra: ${value}\nkind: Secret\n`;
    assert.deepEqual(found(text, 'a.yaml'), [`073 ${value}`]);
  });
});
