import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { found, findingsOf } from './rule-kit.ts';

/** Snippets that are clean by default and a finding at severity low in the audit profile. */
const auditOnly: readonly (readonly [rule: string, snippet: string])[] = [
  ['L3-001', 'exec("x = 1")'],
  ['L3-001', 'def f(frame, text):\n    exec(text, frame.f_globals)'],
  ['L3-001', 'import logging.config\nlogging.config.listen(9999)'],
  ['L3-002', 'eval("1 + 1")'],
  ['L3-003', 'import os\nos.system("ls")'],
  ['L3-005', 'import os\nos.execl("/bin/ls", "ls")'],
  ['L3-006', 'import subprocess\nsubprocess.run(["ls"])'],
  ['L3-007', 'def f(ssh):\n    ssh.exec_command("uptime")'],
  ['L3-011', 'from mako.template import Template\nTemplate("hello")'],
  ['L3-012', 'from django.utils.safestring import mark_safe\ndef f(text):\n    return mark_safe(text)'],
  ['L3-015', 'def f(name):\n    query = "SELECT * FROM t WHERE a = \'%s\'" % name\n    return query'],
  ['L3-015', 'def f(name):\n    run_later("DELETE FROM t WHERE a = \'" + name + "\'")'],
  ['L3-016', 'from django.db.models.expressions import RawSQL\nRawSQL("select a from t", ())'],
  ['L3-017', 'import subprocess\nsubprocess.run("ls", shell=True)'],
  ['L3-017', 'def f(tool):\n    tool.start("ls", shell=True)'],
  ['L3-021', 'def f(path):\n    return open(path)'],
  ['L3-022', 'import tarfile\ndef f(archive, members):\n    tarfile.open("a").extractall("b", members=members(archive))'],
  ['L3-025', 'from urllib.request import urlopen\nurlopen("file:///etc/passwd")'],
  ['L3-026', 'from flask import redirect\ndef f(target):\n    return redirect(target)'],
  ['L3-028', 'import shelve\nshelve.open("a")'],
  ['L3-029', 'import yaml\nyaml.load("a: 1")'],
  ['L3-031', 'import xml.etree.ElementTree as ET\ndef f(text):\n    return ET.fromstring(text)'],
  ['L3-031', 'from lxml import etree\netree.XMLParser()'],
  ['L3-037', 'open("/tmp/a", "w")'],
  ['L3-038', 'import os\nos.chmod("a", 0o755)'],
  ['L3-039', 'HOST = "0.0.0.0"'],
  ['L3-042', 'from flask import make_response\nmake_response("").set_cookie("theme", "dark")'],
  ['L3-043', 'from flask_cors import CORS\nCORS(None, origins="*")'],
  ['L3-043', 'def f(response):\n    response.headers["Access-Control-Allow-Origin"] = "*"'],
  ['L3-043', 'CORS_ALLOW_ALL_ORIGINS = True'],
  ['L3-025', 'import urllib\nurllib.URLopener()'],
  ['L3-011', 'from jinja2 import Environment\ndef f(kind):\n    return Environment(autoescape=kind)'],
  ['L3-007', 'import paramiko\nparamiko.SSHClient().invoke_shell()'],
  ['L3-011', 'from jinja2 import Environment\ndef kind():\n    return "html"\nEnvironment(autoescape=kind())'],
  ['L3-012', 'from django.utils.safestring import mark_safe\n@mark_safe\ndef f(text):\n    return text'],
  ['L3-030', 'import torch\ntorch.load("a.pt")'],
  ['L3-030', 'import torch\ndef f(path, strict):\n    return torch.load(path, weights_only=strict)'],
  ['L3-031', 'import xml.etree.ElementTree as ET\nET.XMLParser()'],
  ['L3-031', 'import xml.sax\nxml.sax.make_parser()'],
  ['L3-031', 'from xml.sax import expatreader\nexpatreader.create_parser()'],
  ['L3-039', 'start("0.0.0.0")'],
  ['L3-045', 'password = "open"'],
  ['L3-045', 'class A:\n    db_passwd: str = "open"'],
  ['L3-045', 'def f(settings):\n    settings["pass"] = "open"'],
  ['L3-045', 'login(user="me", secret="open")'],
  ['L3-045', 'def f(user, password="open"):\n    return user'],
  ['L3-045', 'def f(self):\n    return self.password == "open"'],
  ['L3-045', 'def f(form):\n    return "open" != form["token"]'],
  ['CONFIG-001', 'import ssl\nssl._create_stdlib_context()'],
  ['CONFIG-004', 'import telnetlib\ntelnetlib.Telnet("localhost")'],
  ['CONFIG-004', 'import requests\nrequests.get("http://example.org", timeout=5)'],
  ['CONFIG-005', 'import jwt\ndef f(token, key):\n    return jwt.decode(token, key)'],
  ['CRYPTO-004', 'import random\nrandom.choice([1, 2])'],
  ['CRYPTO-006', 'import hashlib\ndef f(a, salt):\n    return hashlib.pbkdf2_hmac("sha256", a, salt, 200000)'],
];

