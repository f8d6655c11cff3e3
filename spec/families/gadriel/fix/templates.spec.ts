import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proposeFix, rulesWithTemplate } from '../../../../lib/families/gadriel/domain/fix/propose.ts';
import { fixByTemplate } from '../../../../lib/families/gadriel/domain/fix/templates/index.ts';
import { applyEdits } from '../../../../lib/families/gadriel/domain/fix/text-edit.ts';
import { applyDiff } from '../../../../lib/text/unified-diff.ts';
import { rules } from '../../../../lib/families/gadriel/domain/rules/index.ts';
import { makeFinding } from '../support/finding.ts';
import { githubToken } from '../support/sample-secrets.ts';
import { checkText, fixedText, scannedRepository, scanText, surroundings } from './fix-kit.ts';

/** A rule without `CODE-W1-`, code that it finds, and the code after the fix; or a part of why it is declined. */
type Row = readonly [rule: string, before: string, after: string | RegExp];

const rows: readonly Row[] = [
  ['L3-002', 'from flask import request\neval(request.args["x"])\n', 'from flask import request\nimport ast\nast.literal_eval(request.args["x"])\n'],
  ['L3-002', 'from flask import request\nfrom ast import literal_eval as read\neval(request.args["x"])\n', 'from flask import request\nfrom ast import literal_eval as read\nread(request.args["x"])\n'],
  ['L3-002', 'from flask import request\neval(request.args["x"], {})\n', /only be told by a person/],
  ['L3-002', 'from flask import request\ndef f(ast):\n    return eval(request.args["x"])\n', /name ast means something else/],
  ['L3-003', 'import os\nfrom flask import request\ndef f():\n    return os.system("ping " + request.args["h"]) == 0\n',
    'import os\nfrom flask import request\nimport subprocess\ndef f():\n    return subprocess.run(["ping", request.args["h"]], check=False).returncode == 0\n'],
  ['L3-003', 'import os\nimport subprocess as sp\nfrom flask import request\nos.system("ping -c 1 \'{}\' x".format(request.args["h"]))\n',
    'import os\nimport subprocess as sp\nfrom flask import request\nsp.run(["ping", "-c", "1", str(request.args["h"]), "x"], check=False)\n'],
  ['L3-003', 'import os\nfrom flask import request\nout = os.popen("cat %s" % request.args["h"]).read()\n',
    'import os\nfrom flask import request\nimport subprocess\nout = subprocess.run(["cat", "--", str(request.args["h"])], check=False, stdout=subprocess.PIPE, text=True).stdout\n'],
  ['L3-003', 'import os\nfrom flask import request\ncommand = f"ls --width={request.args[\'h\']} x"\nos.system(command)\n',
    'import os\nfrom flask import request\nimport subprocess\ncommand = ["ls", f"--width={request.args[\'h\']}", "x"]\nsubprocess.run(command, check=False)\n'],
  ['L3-003', 'import os\nfrom flask import request\nlines = os.popen("cat " + request.args["h"]).readlines()\n', /no simple twin/],
  ['L3-003', 'import os\nfrom flask import request\nsubprocess = 1\nos.system("cat " + request.args["h"])\n', /name subprocess means something else/],
  ...['cat {} | wc', 'cat {} > x', 'ls *{}', 'echo $HOME {}', 'A=1 run {}', '{} -l', "cat '{}", 'a; {}', 'ls ~/{}', 'cat {}\\n', 'x `{}`', 'x "$({})"'].map((command): Row =>
    ['L3-003', `import os\nfrom flask import request\nos.system(${JSON.stringify(command)}.format(request.args["h"]))\n`, /needs a shell/]),
  ['L3-004', 'import subprocess\ndef f(name):\n    subprocess.run(["bash", "-c", "cat " + name])\n', 'import subprocess\ndef f(name):\n    subprocess.run(["cat", "--", name])\n'],
  ['L3-004', 'import subprocess\ndef f(name):\n    subprocess.run(["bash", "-c", "cat " + name + " | wc"])\n', /needs a shell/],
  ['L3-007', 'import paramiko\nc = paramiko.SSHClient()\ndef f(s):\n    c.exec_command(f"ls -l {s}")\n', 'import paramiko\nimport shlex\nc = paramiko.SSHClient()\ndef f(s):\n    c.exec_command(f"ls -l {shlex.quote(format(s))}")\n'],
  ['L3-007', 'import paramiko\nc = paramiko.SSHClient()\ndef f(s):\n    c.exec_command(f"restart \'{s}\'")\n', /of its own/],
  ['L3-008', 'import asyncio\nasync def f(host):\n    await asyncio.create_subprocess_shell(f"ping -c 1 {host}")\n', 'import asyncio\nasync def f(host):\n    await asyncio.create_subprocess_exec("ping", "-c", "1", format(host))\n'],
  ['L3-008', 'import subprocess\ndef f(host):\n    return subprocess.getoutput("ping " + host)\n', 'import subprocess\ndef f(host):\n    return subprocess.run(["ping", host], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout.removesuffix("\\n")\n'],
  ['L3-008', 'import asyncio\nasync def f(host):\n    await asyncio.create_subprocess_shell("a | " + host)\n', /needs a shell/],
  ['L3-017', 'import subprocess\ndef f(b):\n    subprocess.run("host " + b, shell=True, check=True)\n', 'import subprocess\ndef f(b):\n    subprocess.run(["host", b], check=True)\n'],
  ['L3-017', 'import subprocess\ndef f(b):\n    subprocess.run(\n        f"host {b}",\n        shell=True,\n        check=True,\n    )\n', 'import subprocess\ndef f(b):\n    subprocess.run(\n        ["host", format(b)],\n        check=True,\n    )\n'],
  ['L3-017', 'import subprocess\ndef f(b):\n    subprocess.run(shell=True, args="host " + b)\n', 'import subprocess\ndef f(b):\n    subprocess.run(args=["host", b])\n'],
  ['L3-017', 'import subprocess\ndef f(b):\n    subprocess.run("git log " + b + " | head", shell=True)\n', /needs a shell/],
  ['AI-603', 'from openai import OpenAI\nclient = OpenAI()\nanswer = client.responses.create(model="m", input="x")\neval(answer.output_text)\n',
    'from openai import OpenAI\nimport ast\nclient = OpenAI()\nanswer = client.responses.create(model="m", input="x")\nast.literal_eval(answer.output_text)\n'],

  ['L3-014', 'import sqlite3\nfrom flask import request\ndb = sqlite3.connect("a")\ndb.execute(f"SELECT a FROM t WHERE b = \'{request.args[\'b\']}\' AND c = {request.args[\'c\']}")\n',
    'import sqlite3\nfrom flask import request\ndb = sqlite3.connect("a")\ndb.execute("SELECT a FROM t WHERE b = ? AND c = ?", (request.args[\'b\'], request.args[\'c\']))\n'],
  ['L3-014', 'import psycopg2\nfrom flask import request\ncur = psycopg2.connect("").cursor()\nq = "SELECT a FROM t WHERE d LIKE \'100%%\' AND b = %s" % request.args["b"]\ncur.execute(q)\n',
    'import psycopg2\nfrom flask import request\ncur = psycopg2.connect("").cursor()\nq = "SELECT a FROM t WHERE d LIKE \'100%%\' AND b = %s"\ncur.execute(q, (request.args["b"],))\n'],
  ['L3-015', 'import sqlite3\ndef f(cursor, n):\n    cursor.execute(\n        f"""SELECT a\n        FROM t WHERE b = \'{n}\'\n        """\n    )\n',
    'import sqlite3\ndef f(cursor, n):\n    cursor.execute(\n        """SELECT a\n        FROM t WHERE b = ?\n        """, (format(n),)\n    )\n'],
  ['L3-015', 'import sqlite3\ndef f(cursor, n):\n    cursor.execute(("SELECT a FROM t"\n        " WHERE b LIKE \'%" + n + "%\'"))\n', 'import sqlite3\ndef f(cursor, n):\n    cursor.execute(("SELECT a FROM t WHERE b LIKE ?"), ("%" + n + "%",))\n'],
  ['L3-015', 'import psycopg\ndef f(cursor, n):\n    cursor.execute(f"SELECT a FROM t WHERE b LIKE \'{n}%\'")\n', 'import psycopg\ndef f(cursor, n):\n    cursor.execute("SELECT a FROM t WHERE b LIKE %s", (f"{n}%",))\n'],
  ['L3-015', 'from sqlalchemy import text\ndef f(c, n):\n    c.execute(text(f"SELECT a FROM t WHERE b = \'{n}\' OR c = \'{n}\' OR d = \'{n.x}\'"))\n',
    'from sqlalchemy import text\ndef f(c, n):\n    c.execute(text("SELECT a FROM t WHERE b = :n OR c = :value_2 OR d = :value_3").bindparams(n=format(n), value_2=format(n), value_3=format(n.x)))\n'],
  ['L3-015', 'from sqlalchemy import text\ndef f(c, n):\n    c.execute(text(f"SELECT a FROM {n}"))\n', /placeholder can not/],
  ['L3-015', 'import sqlite3\ndef f(cursor, n):\n    cursor.execute(f"INSERT INTO t VALUES (1, {n})")\n', 'import sqlite3\ndef f(cursor, n):\n    cursor.execute("INSERT INTO t VALUES (1, ?)", (n,))\n'],
  ['L3-015', 'import sqlite3\ndef f(cursor, n):\n    cursor.execute(f"SELECT a FROM {n}")\n', /placeholder can not/],
  ['L3-015', 'import sqlite3\ndef f(cursor, n):\n    cursor.execute(f"SELECT a FROM t ORDER BY {n}")\n', /placeholder can not/],
  ['L3-015', 'import sqlite3\ndef f(cursor, n):\n    cursor.execute(f"SELECT a FROM t WHERE b = \'it\'\'s {n}")\n', /placeholder can not/],
  ['L3-015', 'import sqlite3\ndef f(cursor, n):\n    cursor.execute(f"SELECT a FROM t WHERE b = \'x{n["k"]}\'")\n', /placeholder can not/],
  ['L3-015', 'import sqlite3\ndef f(cursor, n):\n    cursor.execute(f"SELECT a FROM t WHERE b = {n} AND c = ?", (1,))\n', /has parameters already/],
  ['L3-015', 'import sqlite3\ndef f(cursor, n):\n    cursor.executemany(f"SELECT a FROM t WHERE b = {n}", [])\n', /executemany takes parameters/],
  ['L3-015', 'def f(cursor, n):\n    cursor.execute(f"SELECT a FROM t WHERE b = {n}")\n', /database driver/],
  ['L3-015', 'import sqlite3, psycopg2\ndef f(cursor, n):\n    cursor.execute(f"SELECT a FROM t WHERE b = {n}")\n', /database driver/],
  ['L3-016', 'from django.db.models.expressions import RawSQL\ndef f(c):\n    return RawSQL("select a from r where c = \'%s\'" % c, ())\n', 'from django.db.models.expressions import RawSQL\ndef f(c):\n    return RawSQL("select a from r where c = %s", [str(c)])\n'],
  ['L3-019', 'import ldap\nfrom flask import request\nc = ldap.initialize("x")\nc.search_s("dc=x", 2, "(uid=%s)" % request.args["u"])\n',
    'import ldap\nfrom flask import request\nfrom ldap.filter import escape_filter_chars\nc = ldap.initialize("x")\nc.search_s("dc=x", 2, "(uid=%s)" % escape_filter_chars(request.args["u"]))\n'],
  ['L3-020', 'from lxml import etree\nfrom flask import request\ntree = etree.parse("a")\nx = request.args["x"]\ntree.xpath(f"//a[@id=\'{x}\' and @b=\\"{request.args[\'y\']}\\"]")\n',
    'from lxml import etree\nfrom flask import request\ntree = etree.parse("a")\nx = request.args["x"]\ntree.xpath("//a[@id=$x and @b=$value_2]", x=x, value_2=request.args[\'y\'])\n'],
  ['L3-020', 'from lxml import etree\nfrom flask import request\netree.parse("a").xpath("//" + request.args["x"])\n', /variable can not/],
  ['L3-020', 'from lxml import etree\nfrom flask import request\netree.parse("a").xpath("//a[@id=\'" + request.args["x"] + " y\']")\n', /part of a longer text/],

  ['L3-011', 'import jinja2\nenv = jinja2.Environment(loader=jinja2.FileSystemLoader("pages"))\n', 'import jinja2\nenv = jinja2.Environment(loader=jinja2.FileSystemLoader("pages"), autoescape=jinja2.select_autoescape())\n'],
  ['L3-011', 'from jinja2 import Environment\nenv = Environment(\n    autoescape=False,\n)\nenv.get_template("a.html")\n', 'from jinja2 import Environment\nfrom jinja2 import select_autoescape\nenv = Environment(\n    autoescape=select_autoescape(),\n)\nenv.get_template("a.html")\n'],
  ['L3-011', 'from django.template import Context, Template\nTemplate("<p>{{ a }}").render(Context({}, autoescape=False))\n', 'from django.template import Context, Template\nTemplate("<p>{{ a }}").render(Context({}, autoescape=True))\n'],
  ['L3-011', 'import jinja2\nenv = jinja2.Environment(autoescape=jinja2.select_autoescape())\nenv.autoescape = False\nenv.get_template("a.html")\n', 'import jinja2\nenv = jinja2.Environment(autoescape=jinja2.select_autoescape())\nenv.autoescape = True\nenv.get_template("a.html")\n'],
  ['L3-012', 'from django.utils.safestring import mark_safe\ndef v(request):\n    return mark_safe("<b>{%s}</b>" % request.GET["x"])\n',
    'from django.utils.safestring import mark_safe\nfrom django.utils.html import format_html\ndef v(request):\n    return format_html("<b>{{{}}}</b>", request.GET["x"])\n'],
  ['L3-012', 'from markupsafe import Markup\nfrom flask import request\nMarkup("<b>" + request.args["x"])\n', 'from markupsafe import Markup\nfrom flask import request\nMarkup("<b>{}").format(request.args["x"])\n'],
  ['L3-012', 'from markupsafe import Markup\nfrom flask import request\nMarkup("<script>" + request.args["x"])\n', /stands in script/],
  ['L3-013', 'from flask import Flask, request\napp = Flask(__name__)\n@app.route("/")\ndef hi():\n    return f"<p>{request.args[\'x\']}</p>"\n',
    'from flask import Flask, request\nimport html\napp = Flask(__name__)\n@app.route("/")\ndef hi():\n    return f"<p>{html.escape(str(request.args[\'x\']))}</p>"\n'],
  ['L3-013', 'from flask import Flask, request\nfrom html import escape as quote\napp = Flask(__name__)\n@app.route("/")\ndef hi():\n    return "<p>" + request.args["x"]\n',
    'from flask import Flask, request\nfrom html import escape as quote\napp = Flask(__name__)\n@app.route("/")\ndef hi():\n    return "<p>" + quote(request.args["x"])\n'],
  ['L3-013', 'from flask import Flask, request\napp = Flask(__name__)\n@app.route("/")\ndef hi():\n    html = "<p>" + request.args["x"]\n    return html\n',
    'from flask import Flask, request\nfrom html import escape\napp = Flask(__name__)\n@app.route("/")\ndef hi():\n    html = "<p>" + escape(request.args["x"])\n    return html\n'],
  ['AI-604', 'from django.http import HttpResponse\nfrom openai import OpenAI\nclient = OpenAI()\ndef v(request):\n    answer = client.responses.create(model="m", input="x")\n    return HttpResponse("<p>" + answer.output_text)\n',
    'from django.http import HttpResponse\nfrom openai import OpenAI\nimport html\nclient = OpenAI()\ndef v(request):\n    answer = client.responses.create(model="m", input="x")\n    return HttpResponse("<p>" + html.escape(answer.output_text))\n'],
  ['L3-021', 'from flask import request\nopen("notes/" + request.args["n"])\n', 'from flask import request\nfrom werkzeug.utils import safe_join\nfrom flask import abort\nopen(safe_join("notes/", request.args["n"]) or abort(404))\n'],
  ['L3-021', 'from flask import request\nopen("notes/" + request.args["n"] + ".txt")\n', /Which part of the path/],
  ['L3-021', 'def v(request):\n    from django.http import HttpResponse\n    return open("a/" + request.GET["n"])\n', /Where the files may lie/],
  ['L3-024', 'import os\nfrom flask import request\nf = request.files["f"]\nf.save(os.path.join("/srv", f.filename))\n', 'import os\nfrom flask import request\nfrom werkzeug.utils import secure_filename\nf = request.files["f"]\nf.save(os.path.join("/srv", secure_filename(f.filename)))\n'],
  ['L3-026', 'from django.shortcuts import redirect\ndef v(request):\n    return redirect(request.GET["n"])\n',
    'from django.shortcuts import redirect\nfrom django.utils.http import url_has_allowed_host_and_scheme\ndef v(request):\n    return redirect(request.GET["n"] if url_has_allowed_host_and_scheme(request.GET["n"], allowed_hosts={request.get_host()}) else "/")\n'],
  ['L3-026', 'from flask import request, redirect\ndef v():\n    return redirect(request.args["n"])\n', /Which hosts/],
  ['L3-033', 'import logging\nfrom flask import request\nlogging.warning(f"login 100% failed for {request.form[\'u\']}")\n', 'import logging\nfrom flask import request\nlogging.warning("login 100%% failed for %r", request.form[\'u\'])\n'],

  ['L3-022', 'import tarfile\narchive = tarfile.open("a")\narchive.extractall("/srv")\n', 'import tarfile\narchive = tarfile.open("a")\narchive.extractall("/srv", filter="data")\n'],
  ['L3-022', 'import tarfile\narchive = tarfile.open("a")\narchive.extractall()\n', 'import tarfile\narchive = tarfile.open("a")\narchive.extractall(filter="data")\n'],
  ['L3-029', 'from yaml import load, FullLoader\ndef f(t):\n    return load(t, FullLoader)\n', 'from yaml import load, FullLoader\nfrom yaml import SafeLoader\ndef f(t):\n    return load(t, SafeLoader)\n'],
  ['L3-029', 'import yaml as y\ndef f(t):\n    return y.load(t)\n', 'import yaml as y\ndef f(t):\n    return y.load(t, Loader=y.SafeLoader)\n'],
  ['L3-029', 'import yaml\ndef f(t):\n    return list(yaml.unsafe_load_all(t))\n', 'import yaml\ndef f(t):\n    return list(yaml.safe_load_all(t))\n'],
  ['L3-029', 'from yaml import unsafe_load\ndef f(t):\n    return unsafe_load(t)\n', 'from yaml import unsafe_load\nfrom yaml import safe_load\ndef f(t):\n    return safe_load(t)\n'],
  ['L3-029', 'try:\n    import yaml\nexcept ImportError:\n    yaml = None\ndef f(t):\n    return yaml.load(t, Loader=yaml.Loader)\n', 'try:\n    import yaml\nexcept ImportError:\n    yaml = None\ndef f(t):\n    return yaml.load(t, Loader=yaml.SafeLoader)\n'],
  ['L3-015', 'import sqlite3\ndef f(cursor, n):\n    cursor.execute("SELECT a\\nFROM t WHERE b = %s" % n)\n', 'import sqlite3\ndef f(cursor, n):\n    cursor.execute("SELECT a\\nFROM t WHERE b = ?", (n,))\n'],
  ['L3-015', 'import sqlite3\ndef f(cursor, params):\n    cursor.execute("SELECT a FROM t WHERE b = %s" % params)\n', /not put together in one place/],
  ['L3-030', 'import torch\nm.load_state_dict(torch.load(path))\n', 'import torch\nm.load_state_dict(torch.load(path, weights_only=True))\n'],
  ['L3-030', 'import numpy as np\na = np.load("x.npy", allow_pickle=True)\n', /arrays hold objects/],
  ['L3-031', 'from lxml import etree\np = etree.XMLParser(resolve_entities=True, no_network=False)\n', 'from lxml import etree\np = etree.XMLParser(resolve_entities=False, no_network=True)\n'],
  ['L3-031', 'import xml.sax\nfrom xml.sax.handler import feature_external_ges\np = xml.sax.make_parser()\np.setFeature(feature_external_ges, True)\n', 'import xml.sax\nfrom xml.sax.handler import feature_external_ges\np = xml.sax.make_parser()\np.setFeature(feature_external_ges, False)\n'],
  ['L3-031', 'from lxml import etree\nfrom flask import request\netree.fromstring(request.data)\n', /chosen by hand/],
  ['L3-037', 'import tempfile\ndef f():\n    path = tempfile.mktemp(suffix=".x")  # note\n    open(path, "w")\n', 'import tempfile\nimport os\ndef f():\n    descriptor, path = tempfile.mkstemp(suffix=".x")  # note\n    os.close(descriptor)\n    open(path, "w")\n'],
  ['L3-037', 'import os, tempfile\ndef f():\n    open(path, "w")\npath = tempfile.mktemp()', 'import os, tempfile\ndef f():\n    open(path, "w")\ndescriptor, path = tempfile.mkstemp()\nos.close(descriptor)'],
  ['L3-037', 'import tempfile\na = 1; path = tempfile.mktemp()\n', /holds more than this assignment/],
  ['L3-037', 'import tempfile\nopen(tempfile.mktemp(), "w")\n', /opens the file/],
  ['L3-038', 'import os\nos.chmod("a", 0o777)\n', 'import os\nos.chmod("a", 0o755)\n'],
  ['L3-038', 'import os, stat\nos.chmod("a", stat.S_IRWXU | stat.S_IWOTH)\n', 'import os, stat\nos.chmod("a", (stat.S_IRWXU | stat.S_IWOTH) & ~0o022)\n'],
  ['L3-038', 'import os\nMODE = 0o666\nos.chmod("a", MODE)\n', 'import os\nMODE = 0o666\nos.chmod("a", MODE & ~0o022)\n'],
  ['L3-038', 'from pathlib import Path\nPath("a").chmod(0o666)\n', 'from pathlib import Path\nPath("a").chmod(0o644)\n'],
  ['L3-039', 'import socket\ns = socket.socket()\ns.bind(("0.0.0.0", 80))\n', 'import socket\ns = socket.socket()\ns.bind(("127.0.0.1", 80))\n'],
  ['L3-039', 'import uvicorn\nuvicorn.run(app, host="::")\n', 'import uvicorn\nuvicorn.run(app, host="::1")\n'],
  ['L3-039', 'import uvicorn\nHOST = "0.0.0.0"\nuvicorn.run(app, host=HOST)\n', /address is not written/],
  ['L3-040', 'from flask import Flask\napp = Flask(__name__)\napp.run(debug=True)\n', 'from flask import Flask\napp = Flask(__name__)\napp.run(debug=False)\n'],
  ['L3-040', 'from flask import Flask\napp = Flask(__name__)\napp.debug = True\n', 'from flask import Flask\napp = Flask(__name__)\napp.debug = False\n'],
  ['L3-041', 'WTF_CSRF_ENABLED = False\n', 'WTF_CSRF_ENABLED = True\n'],
  ['L3-041', 'from django.views.decorators.csrf import csrf_exempt\n@csrf_exempt\ndef v(request):\n    request.user.delete()\n', /found by hand/],
  ['L3-042', 'def f(response, v):\n    response.set_cookie("session", v)\n', 'def f(response, v):\n    response.set_cookie("session", v, secure=True, httponly=True)\n'],
  ['L3-042', 'SESSION_COOKIE_SECURE = False\n', 'SESSION_COOKIE_SECURE = True\n'],
  ['L3-043', 'from flask_cors import CORS\nCORS(app, origins="*", supports_credentials=True)\n', 'from flask_cors import CORS\nCORS(app, origins="*", supports_credentials=False)\n'],
  ['L3-044', 'import requests\nrequests.get(\n    "https://example.org",\n    headers={},\n)\n', 'import requests\nrequests.get(\n    "https://example.org",\n    headers={},\n    timeout=10,\n)\n'],
  ['L3-044', 'import requests\nrequests.get(\n    "https://example.org",\n    headers=({})  # why\n)\n', 'import requests\nrequests.get(\n    "https://example.org",\n    headers=({}),  # why\n    timeout=10\n)\n'],
  ['L3-044', 'import requests\nrequests.get("https://example.org", timeout=None,)\n', 'import requests\nrequests.get("https://example.org", timeout=10,)\n'],
  ['L3-044', 'import requests\nrequests.get("https://example.org", )\n', 'import requests\nrequests.get("https://example.org", timeout=10 )\n'],
  ['L3-045', 'import pymysql\npymysql.connect(host="db", user="root", password="")\n', 'import pymysql\nimport os\npymysql.connect(host="db", user="root", password=os.environ["DB_PASSWORD"])\n'],
  ['AI-605', 'from langchain.agents import load_tools\nload_tools(["wikipedia", "llm-math"], llm=m, allow_dangerous_tools=True)\n', 'from langchain.agents import load_tools\nload_tools(["wikipedia", "llm-math"], llm=m)\n'],
  ['AI-605', 'from langchain_community.tools import ShellTool\nShellTool()\n', /found by hand/],
  ['AI-606', 'from transformers import AutoModel\nAutoModel.from_pretrained("openai-community/gpt2", revision="a1", trust_remote_code=True)\n', 'from transformers import AutoModel\nAutoModel.from_pretrained("openai-community/gpt2", revision="a1", trust_remote_code=False)\n'],
  ['AI-606', 'from transformers import AutoModel\nAutoModel.from_pretrained("org/m", trust_remote_code=True)\n', /Which revision/],
  ['AI-607', 'from openai import OpenAI\nclient = OpenAI()\nfor row in rows:\n    client.responses.create(model="gpt-4.1", input=row)\n', 'from openai import OpenAI\nclient = OpenAI()\nfor row in rows:\n    client.responses.create(model="gpt-4.1", input=row, max_output_tokens=1024)\n'],
  ['AI-607', 'from openai import OpenAI\nclient = OpenAI()\nfor row in rows:\n    client.chat.completions.create(model="gpt-4.1", messages=[])\n', 'from openai import OpenAI\nclient = OpenAI()\nfor row in rows:\n    client.chat.completions.create(model="gpt-4.1", messages=[], max_tokens=1024)\n'],

  ['CRYPTO-001', 'import hashlib\ndef etag(data):\n    return hashlib.md5(data).hexdigest()\n', 'import hashlib\ndef etag(data):\n    return hashlib.md5(data, usedforsecurity=False).hexdigest()\n'],
  ['CRYPTO-001', 'import hashlib\ndef f(data):\n    return hashlib.md5(data).hexdigest()\n', 'import hashlib\ndef f(data):\n    return hashlib.sha256(data).hexdigest()\n'],
  ['CRYPTO-001', 'from hashlib import sha1\ndef f(data):\n    return sha1(data).hexdigest()\n', 'from hashlib import sha1\nfrom hashlib import sha256\ndef f(data):\n    return sha256(data).hexdigest()\n'],
  ['CRYPTO-001', 'import hashlib\ndef f(data):\n    return hashlib.new("md5", data).hexdigest()\n', 'import hashlib\ndef f(data):\n    return hashlib.new("sha256", data).hexdigest()\n'],
  ['CRYPTO-001', 'from Crypto.Hash import MD5\ndef f(data):\n    return MD5.new(data).hexdigest()\n', 'from Crypto.Hash import MD5\nfrom Crypto.Hash import SHA256\ndef f(data):\n    return SHA256.new(data).hexdigest()\n'],
  ['CRYPTO-001', 'from cryptography.hazmat.primitives import hashes\ndef f(data):\n    h = hashes.Hash(hashes.SHA1())\n    h.update(data)\n    return h.finalize().hex()\n', 'from cryptography.hazmat.primitives import hashes\ndef f(data):\n    h = hashes.Hash(hashes.SHA256())\n    h.update(data)\n    return h.finalize().hex()\n'],
  ['CRYPTO-001', 'import hashlib\ndef f(password):\n    return hashlib.md5(password.encode())\n', /slow hash/],
  ['CRYPTO-003', 'from Crypto.PublicKey import RSA\nRSA.generate(1024)\n', 'from Crypto.PublicKey import RSA\nRSA.generate(3072)\n'],
  ['CRYPTO-003', 'from cryptography.hazmat.primitives.asymmetric import ec\nec.generate_private_key(ec.SECP192R1())\n', /number is not written/],
  ['CRYPTO-004', 'import random\ntoken = random.getrandbits(128)\n', 'import random\nimport secrets\ntoken = secrets.randbits(128)\n'],
  ['CRYPTO-004', 'import random\ntoken = "".join(random.choice("abc") for _ in range(8))\n', 'import random\nimport secrets\ntoken = "".join(secrets.choice("abc") for _ in range(8))\n'],
  ['CRYPTO-004', 'import random\ntoken = random.randint(0, 9)\n', 'import random\nimport secrets\ntoken = secrets.randbelow(10)\n'],
  ['CRYPTO-004', 'import random\ntoken = random.randint(1, 9)\n', 'import random\nimport secrets\ntoken = secrets.SystemRandom().randint(1, 9)\n'],
  ['CRYPTO-004', 'import random\ntoken = random.randrange(10)\n', 'import random\nimport secrets\ntoken = secrets.randbelow(10)\n'],
  ['CRYPTO-004', 'import random\ntoken = random.randbytes(16)\n', 'import random\nimport secrets\ntoken = secrets.token_bytes(16)\n'],
  ['CRYPTO-004', 'import random\nsecrets = []\ntoken = random.randbytes(16)\n', /name secrets means something else/],
  ['CRYPTO-006', 'import hashlib\ndef f(p, s):\n    return hashlib.pbkdf2_hmac("sha256", p, s, 1000)\n', /factor that it was made with/],
  ['CRYPTO-006', 'import bcrypt\nbcrypt.gensalt(rounds=4)\n', 'import bcrypt\nbcrypt.gensalt(rounds=12)\n'],
  ['CRYPTO-006', 'from Crypto.Protocol.KDF import PBKDF2\nPBKDF2(p, s)\n', /factor that it was made with/],
  ['CRYPTO-006', 'import hashlib\ndef f(password):\n    return hashlib.sha256(password.encode())\n', /slow hash/],

  ['CONFIG-001', 'import requests\nrequests.get("https://x", verify=False, timeout=1)\n', 'import requests\nrequests.get("https://x", timeout=1)\n'],
  ['CONFIG-001', 'import httpx\nhttpx.Client(verify=False)\n', 'import httpx\nhttpx.Client()\n'],
  ['CONFIG-001', 'import httpx\nhttpx.Client(verify=False, timeout=1)\n', 'import httpx\nhttpx.Client(timeout=1)\n'],
  ['CONFIG-001', 'import requests\nrequests.get(\n    "https://x",\n    timeout=1,  # short\n    verify=False,  # dev\n)\n', 'import requests\nrequests.get(\n    "https://x",\n    timeout=1,  # short\n)\n'],
  ['CONFIG-001', 'import requests\ns = requests.Session()\ns.verify = False\n', 'import requests\ns = requests.Session()\ns.verify = True\n'],
  ['CONFIG-001', 'import ssl\nc = ssl._create_unverified_context()\n', 'import ssl\nc = ssl.create_default_context()\n'],
  ['CONFIG-001', 'import ssl\nssl._create_default_https_context = ssl._create_unverified_context\n', 'import ssl\nssl._create_default_https_context = ssl.create_default_context\n'],
  ['CONFIG-001', 'import ssl\nc = ssl.create_default_context()\nc.verify_mode = ssl.CERT_NONE\n', 'import ssl\nc = ssl.create_default_context()\nc.verify_mode = ssl.CERT_REQUIRED\n'],
  ['CONFIG-001', 'import os\nos.environ["PYTHONHTTPSVERIFY"] = "0"\n', 'import os\nos.environ["PYTHONHTTPSVERIFY"] = "1"\n'],
  ['CONFIG-001', 'import ssl, urllib3\nurllib3.PoolManager(cert_reqs=ssl.CERT_NONE)\n', 'import ssl, urllib3\nurllib3.PoolManager(cert_reqs=ssl.CERT_REQUIRED)\n'],
  ['CONFIG-001', 'client.tls_insecure_set(True)\n', 'client.tls_insecure_set(False)\n'],
  ['CONFIG-001', 'from ssl import _create_unverified_context\nc = _create_unverified_context()\n', /by its own name/],
  ['CONFIG-001', 'import requests\nrequests.get("https://x", verify=False, tls_insecure=True, timeout=1)\n', /switch is not written/],
  ['CONFIG-002', 'import paramiko\nc = paramiko.SSHClient()\nif 1:\n    c.set_missing_host_key_policy(paramiko.AutoAddPolicy())\n', 'import paramiko\nc = paramiko.SSHClient()\nif 1:\n    c.load_system_host_keys()\n    c.set_missing_host_key_policy(paramiko.RejectPolicy())\n'],
  ['CONFIG-002', 'import paramiko\nc = paramiko.SSHClient(); c.set_missing_host_key_policy(paramiko.AutoAddPolicy)\n', 'import paramiko\nc = paramiko.SSHClient(); c.load_system_host_keys(); c.set_missing_host_key_policy(paramiko.RejectPolicy)\n'],
  ['CONFIG-002', 'import paramiko\nc = paramiko.SSHClient()\nc.load_system_host_keys()\nc.set_missing_host_key_policy(paramiko.WarningPolicy())\n', 'import paramiko\nc = paramiko.SSHClient()\nc.load_system_host_keys()\nc.set_missing_host_key_policy(paramiko.RejectPolicy())\n'],
  ['CONFIG-002', 'import asyncssh\nasync def f():\n    await asyncssh.connect("x", known_hosts=None)\n', 'import asyncssh\nasync def f():\n    await asyncssh.connect("x")\n'],
  ['CONFIG-002', 'from paramiko import SSHClient, AutoAddPolicy\nc = SSHClient()\nc.set_missing_host_key_policy(AutoAddPolicy())\n', 'from paramiko import SSHClient, AutoAddPolicy\nfrom paramiko import RejectPolicy\nc = SSHClient()\nc.load_system_host_keys()\nc.set_missing_host_key_policy(RejectPolicy())\n'],
  ['CONFIG-002', 'import paramiko\nc = paramiko.SSHClient()\npolicy = paramiko.AutoAddPolicy()\nc.set_missing_host_key_policy(policy)\n', /not written in the call/],
  ['CONFIG-003', 'import ssl\nc = ssl.SSLContext(ssl.PROTOCOL_TLSv1)\n', 'import ssl\nc = ssl.create_default_context()\n'],
  ['CONFIG-003', 'import ssl\nc = ssl.create_default_context()\nc.minimum_version = ssl.TLSVersion.TLSv1\n', 'import ssl\nc = ssl.create_default_context()\nc.minimum_version = ssl.TLSVersion.TLSv1_2\n'],
  ['CONFIG-003', 'import ssl\nc = ssl.SSLContext(ssl.PROTOCOL_TLSv1)\nc.load_cert_chain("a")\n', /Servers need/],
  ['CONFIG-004', 'import requests\nrequests.get(f"http://example.org/{x}", auth=("a", b), timeout=1)\n', 'import requests\nrequests.get(f"https://example.org/{x}", auth=("a", b), timeout=1)\n'],
  ['CONFIG-004', 'import ftplib\nftplib.FTP("files.example.org")\n', /encrypted protocol/],
  ['CONFIG-005', 'import jwt\ndef f(t, k):\n    return jwt.decode(t, k, algorithms=["HS256"], options={"verify_signature": False})\n', 'import jwt\ndef f(t, k):\n    return jwt.decode(t, k, algorithms=["HS256"], options={"verify_signature": True})\n'],
  ['CONFIG-005', 'import jwt\ndef f(t, k):\n    return jwt.decode(t, key=k, verify=False, algorithms=("RS256",))\n', 'import jwt\ndef f(t, k):\n    return jwt.decode(t, key=k, verify=True, algorithms=("RS256",))\n'],
  ['CONFIG-005', 'import jwt\ndef f(t, k):\n    return jwt.decode(t, k, algorithms=["none"])\n', /algorithm the token is signed with/],
  ['CONFIG-005', 'import jwt\ndef f(t):\n    return jwt.decode(t, options={"verify_signature": False})\n', /key to check the signature/],
  ['CONFIG-005', 'import jwt\njwt.encode({"a": 1}, None, algorithm="none")\n', /Which key and algorithm/],
  ['CRYPTO-001', 'import hashlib\ncache_key = hashlib.md5(b"x").hexdigest()\n', 'import hashlib\ncache_key = hashlib.md5(b"x", usedforsecurity=False).hexdigest()\n'],
  ['CRYPTO-001', 'import hashlib\netag: str = hashlib.md5(b"x").hexdigest()\n', 'import hashlib\netag: str = hashlib.md5(b"x", usedforsecurity=False).hexdigest()\n'],
  ['CRYPTO-001', 'from django.utils.crypto import md5\ndef f(data):\n    return md5(data)\n', /No digest of the same library/],
  ['CRYPTO-001', 'from Crypto.Hash import MD5\nSHA256 = 1\ndef f(data):\n    return MD5.new(data)\n', /No digest of the same library/],
  ['CRYPTO-001', 'from hashlib import md5\ndef sha256(data):\n    return md5(data)\n', /name sha256 means something else/],
  ['CRYPTO-003', 'from cryptography.hazmat.primitives.asymmetric import rsa\nrsa.generate_private_key(public_exponent=65537, key_size=1024)\n', 'from cryptography.hazmat.primitives.asymmetric import rsa\nrsa.generate_private_key(public_exponent=65537, key_size=3072)\n'],
  ['CRYPTO-004', 'import numpy\nsalt = numpy.random.bytes(16)\n', /made elsewhere/],
  ['CRYPTO-004', 'import random\ntoken = random.triangular()\n', /no twin of this call/],
  ['CRYPTO-006', 'import bcrypt\nROUNDS = 4\nbcrypt.gensalt(ROUNDS)\n', /work factor is not written/],
  ['CRYPTO-006', 'from passlib.hash import pbkdf2_sha256\npbkdf2_sha256.using(rounds=1000)\n', 'from passlib.hash import pbkdf2_sha256\npbkdf2_sha256.using(rounds=600000)\n'],
  ['CRYPTO-006', 'from django.utils.crypto import pbkdf2\npbkdf2(p, s, 1000)\n', /factor that it was made with/],
  ['L3-011', 'from mako.lookup import TemplateLookup\nTemplateLookup(directories=["a"])\n', /How this library escapes/],
  ['L3-012', 'from django.utils.safestring import mark_safe\ndef format_html(x): pass\ndef v(request):\n    return mark_safe("<b>" + request.GET["x"])\n', /name format_html means something else/],
  ['L3-012', 'from webhelpers.html import literal\nfrom flask import request\nliteral("<b>" + request.args["x"])\n', /How this library escapes/],
  ['L3-013', 'from flask import Flask, request\nimport html as h\napp = Flask(__name__)\nescape = 1\n@app.route("/")\ndef hi():\n    return "<p>" + request.args["x"]\n',
    'from flask import Flask, request\nimport html as h\napp = Flask(__name__)\nescape = 1\n@app.route("/")\ndef hi():\n    return "<p>" + h.escape(request.args["x"])\n'],
  ['L3-013', 'from flask import Flask, request\napp = Flask(__name__)\nescape = html = 1\n@app.route("/")\ndef hi():\n    return "<p>" + request.args["x"]\n', /names html and escape mean something else/],
  ['L3-013', 'from starlette.responses import HTMLResponse\nfrom starlette.requests import Request\nfrom fastapi import FastAPI\napp = FastAPI()\n@app.get("/")\ndef v(name: str):\n    return HTMLResponse(content=f"<p>{name}")\n',
    'from starlette.responses import HTMLResponse\nfrom starlette.requests import Request\nfrom fastapi import FastAPI\nimport html\napp = FastAPI()\n@app.get("/")\ndef v(name: str):\n    return HTMLResponse(content=f"<p>{html.escape(str(name))}")\n'],
  ['L3-021', 'from flask import request\ndef safe_join(x): pass\nopen("notes/" + request.args["n"])\n', /name safe_join or abort means something else/],
  ['L3-026', 'from django.shortcuts import redirect\nurl_has_allowed_host_and_scheme = 1\ndef v(request):\n    return redirect(request.GET["n"])\n', /means something else/],
  ['L3-030', 'import numpy\nPICKLE = True\na = numpy.load("x.npy", allow_pickle=PICKLE)\n', /arrays hold objects/],
  ['L3-038', 'import os\nos.chmod(mode=0o777, path="a")\n', 'import os\nos.chmod(mode=0o755, path="a")\n'],
  ['L3-045', 'import pymysql\nNOTHING = ""\npymysql.connect(host="db", user="root", password=NOTHING)\n', /password is not written/],
  ['CONFIG-001', 'import os\nclass A:\n    pass\nimport ssl\nclient: ssl.SSLContext = ssl.create_default_context()\nclient.check_hostname = False\n', 'import os\nclass A:\n    pass\nimport ssl\nclient: ssl.SSLContext = ssl.create_default_context()\nclient.check_hostname = True\n'],
  ['CONFIG-003', 'from OpenSSL import SSL\nSSL.Context(SSL.SSLv23_METHOD)\n', 'from OpenSSL import SSL\nSSL.Context(SSL.TLS_METHOD)\n'],
  ['CONFIG-003', 'from ssl import SSLContext, PROTOCOL_TLSv1\nSSLContext(PROTOCOL_TLSv1)\n', /not written here as ssl.NAME/],
  ['CONFIG-004', 'import requests\nrequests.request("GET", "http://example.org/", auth=("a", b), timeout=1)\n', 'import requests\nrequests.request("GET", "https://example.org/", auth=("a", b), timeout=1)\n'],
  ['CONFIG-005', 'import jwt\ndef f(t, k):\n    return jwt.decode(t, k, algorithms=["HS256", "RS256"], options={"verify_signature": False})\n', /algorithm the token is signed with/],
  ['CONFIG-005', 'import jwt\nOFF = {"verify_signature": False}\ndef f(t, k):\n    return jwt.decode(t, k, algorithms=["HS256"], options=OFF)\n', /switch is not written/],
];

