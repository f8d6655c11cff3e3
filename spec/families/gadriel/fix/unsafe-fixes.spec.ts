/** Code whose fix by a pattern would leave the flaw, break the program or be theatre: declined, or fixed in the one right way. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endOfOptions, whyNoList } from '../../../../lib/families/gadriel/domain/fix/templates/commands/programs.ts';
import { valueMark } from '../../../../lib/families/gadriel/domain/program-options.ts';
import { whyNotEscaped } from '../../../../lib/families/gadriel/domain/fix/templates/pages/html-place.ts';
import { fixByTemplate } from '../../../../lib/families/gadriel/domain/fix/templates/index.ts';
import { applyEdits } from '../../../../lib/families/gadriel/domain/fix/text-edit.ts';
import { makeFinding } from '../support/finding.ts';
import { githubToken } from '../support/sample-secrets.ts';
import { checkText, fixedText, scanText } from './fix-kit.ts';

/** A rule without `CODE-W1-`, code, and a part of the fixed code or of why it is declined. */
type Row = readonly [rule: string, code: string, expected: string | RegExp];

const withRequest = (head: string, body: string): string => `${head}\nfrom flask import request\ndef f(client=None):\n    x = request.args["x"]\n${body.replace(/^/gm, '    ')}\n`;
const run = (command: string): string => withRequest('import subprocess', `subprocess.run(f"${command}", shell=True)`);
const argv = 'its arguments say';
const page = (body: string, head = ''): string => `${head}from flask import Flask, request\napp = Flask(__name__)\ndef header(): return ""\n@app.route("/")\ndef f():\n    x = request.args["x"]\n${body.replace(/^/gm, '    ')}\n`;
const view = (route: string, parameter: string, body: string): string =>
  `import os\nfrom flask import Flask, request, send_file\napp = Flask(__name__)\nBASE = "/srv/files"\n@app.route("${route}")\ndef f(${parameter}):\n${body.replace(/^/gm, '    ')}\n`;
const query = (text: string): string => withRequest('import sqlite3', `sqlite3.connect("a").execute(f"${text}")`);
const mktemp = (use: string): string => `import os, tempfile, socket, shutil\ndef f():\n    p = tempfile.mktemp()\n    ${use}\n    return p\n`;

