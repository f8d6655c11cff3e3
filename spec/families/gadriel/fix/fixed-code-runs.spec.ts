/** Runs code before and after its fix by Python: harmless values come to the same, hostile ones no longer get through. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { tempFolder } from '../../../support/temp-folder.ts';
import { fixedText } from './fix-kit.ts';

/** `keeps`: expressions whose value is the same before and after; `blocks`: expressions with the value they have after the fix only. */
type Row = { readonly what: string; readonly rule: string; readonly code: string; readonly keeps?: readonly string[]; readonly blocks?: Readonly<Record<string, unknown>> };

const flask = 'from flask import Flask, request\napp = Flask(__name__)\n@app.route("/")\n';
const query = (body: string): string => `import sqlite3\nfrom flask import request\ndb = sqlite3.connect(":memory:")\ndb.execute("CREATE TABLE t (a TEXT, d TEXT)")\n`
  + `db.executemany("INSERT INTO t VALUES (?, date('now', ?))", [("x", "-1 days"), ("y", "-9 days"), ("it's", "-9 days")])\ndef f():\n    a = request.args["a"]\n    return db.execute(${body}).fetchall()\n`;
const shell = (head: string, body: string): string => `${head}\nfrom flask import request\ndef f():\n    x = request.args["x"]\n${body}\n`;