describe('the offline templates', () => {
  for (const [rule, before, after] of rows) {
    it(`${rule}: ${typeof after === 'string' ? 'fix' : 'decline'} ${JSON.stringify(before.split('\n').filter((line) => !/^(?:import|from) /.test(line)).join('\n').slice(0, 90))}`, async () => {
      const fixed = await fixedText(before, `CODE-W1-${rule}`);
      if (typeof after === 'string') assert.equal(fixed, after);
      else assert.match(fixed, after);
    });
  }

  it('are there for at least 25 rules, and each is a rule of the catalogue that the table above shows', () => {
    const shown = new Set(rows.filter(([, , after]) => typeof after === 'string').map(([rule]) => `CODE-W1-${rule}`));
    assert.ok(rulesWithTemplate.length >= 25);
    for (const id of rulesWithTemplate.filter((each) => !each.includes('-MCP-'))) assert.ok(rules.some((rule) => rule.id === id) && shown.has(id), id);
  });

  it('give CRLF files lines of their kind', async () => {
    const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
    for (const [rule, before, after] of rows.filter((row) => typeof row[2] === 'string')) {
      assert.equal(await fixedText(crlf(before), `CODE-W1-${rule}`), crlf(after as string), `${rule}\n${before}`);
    }
  });

  it('know nothing of other files and other rules', () => {
    assert.equal(fixByTemplate('x', makeFinding({ file: 'a.js', rule_id: 'CODE-W1-L3-002' })), undefined);
    assert.equal(fixByTemplate('x', makeFinding({ rule_id: 'CODE-W1-L3-001' })), undefined);
    assert.equal(fixByTemplate('x', makeFinding({ rule_id: 'toString' })), undefined);
  });

  it('decline when the code is not at the place of the finding', () => {
    for (const id of rulesWithTemplate) {
      const fix = fixByTemplate('import os\n\n\nx = y\n', makeFinding({ rule_id: id, line: 4, end_line: 4, column: 5, end_column: 6 }));
      assert.ok(fix !== undefined && 'declined' in fix, id);
    }
  });
});

