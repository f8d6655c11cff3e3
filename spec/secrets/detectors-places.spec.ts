import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scanSecrets } from '../../lib/secrets/scan.ts';

/** Numbers and secrets found in a text. */
const found = (path: string, text: string): string[] => scanSecrets(text, { path }).map((hit) => `${hit.detectorId.slice(-3)} ${text.slice(hit.start, hit.end)}`);

// Put together, so that no scanner takes them for leaks.
const word = ['Adm1n', '#2024'].join('');
const key = ['TPf90hSXhvgg3Os2', 'WLldXIylOvUXqgA2'].join('');
const awsKey = ['Arl63XykWZeiNNCiia3a', '/nXn9k3ksu9mI4ROnl8+'].join('');
const putty = (encryption: string, end = '\n'): string => ['PuTTY-User-Key-File-2: ssh-rsa', `Encryption: ${encryption}`, 'Comment: a', 'Public-Lines: 1', key,
  'Private-Lines: 2', `${key}${awsKey}`.slice(0, 64), `${word.slice(0, 5)}=`, 'Private-MAC: 00ff'].join(end);
const basic = (text: string): string => Buffer.from(text).toString('base64');

describe('secrets in the places where tools expect them', () => {
  const cases: readonly (readonly [path: string, text: string, found: readonly string[]])[] = [
    ['.netrc', `machine x.io login u password ${key}\n`, [`075 ${key}`]], ['home/_netrc', `machine x.io\n  login u\n  password\n  ${word}x\n`, [`075 ${word.slice(0, 5)}`]],
    ['notes.txt', `the password ${key}`, []], ['.netrc', 'machine x.io password changeme1\n', []],
    ['main.tf', `variable "token" { default = "${key}" }`, [`075 ${key}`]],
    ['main.tf', `variable "token" {\n  validation { condition = 1 }\n  default = "${key}"\n}`, [`075 ${key}`]],
    ['main.tf', `variable "name" { default = "${key}" }\nvariable "token" {\n}\nresource "a" "b" { default = "${key}" }`, []],
    ['main.tf', `myvariable "token" { default = "${key}" }\nvariable "token" { default = "your-token" }\nvariable "token" {`, []], ['a.md', `variable "token" { default = "${key}" }`, []],
    ['a.sql', `CREATE USER 'a'@'%' IDENTIFIED BY '${word}';`, [`076 ${word}`]], ['a.sql', `CREATE USER a IDENTIFIED WITH sha2 BY '${word}'`, [`076 ${word}`]],
    ['a.sql', `CREATE USER a WITH PASSWORD '${word}';`, [`076 ${word}`]], ['a.sql', `alter role a with login password '${word}'`, [`076 ${word}`]],
    ['a.sh', `mysql -e "SET PASSWORD FOR a = PASSWORD('${word}')"`, [`076 ${word}`]], ['a.py', `c.execute("CREATE USER a PASSWORD '${word}'")`, [`076 ${word}`]],
    ['a.sql', `CREATE USER a WITH PASSWORD 'password'; SELECT password '${word}'`, []], ['a.rb', `identified by '${word}'`, []],
    ['a.sh', `mysql -u root -p${key} db`, [`075 ${key}`]], ['a.sh', `mysqldump -p'${word}' db`, [`075 ${word}`]], ['a.py', `os.system("mariadb -p${key} db")`, [`075 ${key}`]],
    ['a.sh', 'docker run mysql -p3306:3306\nmysql -p"$PW" db\nmysql -p db2024x\nmysql -u root -ppassword', []],
    ['a.sh', `sshpass -p '${word}' ssh x`, [`075 ${word}`]], ['a.sh', `sshpass -p ${key} ssh x`, [`075 ${key}`]], ['a.sh', 'sshpass -p "$P" ssh x\nsshpass -p ${PASS} ssh x\nsshpass -f file ssh', []],
    ['nginx.conf', `proxy_set_header Authorization "Basic ${basic(`admin:${word}`)}";`, [`075 ${basic(`admin:${word}`)}`]],
    ['nginx.conf', `proxy_set_header Authorization "Basic ${basic('admin:password')}";\nauth_basic "Basic auth of ${key}";\nx-authorization: Basic ${basic('no colon')}`, []],
    ['A.java', `c = DriverManager.getConnection("jdbc:h2:x", "sa", "${word}");`, [`076 ${word}`]], ['A.java', 'c = DriverManager.getConnection(url, "sa", "password");\nd = DriverManager.getConnection(url, user, word);', []],
    ['a.py', `requests.get(u, auth=("admin", "${word}"))`, [`076 ${word}`]], ['a.py', `HTTPBasicAuth('admin', '${word}')`, [`076 ${word}`]],
    ['a.py', `requests.get(u, auth=("admin", "secret"))\n# auth=("admin", "${word}")\nrequests.get(u, auth=("admin", word))`, []],
    ['main.tf', `provider "aws" {\n  secret_key = "${awsKey}"\n}`, [`002 ${awsKey}`]], ['a.ini', `secret_key = ${awsKey}`, [`074 ${awsKey}`]],
    ['a.sh', `sshpass -p https://svc:${key}@h.internal ssh x`, [`069 ${key}`]],
    ['key.ppk', `${putty('none')}\n`, [`065 ${putty('none').slice(0, putty('none').indexOf('Private-MAC'))}`]],
    ['a.json', `{"key": "${putty('none', '\\n')}"}`, [`065 ${putty('none', '\\n').slice(0, putty('none', '\\n').indexOf('Private-MAC'))}`]],
    ['a.md', `PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 14\nAAAA…\nPrivate-MAC: …`, []], ['a.md', `PuTTY-User-Key-File-X: ${putty('none').slice(22)}`, []],
    ['a.ppk', putty('none').replace(/Private-Lines: 2[^-]*/, `Private-Lines: 2\n${'A'.repeat(64)}\n`), []], ['a.md', `putty-user-key-file-2:${putty('none').slice(22)}`, []],
    ['two.ppk', `PuTTY-User-Key-File-2: see below\n${putty('none')}`, [`065 ${putty('none').slice(0, putty('none').indexOf('Private-MAC'))}`]],
  ];
  for (const [path, text, expected] of cases) it(`${path}: ${expected.length === 0 ? 'nothing' : expected.map((each) => each.slice(0, 3)).join()} in ${text.slice(0, 60).replaceAll('\n', ' ⏎ ')}`, () => assert.deepEqual(found(path, text), expected));

  it('are less sure of a key of PuTTY that has a passphrase', () => {
    for (const [encryption, severity] of [['none', 'critical'], ['aes256-cbc', 'high']] as const) assert.equal(scanSecrets(putty(encryption), { path: 'a.ppk' })[0]?.severity, severity);
  });

  it('are looked for in linear time', () => {
    for (const [path, piece] of [['a.sql', 'mysql -x '], ['a.java', 'getConnection(a, '], ['a.sh', 'auth=("a", '], ['a.tf', 'variable "a" { {'], ['a.sql', 'identified with x by \''], ['a.sh', 'authorization basic '], ['a.sql', 'create user password '], ['.netrc', 'password '], ['a.ppk', 'PuTTY-User-Key-File-2: '], ['a.ppk', 'putty-user-key-file-']] as const) {
      const time = (size: number): number => {
        const text = piece.repeat(Math.ceil(size / piece.length));
        const start = process.cpuUsage().user;
        scanSecrets(text, { path });
        return process.cpuUsage().user - start;
      };
      time(10_000);
      const [small, large] = [Math.min(time(60_000), time(60_000)), time(480_000)];
      assert.ok(large < 24 * small + 50_000, `${piece}: ${small} and ${large} µs`);
    }
  });

  it('never throw on any text', () => {
    const pieces = fc.constantFrom('password ', 'variable "a" {', 'default = "', 'identified by \'', 'mysql ', '-p', 'sshpass -p ', 'authorization basic ', 'auth=("', '", "', '")', 'getConnection(a', word, key, '\n', '"', '\'', '}');
    fc.assert(fc.property(fc.array(pieces, { maxLength: 20 }), fc.constantFrom('.netrc', 'a.tf', 'a.sql', 'a.py'), (parts, path) => {
      for (const hit of scanSecrets(parts.join(''), { path })) assert.ok(hit.start < hit.end);
    }), { numRuns: 200 });
  });
});