const rows: readonly Row[] = [
  { what: 'os.popen', rule: 'L3-003', code: shell('import os', '    return os.popen("cat " + x).read()'), keeps: ['at(f, x="one.txt")', 'at(f, x="gone")'], blocks: { 'at(f, x="two words.txt")': '2\n', 'at(f, x="-n")': 'dash\n', 'at(f, x="one.txt; touch pwned")': '', 'exists("pwned")': false } },
  { what: 'getoutput with both streams', rule: 'L3-008', code: shell('import subprocess', '    return subprocess.getoutput(f"cat {x}")'), keeps: ['at(f, x="one.txt")', 'at(f, x="gone")'], blocks: { 'at(f, x="`touch pwned`").endswith("\\n")': false, 'exists("pwned")': false } },
  { what: 'what os.system comes to', rule: 'L3-003', code: shell('import os', '    return "down" if os.system(f"test -e {x}") else "up"'), keeps: ['at(f, x="one.txt")', 'at(f, x="gone")'], blocks: { 'at(f, x="gone || true")': 'down' } },
  { what: 'a variable with the result', rule: 'L3-003', code: shell('import os', '    rc = os.system("test -e " + x)\n    if rc != 0:\n        return rc == 0\n    return not rc'), keeps: ['at(f, x="one.txt")', 'at(f, x="gone")'] },
  { what: 'a shell behind subprocess', rule: 'L3-017', code: shell('import subprocess', '    command = f"ls -a {x}"\n    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout'), keeps: ['at(f, x="sub")'], blocks: { 'at(f, x="sub; echo more")': '' } },
  { what: 'quotes of shlex', rule: 'L3-017', code: shell('import shlex, subprocess', '    return subprocess.check_output(f"cat {shlex.quote(x)} {request.args[\'y\']}", shell=True, text=True)'), keeps: ['at(f, x="two words.txt", y="one.txt")'] },
  { what: 'a value in quotes', rule: 'L3-014', code: query('f"SELECT a FROM t WHERE a = \'{a}\'"'), keeps: ['at(f, a="x")', 'at(f, a="none")'], blocks: { 'at(f, a="\' OR 1=1 --")': [], 'at(f, a="it\'s")': [["it's"]] } },
  { what: 'a pattern', rule: 'L3-014', code: query('"SELECT a FROM t WHERE a LIKE \'%" + a + "%\' ESCAPE \'!\'"'), keeps: ['at(f, a="x")', 'at(f, a="%")'] },
  { what: 'a part of a date', rule: 'L3-014', code: query('f"SELECT a FROM t WHERE d > date(\'now\', \'-{a} days\')"'), keeps: ['at(f, a="3")', 'at(f, a="30")'] },
  { what: 'a value beside two quotes', rule: 'L3-014', code: query('f"SELECT a FROM t WHERE a <> \'it\'\'s\' AND a = \'{a}\'"'), keeps: ['at(f, a="x")', 'at(f, a="y")'] },
  { what: 'a page', rule: 'L3-013', code: `${flask}def f():\n    n = request.args["n"]\n    return f"<p title='{n}'>{n}</p>"\n`, keeps: ['at(f, n="Ann")'], blocks: { 'at(f, n="<b>\'")': "<p title='&lt;b&gt;&#x27;'>&lt;b&gt;&#x27;</p>" } },
  { what: 'a page in a variable by the name of the module', rule: 'L3-013', code: `import html\n${flask}def f():\n    html = f"<p>{request.args['n']}</p>"\n    return html\n`, keeps: ['at(f, n="Ann")'], blocks: { 'at(f, n="<b>")': '<p>&lt;b&gt;</p>' } },
  { what: 'a page with an escaped value', rule: 'L3-013', code: `from html import escape\n${flask}def f():\n    return f"<p>{escape(request.args['a'])} {request.args['b']}</p>"\n`, keeps: ['at(f, a="<", b="x")'], blocks: { 'at(f, a="<", b="<")': '<p>&lt; &lt;</p>' } },
  { what: 'a redirect', rule: 'L3-026', code: 'from django.shortcuts import redirect\ndef f(request):\n    return redirect(request.GET.get("next", "/home"))\n', keeps: ['f(Get())', 'f(Get(next="/a"))'], blocks: { 'f(Get(next="https://evil.example"))': '/' } },
  { what: 'a redirect that is chosen', rule: 'L3-026', code: 'from django.shortcuts import redirect\ndef f(request):\n    return redirect(request.GET["a"] if request.GET.get("ok") else request.GET["b"])\n', keeps: ['f(Get(a="/a", b="/b"))', 'f(Get(a="/a", b="/b", ok="1"))'], blocks: { 'f(Get(a="https://evil.example", b="/b", ok="1"))': '/' } },
  { what: 'an old version of TLS', rule: 'CONFIG-003', code: 'import ssl\ndef f():\n    return ssl.SSLContext(ssl.PROTOCOL_TLSv1)\n', blocks: { 'f().verify_mode.name': 'CERT_REQUIRED', 'f().cert_store_stats() == __import__("ssl").create_default_context().cert_store_stats()': true } },
  { what: 'both switches of a context', rule: 'CONFIG-001', code: 'import ssl\ndef f():\n    ctx = ssl.create_default_context()\n    ctx.check_hostname = False\n    ctx.verify_mode = ssl.CERT_NONE\n    return ctx\n', blocks: { 'f().verify_mode.name': 'CERT_REQUIRED', 'f().check_hostname': true } },
  { what: 'a name for a file', rule: 'L3-037', code: 'import tempfile\ndef f(descriptor):\n    p = tempfile.mktemp()\n    with open(p, "w") as out:\n        out.write(descriptor)\n    return open(p).read()\n', keeps: ['f("text")'] },
  { what: 'a mode', rule: 'L3-038', code: 'import os, stat\ndef f():\n    os.chmod("one.txt", stat.S_IRWXU | stat.S_IWOTH)\n    return oct(os.stat("one.txt").st_mode & 0o777)\n', blocks: { 'f()': '0o700' } },
  { what: 'a checksum', rule: 'CRYPTO-001', code: 'import hashlib\ndef etag(data):\n    return hashlib.md5(data).hexdigest()\n', keeps: ['etag(b"x")'] },
  { what: 'a code', rule: 'CRYPTO-004', code: 'import random\ndef f():\n    otp = random.randint(0, 9)\n    return otp in range(10)\n', keeps: ['f()'] },
  { what: 'data', rule: 'L3-002', code: 'from flask import request\ndef f():\n    return eval(request.args["x"])\n', keeps: ['at(f, x="[1, {\'a\': -2}]")'], blocks: { 'fails(lambda: at(f, x="__import__(\'os\')"))': 'ValueError' } },
  { what: 'a log', rule: 'L3-033', code: 'import logging\nfrom flask import request\nlog = logging.getLogger("spec")\nclass Keep(logging.Handler):\n    def emit(self, record):\n        self.text = record.getMessage()\nkeep = Keep()\nlog.addHandler(keep)\ndef f():\n    log.warning(f"100% of {request.args[\'n\']}")\n    return keep.text\n', blocks: { 'at(f, n="a\\nb")': "100% of 'a\\nb'" } },
];