describe('the template of secrets', () => {
  const token = githubToken(1);
  for (const [what, before, after] of [
    ['by the name of its variable', `apiToken = "${token}"\n`, 'import os\napiToken = os.environ["API_TOKEN"]\n'],
    ['by the name of its attribute', `import os as system\nself.api_key = '${token}'\n`, 'import os as system\nself.api_key = system.environ["API_KEY"]\n'],
    ['by the key of its dict', `config = {"gh-token": "${token}"}\n`, 'import os\nconfig = {"gh-token": os.environ["GH_TOKEN"]}\n'],
    ['by its keyword', `login(token=r"${token}")\n`, 'import os\nlogin(token=os.environ["TOKEN"])\n'],
    ['by its class too', `class Dev:\n    token = "${token}"\n`, 'import os\nclass Dev:\n    token = os.environ["DEV_TOKEN"]\n'],
    ['by its provider where a system has its name', `USER = "${token}"\n`, 'import os\nUSER = os.environ["GITHUB_TOKEN"]\n'],
    ['by a number where a variable of its name is there', `import os\nold = os.environ["TOKEN"]\ntoken = "${token}"\n`, 'import os\nold = os.environ["TOKEN"]\ntoken = os.environ["TOKEN_2"]\n'],
    ['by a number where another secret has its name', `import os\ndef dev():\n    login(token="placeholder")\ndef prod():\n    login(token="${token}")\n`, `import os\ndef dev():\n    login(token="placeholder")\ndef prod():\n    login(token=os.environ["TOKEN_2"])\n`],
    ['by its annotated name', `TOKEN: str = "${token}"\n`, 'import os\nTOKEN: str = os.environ["TOKEN"]\n'],
    ['by its subscript', `env["my.token"] = "${token}"\n`, 'import os\nenv["my.token"] = os.environ["MY_TOKEN"]\n'],
    ['by its provider where it has no name', `login("${token}")\n`, 'import os\nlogin(os.environ["GITHUB_TOKEN"])\n'],
    ['behind head comments', `#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nlogin("${token}")\n`, '#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nimport os\nlogin(os.environ["GITHUB_TOKEN"])\n'],
  ] as const) {
    it(`names the variable of the environment ${what}`, async () => {
      assert.equal(await fixedText(before, scanText(before)[0]!.rule_id), after);
    });
  }

  for (const [what, before] of [
    ['part of a longer text', `x = "token ${token} here"\n`], ['a comment', `# ${token}\nx = 1\n`], ['a docstring', `"""${token}"""\n`],
  ] as const) {
    it(`declines a secret that is ${what}`, async () => {
      assert.match(await fixedText(before, scanText(before)[0]!.rule_id), /part of a longer text/);
    });
  }

  it('declines what has to be there as soon as the code is read, and patterns', async () => {
    const rule = scanText(`login("${token}")`)[0]!.rule_id;
    assert.match(await fixedText(`def login(token="${token}"):\n    pass\n`, rule), /default of a parameter/);
    assert.match(await fixedText(`login = lambda token="${token}": token\n`, rule), /default of a parameter/);
    assert.match(await fixedText(`def f(x):\n    match x:\n        case "${token}":\n            return 1\n`, rule), /pattern/);
  });

  it('declines where os is another thing', async () => {
    assert.match(await fixedText(`def f(os):\n    return login("${token}")\n`, scanText(`login("${token}")`)[0]!.rule_id), /name os means something else/);
  });
});

