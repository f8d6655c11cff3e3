import { describeRules } from './rule-table.ts';

describeRules('import os\nimport shutil\nfrom flask import request\n', [
  {
    rule: 'L3-021',
    bad: `
open(request.args["name"])
---
path = os.path.join("/srv", request.args["name"])
with open(path) as handle:
    handle.read()
---
from flask import send_file
send_file("/srv/" + request.args["name"])
---
os.remove(f"/srv/{request.args['name']}")
---
shutil.copy("/srv/a", request.form["target"])
---
from pathlib import Path
(Path("/srv") / request.args["name"]).read_text()
---
from fastapi import FastAPI
from fastapi.responses import FileResponse
api = FastAPI()
@api.get("/file")
def file(name: str):
    return FileResponse("/srv/" + name)
---
def handler(event, context):
    return open("/tmp/" + event["name"]).read()
---
from django.http import HttpRequest
def view(request: HttpRequest):
    return os.listdir(request.GET["folder"])
---
def load(name):
    with open("/srv/" + name) as handle:
        return handle.read()
load(request.args["name"])
`,
    good: `
from werkzeug.utils import secure_filename
open("/srv/" + secure_filename(request.args["name"]))
---
open(os.path.basename(request.args["name"]))
---
from pathlib import Path
base = Path("/srv").resolve()
path = (base / request.args["name"]).resolve()
if not path.is_relative_to(base):
    raise ValueError
path.read_text()
---
from flask import send_from_directory
send_from_directory("/srv", request.args["name"])
---
import sys
open(sys.argv[1])
---
def load(name):
    return open("/srv/" + name)
---
number = int(request.args["n"])
open(f"/srv/{number}.txt")
---
path = os.path.realpath(os.path.join("/srv", request.args["name"]))
if not path.startswith("/srv/"):
    raise ValueError
open(path)
---
name = request.args["name"]
if name not in ("a", "b"):
    raise ValueError
open("/srv/" + name)
`,
  },
  {
    rule: 'L3-022',
    bad: `
import tarfile
tarfile.open("a.tar").extractall()
---
import tarfile
def unpack(path):
    with tarfile.open(path, "r:gz") as tar:
        for member in tar:
            tar.extract(member, "/srv")
---
import tarfile
def unpack(path):
    archive = tarfile.TarFile(path)
    archive.extractall(path="/srv", members=archive.getmembers())
---
import tarfile
tarfile.open("a.tar").extractall(filter="fully_trusted")
---
import tarfile
tarfile.TarFile.open("a.tar").extractall()
---
shutil.unpack_archive(request.args["path"], "/srv")
`,
    good: `
import tarfile
tarfile.open("a.tar").extractall(filter="data")
---
import tarfile
tarfile.open("a.tar").extractall("/srv", filter=tarfile.tar_filter)
---
import tarfile
def unpack(path, checked):
    archive = tarfile.open(path)
    archive.extractall("/srv", members=checked(archive))
---
import zipfile
zipfile.ZipFile("a.zip").extractall("/srv")
---
import tarfile
def unpack(path, options):
    tarfile.open(path).extractall("/srv", **options)
`,
  },
  {
    rule: 'L3-023',
    bad: `
import zipfile
def unpack(path):
    bundle = zipfile.ZipFile(path)
    for name in bundle.namelist():
        open(os.path.join("/srv", name), "wb").write(bundle.read(name))
---
import zipfile
def unpack(path):
    with zipfile.ZipFile(path) as bundle:
        for info in bundle.infolist():
            with bundle.open(info) as source, open("/srv/" + info.filename, "wb") as target:
                shutil.copyfileobj(source, target)
---
import tarfile
def unpack(path):
    archive = tarfile.open(path)
    for member in archive.getmembers():
        os.makedirs("/srv/" + member.name)
`,
    good: `
import zipfile
def unpack(path):
    bundle = zipfile.ZipFile(path)
    for name in bundle.namelist():
        bundle.extract(name, "/srv")
---
import zipfile
def unpack(path):
    bundle = zipfile.ZipFile(path)
    for name in bundle.namelist():
        open("/srv/" + os.path.basename(name), "wb")
---
import zipfile
from pathlib import Path
def unpack(path):
    base = Path("/srv")
    for name in zipfile.ZipFile(path).namelist():
        target = (base / name).resolve()
        if not target.is_relative_to(base):
            continue
        target.write_bytes(b"")
---
import zipfile
def names(path):
    return [name for name in zipfile.ZipFile(path).namelist()]
`,
  },
  {
    rule: 'L3-024',
    bad: `
file = request.files["a"]
file.save("/srv/" + file.filename)
---
upload = request.files.get("a")
upload.save(os.path.join("/srv", upload.filename))
---
for file in request.files.values():
    file.save(f"/srv/{file.filename}")
`,
    good: `
from werkzeug.utils import secure_filename
file = request.files["a"]
file.save("/srv/" + secure_filename(file.filename))
---
import uuid
request.files["a"].save("/srv/" + uuid.uuid4().hex)
---
def store(figure, name):
    figure.save("/srv/" + name)
---
request.files["a"].save("/srv/photo.jpg")
`,
  },
  {
    rule: 'L3-037',
    bad: `
import tempfile
open(tempfile.mktemp(".txt"), "w")
---
from tempfile import mktemp as name
path = name()
---
path = os.tempnam()
`,
    good: `
import tempfile
tempfile.mkstemp()
---
from tempfile import NamedTemporaryFile
NamedTemporaryFile()
---
def mktemp():
    return "a"
mktemp()
`,
  },
  {
    rule: 'L3-038',
    bad: `
os.chmod("a", 0o777)
---
import stat
os.chmod("a", stat.S_IRWXU | stat.S_IWOTH)
---
from pathlib import Path
Path("a").chmod(0o666)
---
MODE = 0o662
os.fchmod(3, MODE)
---
os.chmod("a", 0o664)
---
os.makedirs("a", mode=0o773)
`,
    good: `
os.chmod("a", 0o600)
---
import stat
os.chmod("a", stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP)
---
os.chmod("a", 0o777 & ~0o022)
---
def fix(path, mode):
    os.chmod(path, mode & ~0o022)
---
os.mkdir("shared", 0o1777)
---
os.makedirs("a", 0o755, exist_ok=True)
---
os.open("a", os.O_CREAT | os.O_EXCL, 0o666)
---
os.open("a", os.O_WRONLY, 0o666)
---
os.chmod("a", os.stat("a").st_mode | 0o100)
`,
  },
  {
    rule: 'L3-039',
    bad: `
import socket
socket.socket().bind(("", 80))
---
import socket
def serve(port):
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.bind(("0.0.0.0", port))
---
from flask import Flask
Flask("a").run(host="0.0.0.0")
---
import uvicorn
uvicorn.run("a:app", host="0.0.0.0", port=80)
---
from http.server import HTTPServer, SimpleHTTPRequestHandler
HTTPServer(("", 80), SimpleHTTPRequestHandler)
---
from app import app
app.run(host="0.0.0.0")
---
def serve(sock):
    sock.bind(("::", 80))
`,
    good: `
import socket
socket.socket().bind(("127.0.0.1", 80))
---
import socket
socket.socket().bind(("", 0))
---
host = "0.0.0.0"
if host == "0.0.0.0":
    print("listening on 0.0.0.0")
---
from flask import Flask
Flask("a").run(host="127.0.0.1")
---
import uvicorn
def serve(host):
    uvicorn.run("a:app", host=host)
`,
  },
]);