describe('profiles', () => {
  for (const [rule, snippet] of auditOnly) {
    it(`keep to audit, at low: ${snippet.split('\n').at(-1)?.trim()}`, () => {
      assert.deepEqual(found(snippet), []);
      const finding = findingsOf(snippet, 'audit').find(({ ruleId }) => ruleId === `CODE-W1-${rule}`);
      assert.equal(finding?.severity, 'low', found(snippet, 'audit').join(', '));
    });
  }

  /** Of no interest to the audit profile either. */
  const clean: readonly (readonly [rule: string, snippet: string])[] = [
    ['L3-001', 'import logging.config\nlogging.config.listen(9999, verify=check)'],
    ['L3-022', 'import tarfile\ntarfile.open("a").extractall("b", members=[])'],
    ['L3-037', 'import tempfile\ntempfile.mkdtemp(dir="/tmp")'],
    ['L3-045', 'password = ""'],
    ['L3-045', 'password_field = "open"'],
    ['L3-045', 'passed = "open"'],
    ['L3-045', 'def f(password, given):\n    return password == given'],
    ['L3-045', 'def f(password):\n    return password is "open"'],
    ['L3-045', 'def f(password):\n    return len(password) == 8 or "open" == ask()'],
  ];
  for (const [rule, snippet] of clean) {
    it(`say nothing of ${rule}: ${snippet.split('\n').at(-1)?.trim()}`, () => {
      assert.ok(!found(snippet, 'audit').some((entry) => entry.endsWith(rule)));
    });
  }

  it('say the same of tainted values', () => {
    const text = 'import os\nfrom flask import request\nos.system(request.args["x"])\n';
    assert.deepEqual(found(text, 'audit'), found(text));
  });
});

/** Severity and confidence where a rule has more than one answer. */
const grades: readonly (readonly [rule: string, severity: string | undefined, confidence: string | undefined, snippet: string])[] = [
  ['L3-017', undefined, undefined, 'import subprocess\nfrom flask import request\nsubprocess.run(request.args["x"], shell=True)'],
  ['L3-017', undefined, 'medium', 'import subprocess\ndef f(x):\n    subprocess.run("ls " + x, shell=True)'],
  ['L3-017', undefined, 'medium', 'import subprocess, sys\nsubprocess.run("ls " + sys.argv[1], shell=True)'],
  ['CRYPTO-001', 'high', 'high', 'import hashlib\ndef f(password):\n    return hashlib.md5(password)'],
  ['CRYPTO-001', 'medium', undefined, 'import hashlib\ndef f(data):\n    return hashlib.md5(data)'],
  ['CRYPTO-001', 'low', undefined, 'import hashlib\ndef f(data):\n    etag = hashlib.md5(data)\n    return etag'],
  ['CRYPTO-003', 'critical', undefined, 'from Crypto.PublicKey import RSA\nRSA.generate(512)'],
  ['L3-029', 'high', 'medium', 'import yaml\ndef f(x):\n    return yaml.full_load(x)'],
  ['L3-034', 'low', 'low', 'def f(password):\n    print(password)'],
  ['L3-030', 'medium', 'low', 'import torch\ntorch.load("a.pt", weights_only=False)'],
  ['L3-006', 'high', undefined, 'import subprocess\nfrom flask import request\nsubprocess.run([request.args["x"]])'],
];

describe('grades', () => {
  for (const [rule, severity, confidence, snippet] of grades) {
    it(`${rule} is ${severity ?? 'as the rule says'}, ${confidence ?? 'as the rule says'}: ${snippet.split('\n').at(-1)?.trim()}`, () => {
      const finding = findingsOf(snippet).find(({ ruleId }) => ruleId === `CODE-W1-${rule}`);
      assert.deepEqual([finding?.severity, finding?.confidence], [severity, confidence]);
    });
  }

  it('takes the CWE of AI-603 from the sink', () => {
    const start = 'import os\nfrom openai import OpenAI\nanswer = OpenAI().responses.create(model="m", input="x").output_text\n';
    const cwes = ['eval(answer)', 'exec(answer)', 'os.system(answer)', 'def f(cursor):\n    cursor.execute(f"select a from t where {answer}")']
      .map((sink) => findingsOf(`${start}${sink}\n`).map(({ ruleId, cwe }) => `${ruleId.slice(8)} ${cwe}`).join());
    assert.deepEqual(cwes, ['AI-603 CWE-95', 'AI-603 CWE-94', 'AI-603 CWE-78', 'AI-603 CWE-89']);
  });

  it('reports no test file for debug mode and no test class for CSRF', () => {
    const text = 'from flask import Flask\napp = Flask("a")\napp.run(debug=True)\napp.config["WTF_CSRF_ENABLED"] = False\n';
    assert.deepEqual(found(text, 'default', 'tests/test_app.py'), []);
    assert.deepEqual(found(text, 'default', 'app.py'), ['3 L3-040', '4 L3-041']);
    assert.deepEqual(found('DEBUG = True\n', 'default', 'shop/settings.py'), ['1 L3-040']);
  });
});

describe('messages', () => {
  /** What a message says of the value that flows, and of the sink. */
  const rows: readonly (readonly [expected: string, snippet: string])[] = [
    ['Request data becomes part of a shell command in os.system.', 'from flask import request\nos.system(request.args["x"])'],
    ['A command-line or environment value becomes part of a shell command in os.system.', 'import sys\nos.system(sys.argv[1])'],
    ['Text built from a value that is not constant becomes part of a shell command in os.system.', 'def f(x):\n    os.system("ls " + x)'],
    ['A value that is not constant becomes part of a shell command in os.system.', 'def f(x):\n    os.system(x)'],
    ['Data from the network becomes part of a shell command in os.system.', 'import socket\nos.system(socket.socket().recv(9))'],
  ];
  for (const [expected, snippet] of rows) {
    it(`say: ${expected}`, () => {
      assert.equal(findingsOf(`import os\n${snippet}\n`)[0]?.message, expected);
    });
  }

  it('never hold a value out of the code', () => {
    const text = 'import logging\npassword = "Tr0ub4dor&3x"\nlogging.info("using %s", password)\nimport pymysql\npymysql.connect(password="")\n';
    const messages = findingsOf(text).map(({ message }) => message);
    assert.ok(messages.length > 0);
    assert.ok(messages.every((message) => !message?.includes('Tr0ub4dor')));
  });
});