describe('the templates of MCP configuration', async () => {
  const value = ['q7Rw2', 'ZtYb9Kc4', 'Vn8Xs'].join('');
  const config = (member: string): string => `{ "mcpServers": { "example": ${member} } }\n`;
  const files = {
    '.mcp.json': config(`{ "command": "serve", "env": { "example-token": "${value}" } }`),
    'a/.mcp.json': config(`{ "url": "https://mcp.example.com", "headers": { "Authorization":\n "Bearer ${value}" } }`),
    'b/.mcp.json': config('{ "url": "http://mcp.example.com/mcp" }'),
  };
  const { root, findings, git } = await scannedRepository(files);
  for (const [file, part] of [['.mcp.json', '"example-token": "${EXAMPLE_TOKEN}"'], ['a/.mcp.json', '"Authorization":\n "Bearer ${EXAMPLE_AUTHORIZATION}"'], ['b/.mcp.json', '"https://mcp.example.com/mcp"']] as const) {
    it(`make ${JSON.stringify(part)}`, async () => {
      const finding = findings.find((each) => each.file === file && each.rule_id.includes('-MCP-'))!;
      const { status, diff, rationale } = await proposeFix({ root, findingId: finding.finding_id, runnerId: 'rules' }, surroundings());
      assert.equal(status, 'proposed', rationale);
      git(['apply', '--check', '-'], diff!);
      assert.ok(applyDiff(files[file], diff!).includes(part));
    });
  }

  it('decline where no such string stands', () => {
    for (const [rule, text] of [['002', '["x"]'], ['002', '{"-": "x"}'], ['003', '{"a": "x"}'], ['003', 'x']] as const) {
      const column = text.indexOf('"x"') + 1;
      const fix = fixByTemplate(text, makeFinding({ file: '.mcp.json', rule_id: `CODE-W2-CONFIG-MCP-${rule}`, column: Math.max(1, column) }));
      assert.ok(fix !== undefined && 'declined' in fix, text);
    }
  });
});

