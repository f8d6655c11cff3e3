/** Ways of a value to a sink: sanitizers, models, instances, deferred calls, and what single rules make of them. */
import { describeSnippets } from './rule-table.ts';

describeSnippets('ways to a sink', 'import os, re, subprocess, shlex\nfrom pathlib import Path\nfrom flask import request, abort, send_file', String.raw`
# L3-021
def v():
    return send_file(shlex.quote(request.args["x"]))
---
# L3-003
def v():
    os.system("ls " + subprocess.list2cmdline([request.args["x"]]))
---
# L3-013
from django.utils.html import strip_tags
from django.http import HttpResponse
def v():
    return HttpResponse("<p>" + strip_tags(request.args["x"]))
---
# L3-025
import requests
from urllib.parse import quote
def v():
    return {"n": len(requests.get("https://" + quote(request.args["host"]), timeout=3).text)}
---
# none
import requests
from urllib.parse import quote
def v():
    return {"n": len(requests.get("https://api.example.com/" + quote(request.args["host"]), timeout=3).text)}
---
# L3-021
from urllib.parse import quote
def v():
    return send_file("/srv/" + quote(request.args["x"]))
---
# none
from urllib.parse import quote
def v():
    return send_file("/srv/" + quote(request.args["x"], safe=""))
---
# L3-021
import base64
def v():
    return send_file(base64.b64encode(request.data))
---
# L3-013
import bleach
from django.http import HttpResponse
def v():
    return HttpResponse("<p>" + bleach.linkify(request.args["x"]))
---
# none
from fastapi import FastAPI
from pydantic import BaseModel
import enum
app = FastAPI()
class K(str, enum.Enum):
    A = "a"
class J(BaseModel):
    n: int
    k: K
    ids: list[int]
@app.post("/x")
def v(j: J):
    os.system(f"run {j.n}")
    os.system(f"run {j.k.value}")
    os.system(f"run {j.ids[0]}")
---
# L3-003
from fastapi import FastAPI
from pydantic import BaseModel
app = FastAPI()
class J(BaseModel):
    n: str = ""
@app.post("/x")
def v(j: J):
    os.system(f"run {j.n}")
---
# none
class C:
    def __init__(self, cmd):
        self.cmd = cmd
def v():
    c1 = C("ls"); c2 = C(request.args["x"])
    os.system(c1.cmd)
---
# L3-003
class C:
    def __init__(self, cmd):
        self.cmd = cmd
def v():
    c1 = C("ls"); c2 = C(request.args["x"])
    os.system(c2.cmd)
---
# L3-003
class C:
    def __init__(self, cmd):
        self.cmd = "ls " + cmd
    def run(self):
        os.system(self.cmd)
def v():
    c2 = C(request.args["x"])
    c2.run()
---
# none
class C:
    def __init__(self, cmd):
        self.cmd = "ls " + cmd.strip()
def v():
    c1 = C("ls"); c2 = C(request.args["x"])
    os.system(c1.cmd)
---
# L3-003
class C:
    def __init__(self, cmd):
        self.cmd = "ls " + cmd.strip()
def v():
    c1 = C("ls"); c2 = C(request.args["x"])
    os.system(c2.cmd)
---
# L3-003
class C:
    def __init__(self, cmd):
        self.cmd = cmd
    def set(self, x):
        self.cmd = x
def v():
    c1 = C("ls")
    c1.set(request.args["x"])
    os.system(c1.cmd)
---
# L3-003
class C:
    def __init__(self, cmd):
        self.cmd = cmd
c1 = C("ls")
c1.cmd = request.args["x"]
os.system(c1.cmd)
---
# L3-013
from flask import Flask
app = Flask(__name__)
@app.errorhandler(404)
def e(err):
    return "<p>%s" % request.path, 404
---
# none
from flask import Flask
app = Flask(__name__)
@app.errorhandler(404)
def e(err):
    return "<p>%s" % err.description, 404
---
# L3-003
from functools import partial
def v():
    partial(os.system, request.args["x"])()
---
# L3-017
from functools import partial
def v():
    run = partial(subprocess.run, shell=True)
    run("ls " + request.args["x"])
---
# none
from functools import partial
def v():
    run = partial(os.system, "ls")
    run()
---
# L3-003
from threading import Thread
def v():
    x = request.args["x"]
    Thread(target=os.system, args=(x,)).start()
---
# L3-003
from threading import Thread
def work(x):
    os.system("ls " + x)
def v():
    x = request.args["x"]
    Thread(target=work, args=(x,)).start()
---
# L3-003
async def v(loop):
    await loop.run_in_executor(None, os.system, request.args["x"])
---
# L3-003
def v():
    list(map(os.system, request.args.getlist("x")))
---
# L3-003
from functools import partial
def v(loop):
    loop.run_in_executor(None, partial(os.system, request.args["x"]))
---
# none
def v(loop):
    loop.run_in_executor(None, os.system, "ls")
    list(map(int, request.args.getlist("x")))
---
# none
class C:
    def __init__(self, cmd):
        self.cmd = cmd
c1 = C("ls")
c2 = C(request.args["x"])
os.system(c1.cmd)
---
# none
import tarfile
def f(p):
    with tarfile.open(p) as t:
        for m in t.getmembers():
            if m.name.startswith("/") or ".." in m.name:
                raise ValueError(m.name)
        t.extractall("/x")
---
# L3-022
import tarfile
def f(p):
    with tarfile.open(p) as t:
        for m in t.getmembers():
            print(m.name)
        t.extractall("/x")
---
# L3-022
import shutil
def f(p):
    shutil.unpack_archive(p, "/x")
---
# L3-013
from fastapi import FastAPI
from fastapi.responses import HTMLResponse
app = FastAPI()
@app.get("/", response_class=HTMLResponse)
def h(q: str):
    return f"<html>{q}</html>"
---
# none
from fastapi import FastAPI
app = FastAPI()
@app.get("/")
def h(q: str):
    return f"<html>{q}</html>"
---
# L3-034
import logging
log = logging.getLogger()
def f(token):
    log.info("%s", token)
---
# L3-034
def f(token):
    print(f"token={token}")
---
# none
import tokenize
def f(token):
    print(f"token={token}")
---
# L3-003
def f():
    x = request.args["x"]
    assert len(x) < 3, os.system(x)
---
# L3-003
def f():
    x = request.args["x"]
    raise ValueError("x") from os.system(x)
---
# L3-038
def f(p):
    os.chmod(p, os.stat(p).st_mode | 0o022)
---
# L3-038
def f(p):
    os.makedirs(p, 0o777)
---
# L3-038
def f(p):
    os.open(p, os.O_CREAT, 0o666)
---
# L3-024
def up():
    f = request.files["x"]
    with open(os.path.join("/up", f.filename), "wb") as o:
        o.write(f.read())
---
# L3-024
import django
def up(request):
    f = request.FILES["x"]
    with open(os.path.join("/up", f.name), "wb") as o:
        o.write(f.read())
---
# L3-028
import marshal
def f(data, path):
    marshal.loads(data)
---
# L3-028
import shelve
def f(data, path):
    shelve.open(path)
---
# L3-028
import joblib
def f(data, path):
    joblib.load(path)
---
# L3-028
import pandas as pd
def f(data, path):
    pd.read_pickle(path)
---
# L3-036
def f():
    re.match(request.args["u"], "abc")
---
# L3-014
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import text
db = SQLAlchemy()
def f():
    n = request.args["n"]
    db.session.execute(text(f"select * from t where n = '{n}'"))
`);