const rows: readonly Row[] = [
  // Programs that run what they are given, and words of the shell.
  ...["bash -c '{x}'", 'sh {x}', 'python -c {x}', 'python3.11 x.py {x}', '/usr/bin/perl {x}', 'sudo {x}', 'xargs {x}', 'ssh host ls {x}', 'find . -exec {x}', 'env {x}', 'nohup {x}', 'timeout 5 {x}', 'make {x}', 'node {x}']
    .map((command): Row => ['L3-017', run(command), new RegExp(argv)]),
  ...['cd {x}', 'source {x}', '. {x}', 'exit {x}', 'export {x}', 'ulimit {x}', 'alias {x}', 'type {x}', 'eval {x}', 'exec {x}'].map((command): Row => ['L3-017', run(command), /word of the shell/]),
  ['L3-017', run('tool --eval {x}'), /a person has to judge/],
  ...['git clone -c {x} a', 'tar -xf x.tar -I {x}', 'curl -K {x}', 'curl --config={x} a'].map((command): Row => ['L3-017', run(command), /chooses what it runs/]),
  ...['zip a.zip {x}', 'git log {x}', 'scp {x} host:', 'adb shell {x}', 'start {x}', 'curl -{x} a'].map((command): Row => ['L3-017', run(command), /a person has to judge/]),
  ['L3-003', withRequest('import os', 'os.system("git -c " + x + " status")'), /a person has to judge/],
  ...['git clone " + x', 'git -c " + x + " status', 'echo " + x + " | sh', 'echo " + x + " > a; sh a', 'LANG=C eval " + x + "', '>/dev/null bash " + x + "'].map((command): Row =>
    ['L3-007', withRequest('import paramiko', `client = paramiko.SSHClient()\nclient.exec_command("${command.endsWith('x') ? command : `${command}"`})`), /checked first|person has to judge|arguments say|word of the shell|of its own/]),
  ...['ls # listing for " + x', 'ls $" + x', '> file " + x', 'ls > " + x'].map((command): Row =>
    ['L3-007', withRequest('import paramiko', `client = paramiko.SSHClient()\nclient.exec_command("${command})`), /of its own/]),
  ...['GIT_SSH_COMMAND=" + x + " git fetch', 'LD_PRELOAD=" + x + " ls', 'export " + x + " && ls', 'export PATH=" + x + " && ls', 'unset " + x + "'].map((command): Row =>
    ['L3-007', withRequest('import paramiko', `client = paramiko.SSHClient()\nclient.exec_command("${command}")`), /setting of its environment|word of the shell/]),
  ['L3-017', withRequest('import subprocess', 'rest = request.args.getlist("x")\nsubprocess.run("rm %s" % rest[1:], shell=True)'), /one word of the command or several/],
  ['L3-003', withRequest('import os', 'for each in ["-la /tmp", x]:\n    os.system("ls " + each)'), /one word of the command or several/],
  ...['OPTIONS = ["-f", "-r"]\nfor each in OPTIONS:\n    ', 'for each, p in (("-f", "x"),):\n    ', 'for each in {"-f", "-r"}:\n    ', 'for i, each in enumerate(["-f"]):\n    ', 'FLAGS = {"q": "-f"}\neach = FLAGS[x]\n'].map((head): Row =>
    ['L3-003', withRequest('import os', `${head}os.system(f"rm {each} {x}")`), /one word of the command or several/]),
  ...['test -v " + x + " && ls', 'printf " + x + " x', 'cd " + x + " && git commit', 'cd " + x + " && git rev-parse HEAD:src', 'cd " + x + " && /usr/bin/git rev-parse HEAD'].map((command): Row =>
    ['L3-007', withRequest('import paramiko', `client = paramiko.SSHClient()\nclient.exec_command("${command}")`), /of a shell can run|a folder of any choice/]),
  // What is looked at for words of a command is no matter elsewhere.
  ['L3-014', 'import sqlite3\nfrom flask import Flask, request\napp = Flask(__name__)\n@app.route("/<u>")\ndef f(u="1"):\n    sqlite3.connect("a").execute(f"select * from t where id = {u}")\n', 'id = ?", (u,)'],
  ['L3-014', withRequest('import sqlite3', 'uid = request.args.get("id", "1")\nsqlite3.connect("a").execute(f"select * from t where id = {uid}")'), 'id = ?", (uid,)'],
  ['L3-002', withRequest('', 'try:\n    return eval(x)\nexcept (NameError, SyntaxError):\n    return None'), /does not raise/],
  ['L3-002', withRequest('', 'try:\n    return eval(x)\nexcept Exception:\n    return None'), 'ast.literal_eval(x)'],
  ...['map(eval(x), [1])', 'sorted([1], key=eval(x))'].map((use): Row => ['L3-002', withRequest('', `return ${use}`), /called or looked into/]),
  ['L3-007', withRequest('import paramiko', 'client = paramiko.SSHClient()\nclient.exec_command(f"LANG=C ls {x} 2>&1 | grep a")'), 'f"LANG=C ls {shlex.quote(str(x))} 2>&1 | grep a"'],
  ['L3-008', withRequest('import asyncio', 'asyncio.create_subprocess_shell(f"ls {x}", asyncio.subprocess.PIPE)'), /needs a shell/],
  ...['"-r" if client else ""', 'request.args.get("x", "-l")', '"*.txt"', '"~/data"', '"2>/dev/null"', 'f"--depth={x}"'].map((value): Row =>
    ['L3-017', withRequest('import subprocess', `value = ${value}\nsubprocess.run(f"ls {value} {x}", shell=True)`), /one word of the command or several/]),
  ['L3-017', 'import subprocess\ndef f(x, how="-a"):\n    subprocess.run(f"ls {how} {x}", shell=True)\n', /one word of the command or several/],
  ['L3-017', withRequest('import subprocess', 'subprocess.run(f"cat {request.args.get(\'x\', \'\')}", shell=True)'), '["cat", "--", str(request.args.get(\'x\', \'\'))]'],
  ['L3-003', withRequest('import os', 'os.system("cat /logs/" + request.args["name"])'), `["cat", f'/logs/{request.args["name"]}']`],
  ['L3-017', 'import subprocess\ndef f(str):\n    subprocess.run("ls %s" % str, shell=True)\n', '["ls", "--", f"{str!s}"]'],
  ...['eval(x)()', 'eval(x).y', 'isinstance(3, eval(x))'].map((use): Row => ['L3-002', withRequest('', `return ${use}`), /called or looked into/]),
  ['L3-002', withRequest('', 'made = eval(x)\nreturn made(1)'), /called or looked into/],
  ['L3-003', withRequest('import os', 'os.system("source env.sh " + x)'), /word of the shell/],
  ['L3-004', withRequest('import subprocess', 'subprocess.run(["bash", "-c", f"exit {x}"])'), /word of the shell/],
  ['L3-004', withRequest('import subprocess', 'subprocess.run(["bash", "-c", f"ls {x}"], executable="/bin/zsh")'), /named by executable/],
  ['L3-008', withRequest('import asyncio', 'asyncio.create_subprocess_shell(f"ls {x}", executable="/bin/zsh")'), /named by executable/],
  ['L3-008', withRequest('import asyncio', 'asyncio.create_subprocess_shell(f"cd {x}")'), /word of the shell/],
  ['L3-017', withRequest('import subprocess', 'subprocess.call(f"ls {x}", shell=True, executable="/bin/bash")'), /named by executable/],
  ['L3-017', withRequest('import subprocess', 'subprocess.run(**{"shell": True}, args=f"ls {x}")'), /named by executable/],
  ['L3-007', withRequest('import paramiko', 'client = paramiko.SSHClient()\nclient.exec_command("sudo " + x)'), new RegExp(argv)],
  ['L3-007', withRequest('import paramiko', 'client = paramiko.SSHClient()\nclient.exec_command(f"cd /srv && {x} -l")'), /the program itself/],
  ['L3-007', withRequest('import paramiko', 'client = paramiko.SSHClient()\nclient.exec_command(f"cd {x} && ls")'), 'f"cd {shlex.quote(str(x))} && ls"'],
  ['L3-007', withRequest('import paramiko', 'client = paramiko.SSHClient()\ncommand = x\nclient.exec_command("ls " + command)'), /one word of the command or several/],
  ['L3-007', withRequest('import paramiko, shlex', 'client = paramiko.SSHClient()\nclient.exec_command(f"ls {shlex.quote(x)} {request.args[\'y\']}")'), 'f"ls {shlex.quote(x)} {shlex.quote(str(request.args[\'y\']))}"'],

  // What the call's own program does without the value; what may be bytes.
  ...['request.args.get("d", "")', 'y'].map((value): Row => ['L3-003', withRequest('import os', `y = request.args.get("d", "")\nos.system("ls -la " + ${value})`), /does something else/]),
  ['L3-003', withRequest('import os', 'os.system("cat " + request.args.get("d", ""))'), '["cat", "--", request.args.get("d", "")]'],
  ...['request.data', 'client.get(x)', 'request.get_data()'].map((value): Row => ['L3-002', withRequest('', `raw = ${value}\nreturn eval(raw)`), /may be bytes|expression to calculate/]),
  ['L3-002', withRequest('', 'return eval(request.args.get("list"))'), 'ast.literal_eval(request.args.get("list"))'],
  // Names that a function imports, but later; imports beside a text that goes on.
  ['L3-003', withRequest('import os', 'os.system("ls " + x)\nimport subprocess\nsubprocess.run(["ls"])'), /name subprocess means something else/],
  ['L3-003', withRequest('import os', 'import subprocess\nos.system("ls " + x)'), 'subprocess.run(["ls", "--", x]'],
  ['L3-003', 'import os; DOC = """\nusage\n"""\ndef f(x=input()):\n    pass\nfrom flask import request\ndef g():\n    os.system("ls " + request.args["x"])\n', '"""\nimport subprocess\ndef f'],
  ['L3-026', 'from django.shortcuts import redirect\ndef v(request):\n    return redirect(request.GET.get("next") or "accounts:profile")\n', /name of a view/],
  ['L3-026', 'from django.shortcuts import redirect\ndef v(request):\n    return redirect(request.GET.get("next") or "/home")\n', 'next_url if url_has_allowed_host_and_scheme(next_url, '],
  ...['{x, x}', '{(yield)}', '{*x,}'].map((value): Row => ['L3-017', withRequest('import subprocess', `subprocess.run(f"ls ${value}", shell=True)`), /needs a shell|one word of the command/]),
  // Names of the outer dict, answers of models, what a person types, parsers that read their own DTD, helpers for other files.
  ['L3-003', 'import os\ndef f():\n    host = input("Host: ")\n    os.system("ping -c 1 " + host)\n', '["ping", "-c", "1", host]'],
  ['L3-003', 'import os\ndef f():\n    host = input("Host: ")\n    os.system("cat " + host)\n', '["cat", "--", host]'],
  ['L3-031', 'from lxml import etree\netree.XMLParser(load_dtd=True)\n', 'load_dtd=False, resolve_entities=False)'],
  ['L3-031', 'from lxml import etree\netree.XMLParser(load_dtd=True, resolve_entities=True)\n', 'load_dtd=False, resolve_entities=False)'],
  ['L3-031', 'from lxml import etree\netree.XMLParser(load_dtd=True, dtd_validation=True)\n', /validate by the DTD/],
  ...['def compute_hash(pw):\n    h = hashlib.md5()\n    h.update(pw.encode())\n    return h.hexdigest()', 'def f(pin):\n    return hashlib.sha1(pin.encode()).hexdigest()', 'def hash_otp(x):\n    return hashlib.md5(x).hexdigest()'].map((code): Row =>
    ['CRYPTO-001', `import hashlib\n${code}\n`, /./]),
  ['L3-013', page(`return "<p>" + ${'x + "</p><p>" + '.repeat(200)}x`), /not put together here/],
  // An empty default is no argument at all.
  ['L3-017', 'import subprocess\ndef f(x=""):\n    subprocess.run(f"ls -la {x}", shell=True)\n', /one word of the command or several/],
  ['L3-017', 'import subprocess\ndef f(y):\n    for x in ("", "a"):\n        subprocess.run(f"ls -la {x} {y}", shell=True)\n', /one word of the command or several/],
  // Where it runs is chosen outside.
  ...['cwd=x', 'cwd=os.path.join("/srv", x)', 'env={**os.environ, "GIT_SSH_COMMAND": x}', 'cwd=y'].map((keyword): Row =>
    ['L3-017', withRequest('import os, subprocess', `y = "/srv/" + x\nsubprocess.run(f"git add {request.args['f']}", shell=True, ${keyword})`), /comes from outside/]),
  ['L3-008', withRequest('import asyncio', 'asyncio.create_subprocess_shell(f"ls {x}", cwd=x)'), /comes from outside/],
  ['L3-004', withRequest('import subprocess', 'subprocess.run(["sh", "-c", f"ls {x}"], cwd=x)'), /comes from outside/],
  ['L3-017', 'import subprocess\nREPO = "/srv/repo"\ndef f(x):\n    subprocess.run(f"git add {x}", shell=True, cwd=REPO, env={"LANG": "C"})\n', '["git", "add", "--", format(x)], cwd=REPO'],
  // Code inside an f-string, where quotes can not stand in quotes before Python 3.12.
  ['L3-003', withRequest('import os', 'return f"<pre>{os.popen(\'nslookup \' + request.args[\'d\']).read()}</pre>"'), /inside an f-string/],
  ['L3-017', withRequest('import subprocess', 'return f"{subprocess.check_output(f\'cat /srv/{x}\', shell=True)}"'), /inside an f-string/],
  ['L3-017', withRequest('import subprocess', 'return f"""{subprocess.check_output(f\'cat /srv/{x}\', shell=True)}"""'), '["cat", f"/srv/{x}"]'],
  ['L3-003', withRequest('import os', 'return f"<pre>{os.popen("nslookup " + x).read()}</pre>"'), '{subprocess.run(["nslookup", x]'],
  ['SECRET-004', `print(f"{g('${githubToken(1)}')}")\n`, /inside an f-string/],
  // Code of a module has only what was imported before it.
  ['CRYPTO-004', 'import random; token = random.getrandbits(128)\n', /means something else|no line/],
  ['CRYPTO-004', 'import random\ntoken = random.getrandbits(128)\nimport secrets\n', 'import random\nimport secrets\ntoken = secrets'],
  ['CRYPTO-004', 'import random\ndef token():\n    return random.getrandbits(128)\nimport secrets\n', 'return secrets.randbits(128)\nimport secrets'],
  ['CRYPTO-004', 'import random\ntoken = lambda: random.getrandbits(128)\nimport secrets\n', 'lambda: secrets.randbits(128)\nimport secrets'],
  ['CRYPTO-004', 'import random\nclass A:\n    token = random.getrandbits(128)\nimport secrets\n', 'import secrets\nclass A'],

  // Values that are several words, or quoted already.
  ...['" ".join(request.args.getlist("x"))', 'request.args["options"]', 'request.args.get("command")', 'request.args.getlist("x")', 'read(x)', '"-a " + x', '[x]', 'x * 2', 'repr(x)', 'x.replace(" ", "_")'].map((value): Row =>
    ['L3-017', withRequest('import subprocess', `value = ${value}\nsubprocess.run(f"ls {value} {x}", shell=True)`), /one word of the command or several/]),
  ['L3-017', withRequest('import subprocess', 'for flags in ["a"]:\n    subprocess.run(f"ls {flags} {x}", shell=True)'), /one word of the command or several/],
  ['L3-017', withRequest('import subprocess', 'name = "a"\nname += x\nsubprocess.run(f"ls {name}", shell=True)'), /one word of the command or several/],
  ['L3-017', withRequest('import shlex, subprocess', 'subprocess.run(f"ls {shlex.quote(x)} {request.args[\'y\']}", shell=True)'), '["ls", "--", x, str(request.args[\'y\'])]'],
  // What may hold the quotes of shlex already; a request holds none.
  ...['q = shlex.quote(x)', 'q = shlex.quote(x) if x else ""', 'q: str = shlex.quote(x)', 'q = f"{shlex.quote(x)}"', 'q = str(shlex.quote(x)).strip()', 'p = shlex.quote(x)\nq = p'].map((head): Row =>
    ['L3-017', withRequest('import shlex, subprocess', `${head}\nsubprocess.run(f"ls {q} {request.args[\'y\']}", shell=True)`), /one word of the command or several/]),
  ...['q', 'self.q', 'table[q]', 'self.get("q")'].map((value): Row =>
    ['L3-017', `import shlex, subprocess\nclass A:\n    def f(self, q, x, table):\n        subprocess.run(f"ls {${value.replaceAll('"', "'")}} {x}", shell=True)\n    def g(self, x):\n        self.q = shlex.quote(x)\n`, /one word of the command or several/]),
  ...['q', 'self.q'].map((value): Row =>
    ['L3-007', `import paramiko, shlex\nfrom flask import request\ndef g(self, q):\n    client = paramiko.SSHClient()\n    client.exec_command(f"ls {${value}} {request.args['x']}")\n    g(self, shlex.quote("a"))\n`, /one word of the command or several/]),
  ['L3-017', `import shlex, subprocess\nfrom flask import request\ndef f(q):\n    subprocess.run(f"cat {request.args['x']}", shell=True)\n    return shlex.quote(q)\n`, '["cat", "--", str(request.args[\'x\'])]'],
  ['L3-017', `import shlex, subprocess\ndef f(q):\n    subprocess.run(f"cat {q}", shell=True)\n    subprocess.run("ls " + shlex.quote(q), shell=True)\n    subprocess.run("ls %s" % (shlex.quote(q),), shell=True)\n    subprocess.run("ls {}".format(shlex.quote(q)), shell=True)\n`, '["cat", "--", format(q)]'],
  ['L3-013', page('y = request.args["y"]\nself.name = escape(y)\nreturn f"<p>{self.name} {x}</p>"', 'from html import escape\n'), /markup that is meant/],
  ['L3-017', withRequest('import shlex, subprocess', 'subprocess.run(f"ls \'{shlex.quote(x)}\' {x}", shell=True)'), /needs a shell/],
  ['L3-017', withRequest('import subprocess', 'n, name = 3, x or "a"\nsubprocess.run(f"head -n {n} {name if n else x}", shell=True)'), '["head", "-n", str(n), "--", str(name if n else x)]'],
  ['L3-017', run('git clone {x}'), '["git", "clone", "--", str(x)]'],
  ['L3-017', run('curl -s -o a {x}'), '["curl", "-s", "-o", "a", "--", str(x)]'],
  ['L3-017', 'import subprocess\ndef f(x):\n    subprocess.run(f"git checkout {x}", shell=True)\n', /checked first/],
  ['L3-017', 'import subprocess\ndef f(x):\n    subprocess.run(f"cp {x} /srv -r", shell=True)\n', /checked first/],

  // Names of files: the end of a path in fixed folders.
  ...[
    ['return open(os.path.join("/srv/files", request.args["name"])).read()', 'open(safe_join("/srv/files", request.args["name"]) or abort(404)).read()'],
    ['path = os.path.join(BASE, request.args["name"])\nreturn send_file(path)', 'path = safe_join(BASE, request.args["name"]) or abort(404)\n    return send_file(path)'],
    ['path = os.path.join(BASE, request.args["name"])\nif not os.path.exists(path):\n    return "none"\nreturn send_file(path)', 'path = safe_join(BASE, request.args["name"]) or abort(404)\n    if'],
    ['return open(f"{BASE}/{request.args[\'name\']}").read()', 'open(safe_join(f"{BASE}/", request.args[\'name\']) or abort(404))'],
    ['return open(f"{BASE}/{request.json[\'name\']}").read()', 'open(safe_join(f"{BASE}/", str(request.json[\'name\'])) or abort(404))'],
    ['path = "notes/" + request.args["name"]\nreturn open(path).read()', 'path = safe_join("notes/", request.args["name"]) or abort(404)'],
    ['file = request.files["f"]\nfilename = file.filename\nfile.save(os.path.join(app.config["UPLOAD_FOLDER"], filename))\nreturn filename', 'filename = secure_filename(file.filename)\n    file.save(os.path.join(app.config["UPLOAD_FOLDER"], filename))'],
    ['file = request.files["f"]\nfilename = file.filename\npath = os.path.join(app.config.get("UPLOADS", "/srv"), filename)\nfile.save(path)', 'filename = secure_filename(file.filename)\n    path ='],
    ['file = request.files["f"]\nfilename = file.filename\nfile.save(filename)', 'filename = secure_filename(file.filename)\n'],
    ['base = os.path.dirname(os.path.abspath(__file__))\nx = request.args["x"]\nreturn open(os.path.join(base, app.root_path, settings.MEDIA_ROOT, "a", x)).read()', 'open(safe_join(os.path.join(base, app.root_path, settings.MEDIA_ROOT, "a"), x) or abort(404))'],
    ['return open(request.args["name"]).read()', /Which part of the path/],
    ['return open(f"{request.args[\'name\']}").read()', /Which part of the path/],
    ['return open(BASE + request.args["name"]).read()', /Which part of the path/],
    ['return open(os.path.join(BASE, request.args["d"], request.args["name"])).read()', /Which part of the path/],
    ['return open(os.path.join(BASE, folder_of(1), request.args["name"])).read()', /Which part of the path/],
    ['base = BASE\nbase += "x"\nreturn open(os.path.join(base, request.args["name"])).read()', /Which part of the path/],
    ['return open(os.path.join(BASE, request.args["name"], "a.txt")).read()', /Which part of the path/],
    ['return open(os.path.join(BASE, *request.args["name"])).read()', /Which part of the path/],
    ['a, b = request.files["a"], request.files["b"]\na.save("/srv/" + a.filename + b.filename)', /Which part of the path/],
    ['x = f"a/{request.args[\'x\']}"\nreturn open(os.path.join(BASE, x)).read()', /may have folders of its own/],
    ['x = os.path.join("a", request.args["x"])\nreturn open(os.path.join(BASE, x)).read()', /may have folders of its own/],
    ['x = request.args["x"]\nif os.path.exists(os.path.join(BASE, x)):\n    return open(os.path.join(BASE, x)).read()', 'return open(safe_join(BASE, x) or abort(404)).read()'],
  ].map(([body, expected]): Row => [/\.save\(/.test(body as string) ? 'L3-024' : 'L3-021', view('/a', '', body as string), expected!]),
  ['L3-021', view('/dl/<path:name>', 'name', 'return send_file(os.path.join(BASE, name))'), 'send_file(safe_join(BASE, name) or abort(404))'],
  ['L3-021', view('/dl/<path:name>', 'name', 'name = name.strip()\nwanted = name\nreturn send_file(os.path.join(BASE, wanted))'), 'send_file(safe_join(BASE, wanted) or abort(404))'],
  ...[5, 40].map((length): Row => {
    const chain = (first: string): string => [first, ...Array.from({ length }, (_, index) => `v${index + 1} = v${index}`)].join('\n');
    return ['L3-021', view('/a', '', `${chain('v0 = "/srv"')}\nreturn open(os.path.join(v${length}, v${length}, request.args["x"])).read()`), length < 30 ? 'safe_join(os.path.join(v5, v5), request' : /Which part of the path/];
  }),
  ['L3-021', view('/a', '', `x = request.args["x"]\n${Array.from({ length: 40 }, () => 'if BASE:\n    x = request.args["y"]').join('\n')}\nreturn open(os.path.join(BASE, x)).read()`), /may have folders of its own/],
  ['L3-021', view('/dl/<path:other>/<name>', 'other, name', 'return send_file(os.path.join(BASE, name))'), 'safe_join(BASE, name) or abort(404)'],

  // What a call returns.
  ['L3-003', withRequest('import os', 'return os.system("ls " + x) >> 8'), /no simple twin/],
  ['L3-003', withRequest('import os', 'return os.WEXITSTATUS(os.system("ls " + x))'), /no simple twin/],
  ['L3-003', withRequest('import os', 'return os.system("ls " + x) == 256'), /no simple twin/],
  ['L3-003', withRequest('import os', 'return os.system("ls " + x)'), /no simple twin/],
  ['L3-003', withRequest('import os', 'rc = os.system("ls " + x)\nprint(rc)'), /no simple twin/],
  ['L3-003', 'import os\nfrom flask import request\nrc = os.system("ls " + request.args["x"])\nassert rc == 0\n', /no simple twin/],
  ['L3-003', withRequest('import os', 'while not os.system("ls " + x) and x:\n    pass'), 'while not subprocess.run(["ls", "--", x], check=False).returncode and x:'],

  // Pages.
  ['L3-013', page('return f"<script>var x = {x};</script>"'), /stands in script/],
  ['L3-013', page('return f"<style>{x}</style>"'), /stands in style/],
  ['L3-013', page('return f"<a href={x}>go</a>"'), /without quotes/],
  ['L3-013', page('return f"<a href=\'{x}\'>go</a>"'), /address in href/],
  ['L3-013', page('return f"<a onclick=\\"go(\'{x}\')\\">go</a>"'), /stands in onclick/],
  ['L3-013', page('return f"<p>{header()}{x}</p>"'), /markup that is meant/],
  ['L3-013', page('rows = "".join(f"<li>{x}</li>" for x in "ab")\nreturn f"<ul>{rows}{x}</ul>"'), /markup that is meant/],
  ['L3-013', page('intro = "<b>" + x\nreturn f"<p>{intro}{x}</p>"'), /markup that is meant/],
  ['L3-013', page('return f"<p>{escape(x)} {request.args[\'y\']}</p>"', 'from html import escape\n'), "{escape(x)} {escape(str(request.args['y']))}"],
  ['L3-013', page('return f"<p>{len(x)} {x}</p>"'), '<p>{len(x)} {html.escape(str(x))}</p>'],
  ['L3-013', page('html = f"<p>{x}</p>"\nreturn html', 'import html\n'), 'html = f"<p>{escape(str(x))}</p>"'],
  ['L3-013', page('html = escape = f"<p>{x}</p>"\nreturn f"<p>{x}</p>"', 'import html\n'), /names html and escape mean something else/],
  ['L3-013', page('def g():\n    from re import escape\nreturn f"<p>{x}</p>"', 'from html import escape\n'), 'html.escape(str(x))'],
  ['L3-012', 'from django.utils.safestring import mark_safe\ndef v(request):\n    n = request.GET["n"]\n    return mark_safe(f"<a href=\'{n}\'>x</a>")\n', /address in href/],
  ['L3-012', 'from django.utils.safestring import mark_safe\ndef v(request):\n    n = request.GET["n"]\n    html = "<b>%s</b>" % n\n    n = n.strip()\n    return mark_safe(html)\n', /not put together here/],
  ['L3-012', 'import html\nfrom django.utils.safestring import mark_safe\ndef v(request):\n    return mark_safe(f"<b>{html.escape(request.GET[\'a\'])}{request.GET[\'b\']}</b>")\n', /markup that is meant/],

  // Values that a query can not take as a parameter.
  ...["a = 'it''s {x}'", "a = x'{x}'", 'a IN ({x})', "d > interval '{x} days'", "a = '{x}' -- it's", "a = '{x}' /* {x} */", 'a = \\"{x}\\"', "a ->> '{x}' = 1", 'a > {x}b', 'a = {x} AND b = ?', "a = '{x}'; DROP TABLE t",
    "a = 'x\\\\\\\\{x}'", "a = '{x}' AND b = $1", "a = '{','.join(x)}'", "a = {x or 'NULL'}", "a = '{x}''s'", "a = '{x"].map((text): Row => ['L3-014', query(`SELECT a FROM t WHERE ${text}`), /placeholder can not/]),
  ...["a = '{x.replace('a', 'b')}'", 'a = {repr(x)}'].map((text): Row => ['L3-014', query(`SELECT a FROM t WHERE ${text}`), /placeholder can not/]),
  ...["a = '{escape(x)}'", 'a > {cond}', 'a = {fetch()}'].map((text): Row => ['L3-015', query(`SELECT a FROM t WHERE ${text}`), /placeholder can not/]),
  ['L3-014', query("SELECT a FROM t WHERE \\\"b\\\" = '{x}' AND c = 'it''s'"), `WHERE \\"b\\" = ? AND c = 'it''s'`],
  ['L3-014', query("PRAGMA user_version = {x}"), /placeholder can not/],
  ['L3-014', query("CREATE TABLE t (a TEXT DEFAULT '{x}')"), /placeholder can not/],
  ['L3-014', withRequest('import sqlite3', 'sqlite3.connect("a").execute("INSERT INTO t VALUES (" + x + ")")'), /placeholder can not/],
  ['L3-014', withRequest('import pymysql', 'pymysql.connect().cursor().execute(f"SELECT a FROM t LIMIT {x}")'), /takes a text/],
  ['L3-014', withRequest('import psycopg2', 'psycopg2.connect("").cursor().execute(f"SELECT a FROM t LIMIT {x}")'), '"SELECT a FROM t LIMIT %s", (x,)'],
  ['L3-016', 'from django.db.models.expressions import RawSQL\ndef f(c):\n    return RawSQL("select a from r where d like \'x%%\' and c = \'%s\'" % c, ())\n', /placeholder can not/],
  ['L3-015', 'from sqlalchemy import text\ndef f(c, n):\n    c.execute(text(f"SELECT a FROM t WHERE b = \'{n}\'::date"))\n', /placeholder can not/],
  ['L3-015', 'from sqlalchemy import text\ndef f(c, n):\n    c.execute(text(f"SELECT a FROM t WHERE a = :n AND b = \'{n}\'"))\n', 'AND b = :value_1").bindparams(value_1=format(n))'],
  ['L3-019', 'import ldap\nfrom flask import request\nc = ldap.initialize("x")\ndef f():\n    c.search_s("ou=%s" % request.args["o"], 2, "(uid=%s)" % request.args["u"])\n', /filter is not put together/],
  ['L3-019', 'import ldap\nfrom flask import request\nc = ldap.initialize("x")\ndef f():\n    uid_filter = request.args["u"]\n    c.search_s("dc=x", 2, f"(&(a=b){uid_filter})")\n', /filter of its own/],
  ['L3-020', 'from lxml import etree\nfrom flask import request\ndef f():\n    namespaces = request.args["n"]\n    return etree.parse("x").xpath(f"//u[@n=\'{namespaces}\']")\n', '[@n=$value_1]", value_1=namespaces)'],
  ['L3-020', 'from lxml import etree\nfrom flask import request\netree.parse("a").xpath("//a[@b=\'c\'" + request.args["x"] + "\'")\n', /variable can not/],
  ['L3-020', 'from lxml import etree\nfrom flask import request\netree.parse("a").xpath("//a[@b=\'" + request.args["x"])\n', /part of a longer text/],

  // Texts that a variable holds.
  ...([
    ['name = name.upper()', /not put together in one place/], ['name: str = "a"', /not put together in one place/], ['for name in "ab": pass', /not put together in one place/],
    ['import name', /not put together in one place/], ['name.append("a")', /not put together in one place/], ['name[0] = "a"', /not put together in one place/], ['[name, other] = "ab"', /not put together in one place/],
    ['with open("a") as name: pass', /not put together in one place/], ['print(text)', /not put together in one place/],
    ['other = name.lower()', 'execute(text, (name,))'], ['pass', 'execute(text, (name,))'],
  ] as const).map(([between, expected]): Row => ['L3-014', `import sqlite3\nfrom flask import request\ndef f():\n    cur = sqlite3.connect("x").cursor()\n    name = request.args["n"]\n    text = f"SELECT a FROM t WHERE b = '{name}'"\n    ${between}\n    cur.execute(text)\n`, expected]),
  ['L3-014', withRequest('import sqlite3', 'text = f"SELECT a FROM t WHERE b = \'{x}\'"\nwith sqlite3.connect("a") as db:\n    db.execute(text)'), 'execute(text, (x,))'],
  ['L3-014', withRequest('import sqlite3', 'db = sqlite3.connect("a")\ntext = f"SELECT a FROM t WHERE b = \'{x}\'"\ntry:\n    db.execute(text)\nfinally:\n    db.close()'), 'execute(text, (x,))'],
  ['L3-014', withRequest('import sqlite3', 'db = sqlite3.connect("a")\ntext = f"SELECT a FROM t WHERE b = \'{x}\'"\ntry:\n    db.close()\nfinally:\n    db.execute(text)'), /not put together in one place/],
  ['L3-014', withRequest('import sqlite3', 'db = sqlite3.connect("a")\nif x:\n    text = f"SELECT a FROM t WHERE b = \'{x}\'"\ndb.execute(text)'), /not put together in one place/],
  ['L3-014', withRequest('import sqlite3', 'db = sqlite3.connect("a")\ntext = f"SELECT a FROM t WHERE b = \'{x}\'"\nif x:\n    db.execute(text)'), /not put together in one place/],
  ['L3-014', withRequest('import sqlite3', 'db = sqlite3.connect("a")\ntext = f"SELECT a FROM t WHERE b = \'{x}\'"\nwhile db.execute(text):\n    x += "a"'), /not put together in one place/],

  ['L3-014', withRequest('import sqlite3', 'db = sqlite3.connect("a")\nmatch client:\n    case "a":\n        text = f"SELECT a FROM t WHERE b = \'{x}\'"\n        db.execute(text)'), 'execute(text, (x,))'],

  // TLS, tokens, templates.
  ['CONFIG-001', 'import ssl\nc = ssl._create_unverified_context(ssl.PROTOCOL_TLS)\n', /does not take/],
  ['CONFIG-001', 'import ssl\nc = ssl._create_unverified_context(cafile="x")\n', 'ssl.create_default_context(cafile="x")'],
  ['CONFIG-001', 'import ssl\ns = ssl.wrap_socket(None, cert_reqs=ssl.CERT_NONE)\n', /authorities to trust/],
  ['CONFIG-001', 'import ssl\nc = ssl.create_default_context()\nc.check_hostname = False\nc.verify_mode = ssl.CERT_NONE\n', 'c.check_hostname = True\nc.verify_mode = ssl.CERT_REQUIRED\n'],
  ['CONFIG-001', 'import ssl\nc = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)\nc.check_hostname = False\nc.verify_mode = ssl.CERT_NONE\n', /authorities the context trusts/],
  ['CONFIG-001', 'import ssl\nc = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)\nc.load_default_certs()\nc.verify_mode = ssl.CERT_NONE\n', 'c.verify_mode = ssl.CERT_REQUIRED'],
  ['CONFIG-001', 'import ssl\nc = ssl.create_default_context()\nd = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)\nc.check_hostname = False\n', /Which side/],
  ['CONFIG-001', 'import ssl\nc = ssl.create_default_context()\nc.check_hostname = False\nc.wrap_socket(s)\n', /name of the server/],
  ['CONFIG-003', 'import ssl\nssl.wrap_socket(s, ssl_version=ssl.PROTOCOL_TLSv1)\n', /current version is not known/],
  ['CONFIG-003', 'import ssl\nc = ssl.SSLContext(ssl.PROTOCOL_TLSv1)\nc.wrap_socket(s)\n', /checks names and certificates/],
  ['CONFIG-003', 'import ssl\nc = ssl.SSLContext(ssl.PROTOCOL_TLSv1)\nc.verify_mode = ssl.CERT_OPTIONAL\n', /checks names and certificates/],
  ...['""', 'None', 'b""', 'key'].map((key): Row => ['CONFIG-005', `import jwt\ndef f(t):\n    key = ""\n    return jwt.decode(t, ${key}, algorithms=["HS256"], options={"verify_signature": False})\n`, /key is empty/]),
  ['L3-011', 'import tornado.template\nl = tornado.template.Loader("pages", autoescape=None)\n', 'autoescape="xhtml_escape"'],

  // Temporary names.
  ...['os.mkfifo(p)', 'os.makedirs(p)', 'socket.socket().bind(p)', 'os.link("a", p)', 'os.rename("a", p)', 'os.symlink("a", p)', 'shutil.move("a", p)', 'open(p, "x")', 'print(p + ".x")', 'print(f"{p}.x")'].map((use): Row => ['L3-037', mktemp(use), /must not be there yet/]),
  ['L3-037', mktemp('descriptor = open(p, "w")').replace('    return p\n', ''), 'descriptor_2, p = tempfile.mkstemp()\n    os.close(descriptor_2)'],

  // Digests, random numbers, evaluated text.
  ...['def cached_password_reset_token(email):\n    return hashlib.md5(email).hexdigest()', 'def filename(secret, name):\n    return hashlib.md5(secret + name).hexdigest()', 'def verify_file_checksum(p):\n    return hashlib.md5(p).hexdigest()'].map((code): Row =>
    ['CRYPTO-001', `import hashlib\n${code}\n`, /rests on this digest|slow hash/]),
  ['CRYPTO-004', 'import random\nrandom.seed(1)\ntoken = random.getrandbits(64)\n', /seeded/],
  ...['f"{x} + 1"', '"lambda a: " + x', 'x.replace("x", "*")', 'request.args["formula"]', 'text'].map((value): Row => ['L3-002', withRequest('', `text = f"{x}"\nreturn eval(${value})`), /expression to calculate/]),
  ['L3-002', 'from flask import request\ndef calculate():\n    return eval(request.args["x"])\n', /expression to calculate/],

  // Redirects.
  ['L3-026', 'from django.shortcuts import redirect\ndef v(request):\n    next_url = 1\n    return redirect(request.GET.get("next", "/"))\n', 'next_url_2 = request.GET.get("next", "/")\n    return redirect(next_url_2 if url_has_allowed_host_and_scheme(next_url_2, '],
  ['L3-026', 'from django.shortcuts import redirect\ndef v(request):\n    return request.user and redirect(request.GET.get("next", "/"))\n', /checked where it stands/],
  ['CRYPTO-006', 'import hashlib\ndef f(p, s):\n    return hashlib.pbkdf2_hmac("sha256", p, s, 1000)\n', /factor that it was made with/],
];

describe('the offline templates, where a pattern would go wrong', () => {
  for (const [rule, code, expected] of rows) {
    it(`${rule}: ${typeof expected === 'string' ? 'fix' : 'decline'} ${JSON.stringify(code.split('\n').filter((line) => !/^(?:import|from) /.test(line)).join('\n').slice(0, 160))}`, async () => {
      const fixed = await fixedText(code, `CODE-W1-${rule}`);
      if (typeof expected === 'string') assert.ok(fixed.includes(expected) && !fixed.startsWith('declined'), fixed);
      else assert.match(fixed, new RegExp(`^declined: .*(?:${expected.source})`));
    });
  }

  it('say of hashes that keep their factor that it stays, and what needs a newer Python', () => {
    for (const [code, part] of [['import hashlib\ndef etag(x):\n    return hashlib.md5(x)\n', /needs Python 3\.9/], ['import bcrypt\nbcrypt.gensalt(4)\n', /keep their old factor/]] as const) {
      const fix = fixByTemplate(code, scanText(code).find(({ rule_id }) => /CRYPTO-00[16]$/.test(rule_id))!);
      assert.ok(fix !== undefined && 'rationale' in fix);
      assert.match(fix.rationale, part);
    }
  });

  it('number the variables of secrets that servers of MCP have by the same key, and leave the names of systems alone', () => {
    const at = (text: string, key: string): string => {
      const found = text.lastIndexOf(key) + key.length + 4;
      const fix = fixByTemplate(text, makeFinding({ file: '.mcp.json', rule_id: 'CODE-W2-CONFIG-MCP-002', line: 1, column: found }));
      assert.ok(fix !== undefined && 'edits' in fix);
      return applyEdits(text, fix.edits)!;
    };
    assert.equal(at('{"a": {"env": {"API_KEY": "first"}}, "b": {"env": {"API_KEY": "second"}}}', 'API_KEY'), '{"a": {"env": {"API_KEY": "first"}}, "b": {"env": {"API_KEY": "${API_KEY_2}"}}}');
    assert.equal(at('{"a": {"env": {"API_KEY": "same"}}, "b": {"env": {"API_KEY": "same"}}}', 'API_KEY'), '{"a": {"env": {"API_KEY": "same"}}, "b": {"env": {"API_KEY": "${API_KEY}"}}}');
    assert.equal(at('{"env": {"USER": "secret"}}', 'USER'), '{"env": {"USER": "${USER_SECRET}"}}');
  });
});

describe('checkFix', () => {
  it('takes a flaw of the same kind on the changed lines for the flaw itself, whatever its rule and severity', async () => {
    const before = withRequest('import subprocess', 'subprocess.run(f"bash -c \'{x}\'", shell=True)');
    const finding = scanText(before).find(({ rule_id }) => rule_id === 'CODE-W1-L3-017')!;
    const checked = await checkText(before, before.replace('f"bash -c \'{x}\'", shell=True', '["bash", "-c", str(x)]'), finding);
    assert.ok('wrong' in checked && /still finds|same kind/.test(checked.wrong), JSON.stringify(checked));
  });

  it('lets other flaws of the kind stand where they were', async () => {
    const before = withRequest('import subprocess', 'subprocess.run("ls " + x, shell=True); subprocess.run("ps " + x, shell=True)');
    const finding = scanText(before).find(({ rule_id }) => rule_id === 'CODE-W1-L3-017')!;
    assert.ok('diff' in (await checkText(before, before.replace('"ls " + x, shell=True', '["ls", x]'), finding)));
  });
});

describe('whyNotEscaped', () => {
  const pieces = (text: string): Parameters<typeof whyNotEscaped>[0] => text.split(/(~)/).map((part) => (part === '~' ? { kind: 'value', value: { type: 'Name', id: 'x', start: 0, end: 0 }, shown: 'text' } : { kind: 'text', text: part }));
  for (const text of ['~', '<p>~</p>', '<p title="~">', "<p title='a ~ b' class=\"c\">~</p>", '<a href="/u/~">', '<a href="https://example.org/~">', '<a href="?q=~">', '<script>a</script>~', '<!-- a -->~', '<!doctype html>~', 'a < b ~', '<br/>~', '<p', '<script>a', '<!-- a', '<input value = "~" disabled>', '</p>~', '<a =>~']) {
    it(`lets ${text} be`, () => assert.equal(whyNotEscaped(pieces(text)), undefined));
  }
  for (const text of ['<~>', '</~>', '<p ~>', '<p ~=a>', '<p title=~>', '<p title=a~>', '<p onclick="~">', '<p style="a: ~">', '<a href="~">', '<a href="/~">', '<a href="javascript:f(~)">', '<img src="~">', '<form action=\'~\'>',
    '<script>~</script>', '<SCRIPT src="a">~', '<style>~</style>', '<!-- ~ -->', '<!-- ~', '<iframe srcdoc="~">', '<meta content="~">', '<svg>~</svg>', '<p title="~']) {
    it(`tells that ${text} is not helped`, () => assert.equal(whyNotEscaped(pieces(text)) === undefined, text === '<p title="~'));
  }
});

describe('whyNoList and endOfOptions', () => {
  /** `~` stands for a value. */
  const words = (command: string): string[] => command.replaceAll('~', valueMark).split(' ');
  it('know programs by their base name', () => {
    for (const word of ['bash', '/bin/sh', 'python3', 'Python3.12', 'node18', 'pip3', 'powershell.exe']) assert.match(whyNoList([word, 'a']) ?? '', /its arguments say/, word);
    for (const word of ['ls', '/bin/ls', '/usr/local/bin/ls']) assert.equal(whyNoList([word, valueMark]), undefined, word);
    for (const word of ['pythonize', 'nodes', './run.sh', 'bin/tool/ls', 'LS', 'adb', 'fakeroot', 'start', 'constructor', '']) assert.match(whyNoList([word, valueMark]) ?? '', /a person has to judge/, word);
  });
  for (const [command, at] of [
    ['ls ~', 1], ['ls -l ~', 2], ['head -n ~ ~', 3], ['head -n ~', undefined], ['grep --file ~', undefined], ['grep --color=no ~', 2], ['/bin/ls ~', 1], ['ping -c 1 ~', undefined], ['wget -O a ~', 3],
    ['rm -- ~', undefined], ['cp ~ -r', undefined], ['tool ~', undefined], ['git clone ~', 2], ['git log ~', undefined], ['ls /tmp', undefined], ['ls a/~', undefined],
    // Before the first operand, and behind a flag that takes no word.
    ['cp a ~', 1], ['chmod 755 ~', 1], ['git clone --recursive ~ ~', 3], ['git clone --depth 1 ~', 4], ['git push --force ~ ~', 3], ['curl --silent ~', 2], ['rm --recursive --force ~', 3], ['tar czf a ~', 3], ['pgrep -d , ~', 3], ['diff -L old ~ b', 3], ['gzip -b 9 ~', 3], ['tar -C /srv -czf a ~', 5],
  ] as const) {
    it(`puts -- ${at === undefined ? 'nowhere' : `at ${at}`} in ${command}`, () => assert.equal(endOfOptions(words(command)), at));
  }
  const refused: Readonly<Record<string, { readonly why: RegExp; readonly commands: readonly string[] }>> = {
    'the value is run': {
      why: /is run by \w+, or chooses what it runs/,
      commands: ['git clone -c ~ a', 'git clone -u ~ a', 'git clone --upload-pack=~ a', 'git clone --template ~ a', 'tar -xf a -I ~', 'tar cf a --to-command ~', 'tar cf a --to-command=~', 'tar xfI a ~',
        'curl -K ~', 'curl -sK ~', 'curl --config ~', 'wget -e ~ a', 'sort --compress-program=~', 'ffmpeg -vf ~ a', 'tar xf a -T ~', 'tar -x --files-from=~'],
    },
    'nobody knows': {
      why: /a person has to judge/,
      commands: ['git -c ~ status', 'git -C ~ status', 'git --exec-path=~ log', 'tool ~', 'tool --out ~', 'zip a.zip ~', 'scp ~ host:', 'git log ~', 'git grep ~', 'git bisect run -- ~', 'man ~', 'gcc ~', 'nmap ~', 'apt-get install ~', 'openssl ~', 'adb shell ~', 'yt-dlp ~',
        'sort --~ file', 'curl -~ http://a', 'ls -~', 'ls --~', 'curl --unheard-of ~', 'kill -9 ~', 'pkill -f ~', 'pkill -- ~', 'tail +5 ~', 'test -v ~', 'curl --json ~ a', 'stat -f ~', 'pgrep -Y ~', 'pgrep -~ a', 'cp --odd=~ a', 'ffmpeg -x ~', 'ffmpeg -~ a'],
    },
    'it means more than a word': {
      why: /can only be told by a person|depends on the format|is a file to curl/,
      commands: ['git push ~ main', 'git push origin ~', 'git push -o ~ origin', 'git push origin HEAD:~', 'git fetch ~', 'git fetch origin ~', 'ffmpeg -f lavfi -i ~ a.mp4', 'ffmpeg -f ~ -i a b.mp4', 'ffmpeg -f concat -i ~ a.mp4', 'ffmpeg -i ~ -f tee a',
        'curl -d ~ http://a', 'curl -d~ http://a', 'curl -H ~ -- ~', 'curl --data-binary ~ a', 'curl -F ~ a', 'curl -F a=~ a', 'curl --form a=~ a', 'curl -b ~ a', 'curl --data-urlencode a~ a', 'curl -w a~ a'],
    },
    'a dash would make it an option': {
      why: /has to be checked first/,
      commands: ['git clone ~ --depth 1', 'curl ~ -o a', 'curl -s ~ -o a', 'wget -q ~ -O a', 'sort ~ -u', 'cp ~ b -r', 'mv ~ b -f', 'git checkout ~', 'git reset ~', 'git branch ~', 'ffmpeg -i a ~', 'unzip ~', 'unzip a.zip ~', 'ffprobe ~', 'dig ~'],
    },
  };
  for (const [title, { why, commands }] of Object.entries(refused)) {
    for (const command of commands) it(`declines ${command}: ${title}`, () => assert.match(whyNoList(words(command)) ?? '', why));
  }
  for (const command of ['git checkout -b ~', 'git clone -b ~ ~', 'tar xzf in/~', 'tar -xf in/~ -C ~', 'tar cf a -- ~', 'tar cf a ~', 'curl -o ~ ~', 'curl -H X-A:~ -- ~', 'curl -d a=~ a', 'curl -F a=b~ a', 'curl --data-urlencode a=~ a', 'curl -b a=~ a', 'curl --output ~ ~', 'curl -o~ ~', 'ffmpeg -y -i ~ out.mp4', 'ffmpeg -i ~ -f mp4 out',
    'git add prefix/~', 'git commit -m ~', 'head -n~ ~', 'ls ~ -l', 'rm ~ -f', 'unzip -o in/~ -d ~', 'ffprobe -i ~', 'pgrep -d , ~', 'diff -L ~ ~ b', 'ping -c ~ ~', 'du --max-depth=~ ~', 'test -e ~', 'cat - ~']) {
    it(`lets ${command} be a list`, () => assert.equal(whyNoList(words(command)), undefined));
  }
  for (const command of ['tar xzf ~', 'tar -xzf ~', 'tar --file ~ -x', 'tar czf backup-~.tgz data', 'tar xz --file=~', 'tar xCf /tmp ~', 'tar -xf~', 'tar -xfa~/b']) it(`declines ${command}: host:file`, () => assert.match(whyNoList(words(command)) ?? '', /fetched from another computer/));
  it('has no -- put for another shell', () => {
    assert.match(whyNoList(words('curl -s ~'), false) ?? '', /has to be checked first/);
    assert.equal(whyNoList(words('ls ~'), false), undefined);
  });
});