describe('the offline templates in a notebook', async () => {
  const cells = [{ cell_type: 'code', source: ['eval(input())'] }];
  const { root, findings } = await scannedRepository({ 'a.ipynb': JSON.stringify({ nbformat: 4, metadata: {}, cells }) });
  it('are said not to work there, even where the rule has one', async () => {
    const finding = findings.find(({ rule_id }) => rulesWithTemplate.includes(rule_id))!;
    const { status, rationale } = await proposeFix({ root, findingId: finding.finding_id, runnerId: 'rules' }, surroundings());
    assert.deepEqual([status, rationale], ['not_fixable', 'Offline templates do not work on notebooks.']);
  });
});

describe('the import of a fix', () => {
  for (const [what, head, expected] of [
    ['behind a docstring', '"""Doc."""\n', '"""Doc."""\nimport os\n'],
    ['behind __future__ and the first imports', '"""Doc."""\nfrom __future__ import annotations\nimport re\n\n', '"""Doc."""\nfrom __future__ import annotations\nimport re\nimport os\n\n'],
    ['behind an import on several lines', 'from re import (\n    match,  # used\n)\n', 'from re import (\n    match,  # used\n)\nimport os\n'],
    ['behind two imports on one line', 'import re; import sys  # both\n', 'import re; import sys  # both\nimport os\n'],
    ['not again', 'import re, os\n', 'import re, os\n'],
    ['not where it is imported later at the top', 'x = 1\nimport os\n', 'x = 1\nimport os\n'],
    ['though a function imports it', 'def f():\n    import os\n', 'import os\ndef f():\n    import os\n'],
    ['though another name of the module is imported', 'from os import path\n', 'from os import path\nimport os\n'],
  ] as const) {
    it(`is put ${what}`, async () => {
      const before = `${head}WTF = 1\nlogin("${githubToken(2)}")\n`;
      assert.equal(await fixedText(before, 'CODE-W1-SECRET-004'), `${expected}WTF = 1\nlogin(os.environ["GITHUB_TOKEN"])\n`);
    });
  }
});

describe('the template of queries', () => {
  it('stays fast and declines where a program has made the query', async () => {
    const values = Array.from({ length: 20_000 }, () => "between '{n}' ").join('');
    const start = performance.now();
    assert.match(await fixedText(`import sqlite3\ndef f(cursor, n):\n    cursor.execute(f"SELECT a FROM t WHERE b ${values}")\n`, 'CODE-W1-L3-015'), /placeholder can not|not put together/);
    assert.ok(performance.now() - start < 10_000);
  });
});

describe('fixes of the whole catalogue', () => {
  it('pass every check wherever a template has one', async () => {
    let fixes = 0;
    for (const rule of rules) {
      for (const finding of scanText(rule.bad)) {
        const fix = fixByTemplate(rule.bad, finding);
        if (fix === undefined || 'declined' in fix) continue;
        const fixed = applyEdits(rule.bad, fix.edits);
        const checked = await checkText(rule.bad, fixed!, finding);
        assert.ok('diff' in checked, `${rule.id}: ${JSON.stringify(checked)}\n${fixed}`);
        fixes += 1;
      }
    }
    assert.ok(fixes >= 25, `${fixes}`);
  });
});