describe('names that only sound like secrets', () => {
  const cases: readonly (readonly [path: string, text: string])[] = [
    ['ci.yml', 'PASSWORD: ${PASSWORD:-default1x}'], ['a.sh', 'export DB_PASSWORD=${DB_PASSWORD:=Qx7default1}'], ['i18n/de.json', '{"login.password":"Passwort1","newPassword":"Neues-Passwort1"}'],
    ['src/messages_de.properties', 'login.password=Passwort1234'], ['k8s/d.yaml', 'configMapKeyRef:\n  name: x\n  key: a8f3kd92jf83hd72hf83kd\n'],
    ['k8s/d.yaml', 'kind: ConfigMap\ndata:\n  key: a8f3kd92jf83hd72hf83kd\n'],
    ...['LockToken', 'NextLockToken', 'nextBackwardToken', 'nextForwardToken', 'LifecycleActionToken', 'ImportToken', 'ExportToken', 'ClientToken', 'clientToken', 'VerificationToken']
      .map((name) => ['a.json', `{"${name}":"${key}"}`] as const),
  ];
  for (const [path, text] of cases) it(`${path}: ${text.slice(0, 50).replaceAll('\n', ' ⏎ ')}`, () => assert.deepEqual(found(path, text), []));

  it('leave what is a secret under a name or in a file that is near', () => {
    const near: readonly (readonly [path: string, text: string])[] = [['de.json', '{"login.password":"Passw0rt!1"}'], ['i18n/de.json', `{"apiToken":"${key}"}`], ['a.env', `SLACK_VERIFICATION_TOKEN=${key}`], ['a.json', `{"accessToken":"${key}"}`], ['k8s/d.yaml', `kind: ConfigMap\n---\nkind: Deployment\n  key: ${key}\n`]];
    for (const [path, text] of near) assert.equal(found(path, text).length, 1, text);
  });
});