/** Stands in for what the code imports, and runs each piece of code in names of its own. */
const driver = String.raw`
import json, os, sys, types
class Args(dict):
    pass
request = types.SimpleNamespace(args=Args())
class Flask:
    def __init__(self, name): pass
    def route(self, path): return lambda function: function
class Get:
    def __init__(self, **values): self.GET = values
    def get_host(self): return "here.example"
def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
module("flask", request=request, Flask=Flask)
for name in ["django", "django.utils"]: module(name)
module("django.shortcuts", redirect=lambda target: target)
module("django.utils.http", url_has_allowed_host_and_scheme=lambda url, allowed_hosts: url.startswith("/") and not url.startswith("//"))
def at(function, **values):
    request.args = Args(values)
    return function()
def fails(function):
    try:
        function()
    except Exception as error:
        return type(error).__name__
for name, text in {"one.txt": "1\n", "two words.txt": "2\n", "-n": "dash\n"}.items():
    with open(name, "w") as out: out.write(text)
os.mkdir("sub")
answers = []
for code, expression in json.load(sys.stdin):
    names = dict(at=at, fails=fails, Get=Get, exists=os.path.exists, __name__="spec")
    try:
        exec(code, names)
        answers.append(json.loads(json.dumps(["value", eval(expression, names)])))
    except Exception as error:
        answers.append(["error", repr(error)])
print("\n" + json.dumps(answers))
`;

const python = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'], { timeout: 20_000 });

describe('fixed code', { skip: python.status === 0 ? false : 'needs python3 of version 3.9 or newer' }, () => {
  const folder = tempFolder();
  it('runs, and does what it did but for the flaw', async () => {
    const jobs: { readonly what: string; readonly code: string; readonly expression: string; readonly expected?: unknown; readonly original?: string }[] = [];
    for (const { what, rule, code, keeps = [], blocks = {} } of rows) {
      const fixed = await fixedText(code, `CODE-W1-${rule}`);
      assert.doesNotMatch(fixed, /^declined/, what);
      for (const expression of keeps) jobs.push({ what, code: fixed, expression, original: code });
      for (const [expression, expected] of Object.entries(blocks)) jobs.push({ what, code: fixed, expression, expected });
    }
    const input = [...jobs.map(({ code, expression }) => [code, expression]), ...jobs.flatMap(({ original, expression }) => (original === undefined ? [] : [[original, expression]]))];
    const { stdout, stderr } = spawnSync('python3', ['-W', 'ignore', '-c', driver], { cwd: folder.root, input: JSON.stringify(input), encoding: 'utf8', timeout: 40_000, env: { ...process.env, LC_ALL: 'C' } });
    assert.ok(stdout.includes('\n'), stderr);
    const answers = JSON.parse(stdout.slice(stdout.trimEnd().lastIndexOf('\n'))) as unknown[];
    let next = jobs.length;
    for (const [index, { what, code, expression, expected, original }] of jobs.entries()) {
      assert.deepEqual(answers[index], original === undefined ? ['value', expected] : answers[next++], `${what}: ${expression}\n${code}`);
      assert.equal((answers[index] as unknown[])[0], 'value', `${what}: ${expression}\n${code}`);
    }
  });
});
