/** Switches, loaders, temporary names and digests whose fix by a pattern would break the program or be theatre: declined, or fixed in the one right way. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fixedText } from './fix-kit.ts';

/** A rule without `CODE-W1-`, code, and parts of the fixed code or of why it is declined. */
type Row = readonly [rule: string, code: string, expected: string | RegExp];

const tls = (call: string): string => `import ssl, redis, pymongo, urllib3, aiohttp, requests\nclient = ${call}\n`;
const hosts = (body: string): string => `import paramiko\ndef f():\n    c = paramiko.SSHClient()\n${body.replace(/^/gm, '    ')}\n    c.set_missing_host_key_policy(paramiko.AutoAddPolicy())\n`;
const yaml = (head: string, loader = 'yaml.Loader'): string => `import yaml\n${head}\ndef f(text):\n    return yaml.load(text, Loader=${loader})\n`;
const mktemp = (...uses: readonly string[]): string =>
  `import dbm, gzip, os, shelve, shutil, sqlite3, subprocess, tarfile, tempfile, venv, zipfile\nfrom pathlib import Path\ndef f(a=None):\n    p = tempfile.mktemp()\n${uses.map((use) => `    ${use}\n`).join('')}`;
const tar = (call: string): string => `import os, shutil, pathlib\ndef f(p, d):\n    shutil.unpack_archive(${call})\n`;
const digest = (body: string, head = ''): string => `import base64, hashlib, logging, uuid\n${head}def f(data, other):\n${body.replace(/^/gm, '    ')}\n`;
const ask = (call: string, head = ''): string => `from openai import OpenAI\nimport ollama, anthropic, litellm\nclient = OpenAI()\n${head}def f(rows):\n    for row in rows:\n        ${call}\n`;
const bind = (kind: string, head = ''): string => `import socket, struct\n${head}s = socket.socket(${kind})\ns.bind(("", 5007))\n`;
const listen = (call: string): string => `import os, uvicorn, flask_socketio, asyncio, socket, socketserver\nfrom flask import Flask\nfrom http.server import HTTPServer, BaseHTTPRequestHandler\napp = Flask(__name__)\nsio = flask_socketio.SocketIO(app)\nHOST = "0.0.0.0"\n${call}\n`;
const ask2 = (call: string, head = ''): string => `import requests, httpx, shutil\nURL = "https://example.org"\n${head}def f(token, offset):\n    return ${call}\n`;
const load = (use: string, call = 'torch.load(path)'): string => `import torch\nimport numpy as np\ndef f(path, model, optimizer):\n    state = ${call}\n${use.replace(/^/gm, '    ')}\n`;
const sum = (body: string, head = ''): string => `import hashlib, hmac\nEXPECTED = "d41d8cd98f00b204e9800998ecf8427e"\n${head}def f(data, other, rows):\n${body.replace(/^/gm, '    ')}\n`;
const etag = 'def etag(data):\n    return hashlib.md5(data).hexdigest()\n';
const cookie = (keywords: string, head = ''): string => `from flask import current_app\n${head}def f(response, v, app):\n    response.set_cookie("session", v, ${keywords})\n`;
const option = (body: string, head = ''): string => `import requests, ssl, sys, paramiko, jwt\nfrom flask import Flask\nimport argparse\nargs = argparse.ArgumentParser().parse_args()\ns = requests.Session()\napp = Flask(__name__)\n${head}${body}\n`;
const page = (body: string, head = ''): string => `from flask import Flask, Response, make_response, request\nfrom markupsafe import Markup\nimport requests\napp = Flask(__name__)\n${head}@app.route("/")\ndef f():\n    x = request.args["x"]\n${body.replace(/^/gm, '    ')}\n`;
const django = (body: string): string => `from django.http import HttpResponse\ndef v(request):\n    x = request.GET["x"]\n${body.replace(/^/gm, '    ')}\n    return r\n`;
const log = (value: string): string => `import logging\nfrom flask import request\ndef f(b):\n    a = request.args["a"]\n    logging.warning(f"pair {${value}}")\n`;
const chosen = /option that somebody offers/;
const known = /Who else knows this digest/;

const rows: readonly Row[] = [
  // Only what switches a check off is taken away.
  ['CONFIG-001', tls('redis.Redis(host="db", ssl=True, ssl_cert_reqs=ssl.CERT_NONE)'), 'redis.Redis(host="db", ssl=True, ssl_cert_reqs=ssl.CERT_REQUIRED)'],
  ['CONFIG-001', tls('redis.Redis(host="db", ssl=True, ssl_cert_reqs="none")'), 'redis.Redis(host="db", ssl=True, ssl_cert_reqs="required")'],
  ['CONFIG-001', tls('redis.Redis(ssl=False, ssl_check_hostname=False, ssl_cert_reqs=ssl.CERT_NONE)'), 'redis.Redis(ssl=False, ssl_check_hostname=True, ssl_cert_reqs=ssl.CERT_REQUIRED)'],
  ['CONFIG-001', tls('pymongo.MongoClient("db", ssl=True, ssl_cert_reqs=ssl.CERT_NONE)'), 'pymongo.MongoClient("db", ssl=True, ssl_cert_reqs=ssl.CERT_REQUIRED)'],
  ['CONFIG-001', tls('pymongo.MongoClient("db", tls=True, tlsInsecure=True)'), 'pymongo.MongoClient("db", tls=True)'],
  ['CONFIG-001', tls('pymongo.MongoClient("db", tlsInsecure=False, tlsAllowInvalidHostnames=True)'), 'pymongo.MongoClient("db", tlsInsecure=False)'],
  ['CONFIG-001', tls('urllib3.HTTPSConnectionPool("h", cert_reqs=ssl.CERT_NONE, assert_hostname=True)'), 'HTTPSConnectionPool("h", cert_reqs=ssl.CERT_REQUIRED, assert_hostname=True)'],
  ['CONFIG-001', tls('urllib3.HTTPSConnectionPool("h", cert_reqs="CERT_NONE", assert_hostname=False)'), 'HTTPSConnectionPool("h", cert_reqs="CERT_REQUIRED")'],
  ['CONFIG-001', 'import urllib3\nfrom ssl import CERT_NONE\nurllib3.PoolManager(cert_reqs=CERT_NONE)\n', 'from ssl import CERT_REQUIRED\nurllib3.PoolManager(cert_reqs=CERT_REQUIRED)'],
  ['CONFIG-001', tls('redis.Redis(ssl=ssl.CERT_NONE)'), /switch is not written/],
  ['CONFIG-001', tls('aiohttp.TCPConnector(ssl=False, limit=1)'), 'aiohttp.TCPConnector(limit=1)'],
  ['CONFIG-001', tls('requests.get("https://h", verify=0, timeout=1)'), 'requests.get("https://h", timeout=1)'],
  // The default of this client is no check.
  ['CONFIG-001', 'from influxdb import InfluxDBClient\nInfluxDBClient("h", ssl=True, verify_ssl=False)\n', 'InfluxDBClient("h", ssl=True, verify_ssl=True)'],
  ['CONFIG-001', 'import ssl\ndef f(c: ssl.SSLContext):\n    # c.load_default_certs() was here\n    d.load_default_certs()\n    c.verify_mode = ssl.CERT_NONE\n', /authorities the context trusts/],

  // Known host keys are loaded by the same client before it is used.
  ['CONFIG-002', hosts('# c.load_system_host_keys()'), '    c.load_system_host_keys()\n    c.set_missing_host_key_policy(paramiko.RejectPolicy())'],
  ['CONFIG-002', hosts('d = paramiko.SSHClient()\nd.load_system_host_keys()'), '    c.load_system_host_keys()\n    c.set_missing_host_key_policy(paramiko.RejectPolicy())'],
  ['CONFIG-002', hosts('if a:\n    c.load_system_host_keys()'), '        c.load_system_host_keys()\n    c.load_system_host_keys()\n'],
  ['CONFIG-002', hosts('c.load_system_host_keys()\nc = paramiko.SSHClient()'), 'c = paramiko.SSHClient()\n    c.load_system_host_keys()\n'],
  ['CONFIG-002', `def g(c):\n    c.load_system_host_keys()\n${hosts('pass')}`, 'pass\n    c.load_system_host_keys()\n'],
  ['CONFIG-002', hosts('c.load_system_host_keys()'), 'c = paramiko.SSHClient()\n    c.load_system_host_keys()\n    c.set_missing_host_key_policy(paramiko.RejectPolicy())'],
  ['CONFIG-002', 'import paramiko\ntry:\n    c = paramiko.SSHClient()\n    c.load_system_host_keys()\n    c.set_missing_host_key_policy(paramiko.AutoAddPolicy())\nexcept OSError:\n    pass\n', 'c = paramiko.SSHClient()\n    c.load_system_host_keys()\n    c.set_missing'],
  ['CONFIG-002', 'import paramiko\nfor a in b:\n    c.load_system_host_keys()\nelse:\n    c.set_missing_host_key_policy(paramiko.AutoAddPolicy())\n', 'else:\n    c.load_system_host_keys()\n'],
  ['CONFIG-002', 'import paramiko\npool.take().set_missing_host_key_policy(paramiko.AutoAddPolicy())\n', /no name here/],

  // YAML with tags of one's own.
  ['L3-029', 'import yaml\nfrom flask import request\ndef f():\n    return yaml.Loader(request.data)\n', /chosen elsewhere/],
  ['L3-029', 'from yaml import load\ndef f(text, SafeLoader):\n    return load(text)\n', /name SafeLoader means something else/],
  ['L3-029', 'from yaml import full_load\ndef f(text, safe_load):\n    return full_load(text)\n', /name safe_load means something else/],
  ...['yaml.add_constructor("!env", env)', 'from yaml import add_constructor as add\nadd("!env", env)', 'yaml.Loader.add_constructor("!env", env)', 'yaml.add_multi_constructor("!", env)', 'yaml.add_implicit_resolver("!env", pattern)', 'class Env(yaml.YAMLObject):\n    yaml_tag = "!env"',
    'from yaml import YAMLObject as Base\nclass Env(Base):\n    yaml_tag = "!env"', 'Include.add_to_loader_class(loader_class=yaml.Loader)', 'yaml.Loader.yaml_constructors["!env"] = env', 'sample = "!!python/tuple [1]"'].map((head): Row => ['L3-029', yaml(head), /tags of its own/]),
  ['L3-029', 'import yaml\nyaml.add_constructor("!env", env)\ndef f(text):\n    return yaml.unsafe_load(text)\n', /tags of its own/],
  ['L3-029', yaml('class Own(yaml.Loader):\n    pass', 'Own'), /not one of PyYAML itself/],
  ['L3-029', yaml('from yaml import Loader\nclass Loader(Loader):\n    pass', 'Loader'), /not one of PyYAML itself/],
  ['L3-029', yaml('chosen = yaml.Loader', 'chosen'), /not one of PyYAML itself/],
  ['L3-029', 'import yaml\nfrom flask import request\ndef f(**options):\n    return yaml.load(request.data, **options)\n', /passed on/],
  ['L3-029', yaml('try:\n    from yaml import CLoader as Loader\nexcept ImportError:\n    from yaml import Loader', 'Loader'), 'Loader=yaml.SafeLoader'],
  ...['yaml.UnsafeLoader', 'yaml.FullLoader', 'yaml.CLoader'].map((loader): Row => ['L3-029', yaml('', loader), 'Loader=yaml.SafeLoader']),

  // Temporary names: only where the file is written under them.
  ...['shelve.open(p)', 'dbm.open(p, "n")', 'zipfile.ZipFile(p, "x")', 'zipfile.ZipFile(p, "a")', 'tarfile.open(p, "x:gz")', 'shutil.unpack_archive(a, p)', 'a.extractall(p)', 'Repo.clone_from("url", p)', 'Path(p).touch(exist_ok=False)', 'Path(p).mkdir()', 'Path(p)', 'lmdb.open(p)',
    'h5py.File(p, "w-")', 'venv.create(p)', 'build(p)', 'return p', 'a.p = p', 'q = p', 'a[p] = 1', 'yield p', 'subprocess.run(["tool", p])', 'open(p, a)', 'open(p, "x")', 'open(p, "w", opener=a)', 'open(file=p, mode="w")', 'os.open(p, os.O_EXCL)', 'os.path.exists(p)', 'open(p)', 'os.remove(p)', 'Path(p).open(a)', 'Path(p).open()', 'pass',
    'global p'].map((use): Row => ['L3-037', mktemp(use), /must not be there yet/]),
  ...['shutil.move(p, a)', 'os.mkfifo(p)', 'return p', 'g = lambda: build(p)'].map((use): Row => ['L3-037', mktemp('open(p, "w").close()', use), /must not be there yet/]),
  ['L3-037', mktemp('open(p, "w").close()', 'os.remove(p)', 'open(p, "w").close()'), /must not be there yet/],
  ['L3-037', mktemp('for row in a:', '    open(p, "w").write(row)', '    os.remove(p)'), /must not be there yet/],
  ['L3-037', 'import tempfile\nclass A:\n    p = tempfile.mktemp()\n    open(p, "w")\n', /must not be there yet/],
  ['L3-037', 'import tempfile\np = tempfile.mktemp()\n', /must not be there yet/],
  ...['open(p, "w")', 'open(p, mode="wb")', 'open(p, "a")', 'gzip.open(p, "wb")', 'zipfile.ZipFile(p, "w")', 'tarfile.open(p, "w:gz")', 'sqlite3.connect(p)', 'shutil.copyfile("a", p)', 'Path(p).write_text("a")', 'Path(p).open("w")']
    .map((use): Row => ['L3-037', mktemp(use), 'descriptor, p = tempfile.mkstemp()\n    os.close(descriptor)\n']),
  ...['print(p)', 'open(p).read()', 'open(p, encoding="utf-8").read()', 'Path(p).open("r").read()', 'Path(p).read_text()', 'shutil.copyfile(p, "a")', 'os.unlink(p)', 'Path(p).unlink()', 'os.path.getsize(p)'].map((use): Row => ['L3-037', mktemp('with open(p, "w") as out:', '    out.write("a")', use), 'descriptor, p = tempfile.mkstemp()']),
  ['L3-037', mktemp('for row in a:', '    q = tempfile.mktemp()', '    open(q, "w").write(row)', '    os.remove(q)', 'open(p, "w")').replace('    p = tempfile.mktemp()\n', ''), '        descriptor, q = tempfile.mkstemp()\n        os.close(descriptor)\n'],

  // Only tar files take a filter.
  ...['p, d', 'p, d, "zip" if d else "tar"', 'p + ".7z", d', 'f"{p}.{d}", d', 'p if d else "a.tar", d', 'str(p), d', 'os.path.join(p, d), d', 'p, d, format=None'].map((call): Row => ['L3-022', tar(call), /tar file, which alone takes a filter/]),
  ...['p, d, "gztar"', 'p, d, format="tar"', 'f"{p}.tar.gz", d', 'p + ".tgz", d', 'os.path.join(p, "a.tar.xz"), d', 'pathlib.Path(p) / "a.tar", d'].map((call): Row => ['L3-022', tar(call), `${call}, filter="data")`]),

  // Digests whose value or length others rely on.
  ...['return uuid.UUID(hashlib.md5(data).hexdigest())', 'return uuid.UUID(bytes=hashlib.md5(data).digest())', 'return base64.b64encode(hashlib.sha1(data + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())', 'return {"Content-MD5": hashlib.md5(data).hexdigest()}',
    'header = b"blob %d" % len(data)\nreturn hashlib.sha1(header + data).hexdigest()', 'return {"id": hashlib.sha1(data).hexdigest()}', 'return hashlib.md5(data).hexdigest() == other', 'if hashlib.md5(data).hexdigest() != other: raise ValueError', 'h = hashlib.md5(data).hexdigest()\nreturn h[:16]',
    'return hashlib.md5(data).hexdigest()[:32]', 'return AES.new(hashlib.md5(data).digest(), 1)', 'iv = hashlib.md5(data).digest()\nreturn iv', 'return hashlib.md5(data).digest()', 'return hashlib.md5(data)', 'return hashlib.md5(data).digest_size', 'return f"https://example.org/{hashlib.md5(data).hexdigest()}"',
    'other.store(hashlib.md5(data).hexdigest())', 'other.h = hashlib.md5(data).hexdigest()', 'h = hashlib.md5(data).hexdigest()\nother[h] = 1', '"""The MD5 of data."""\nreturn hashlib.md5(data).hexdigest()', 'md5 = hashlib.md5(data).hexdigest()\nprint(md5)', 'ha1 = hashlib.md5(data).hexdigest()\nprint(ha1)',
    'signature = hashlib.md5(data).hexdigest()\nreturn signature', 'h = hashlib.md5()\nh.update(data)\nreturn h.copy()', 'h = hashlib.md5(data).hexdigest()', 'global h\nh = hashlib.md5(data).hexdigest()\nprint(h)', 'g = lambda: hashlib.md5(data).hexdigest()\nreturn g', 'return hashlib.new("md5", data).digest()',
    'h = hashlib.md5(data).hexdigest()\na = h\nh = a\nprint(h)', 'h = hashlib.md5(data)\na = h\nh = a'].map((body): Row => ['CRYPTO-001', digest(body), known]),
  ...['uuid.UUID(f(1, 2))', 'known = f(1, 2)[:8]', 'run(f)', 'def etag(x):\n    return f(x, 1)', 'def outer(x):\n    return {"h": f(x, 1)}', 'if f(1, 2) == g(1): pass', 'if f(1, 2) < f(1, 3): pass'].map((use): Row => ['CRYPTO-001', `${digest('return hashlib.md5(data).hexdigest()')}${use}\n`, known]),
  ['CRYPTO-001', digest('return hashlib.md5(data).hexdigest()', '@app.get("/digest")\n'), known],
  ['CRYPTO-001', 'import hashlib\nclass GitObject:\n    def name(self, data):\n        return hashlib.sha1(data).hexdigest()\n', known],
  ['CRYPTO-001', 'from cryptography.hazmat.primitives import hashes\ndef f(k, d):\n    return k.verify(d, hashes.SHA1())\n', known],
  ...['return hashlib.md5(data).hexdigest()', 'h = hashlib.md5()\nfor each in data:\n    h.update(each)\nreturn h.hexdigest()', 'h = hashlib.md5(data).hexdigest()\nprint(f"data {h}")', 'logging.info("%s", hashlib.md5(data).hexdigest())', 'return hashlib.md5(data).digest().hex()', 'assign = hashlib.md5(data)\nreturn assign.hexdigest()']
    .map((body): Row => ['CRYPTO-001', digest(body), 'hashlib.sha256(']),
  ...['if f(1, 2) == f(1, 3): print("same")', 'print(f(1, 2))', 'def outer(x):\n    return f(x, 1)'].map((use): Row => ['CRYPTO-001', `${digest('return hashlib.md5(data).hexdigest()')}${use}\n`, 'hashlib.sha256(data)']),

  // Switches of agents, and limits that the model has to know.
  ...['FAISS.load_local("a", e, allow_dangerous_deserialization=True)', 'create_csv_agent(m, "a", allow_dangerous_code=True)', 'load_tools(["requests_all"], allow_dangerous_tools=True)', 'load_tools(names, allow_dangerous_tools=True)']
    .map((call): Row => ['AI-605', `from langchain_community.vectorstores import FAISS\nfrom langchain_experimental.agents import create_csv_agent\nfrom langchain.agents import load_tools\n${call}\n`, /raises an error with the switch off/]),
  ...['org/model', 'trust/gpt2', './local'].map((model): Row => ['AI-606', `from transformers import AutoModel\nAutoModel.from_pretrained("${model}", revision="a1", trust_remote_code=True)\n`, /without the code of its repository/]),
  ['AI-606', 'from transformers import AutoModel\nAutoModel.from_pretrained(name, revision="a1", trust_remote_code=True)\n', /without the code of its repository/],
  ...['gpt-5', 'gpt-5-mini', 'o1', 'o3-mini', 'o4-mini', 'my-deployment', 'gpt-4o-mine', 'claude-3'].flatMap((model): Row[] => [
    ['AI-607', ask(`client.chat.completions.create(model="${model}", messages=row)`), /Whether the model takes such a limit/], ['AI-607', ask(`client.responses.create(model="${model}", input=row)`), /Whether the model takes such a limit/]]),
  ['AI-607', ask('ollama.chat(model="gpt-4o", messages=row)'), /How this library limits/],
  ['AI-607', ask('client.completions.create(model="gpt-4o", prompt=row)'), /How this library limits/],
  ['AI-607', ask('client.chat.completions.create(model=MODEL, messages=row)'), /Whether the model takes such a limit/],
  ['AI-607', ask('client.chat.completions.create(model=model, messages=row)', 'model = "gpt-4o"\n').replace('f(rows)', 'f(rows, model)'), /Whether the model takes such a limit/],
  ['AI-607', ask('client.chat.completions.create(model=MODEL, messages=row)', 'MODEL = "gpt-4o-mini"\n'), 'messages=row, max_tokens=1024)'],
  ...['gpt-4o', 'gpt-4o-2024-08-06', 'gpt-3.5-turbo', 'gpt-4.1-mini', 'gpt-4-turbo-preview'].map((model): Row => ['AI-607', ask(`client.chat.completions.create(model="${model}", messages=row)`), 'messages=row, max_tokens=1024)']),
  ['AI-607', ask('litellm.completion(model="gpt-4o", messages=row)'), 'messages=row, max_tokens=1024)'],
  ['AI-607', ask('anthropic.Anthropic().messages.create(model="claude-sonnet-4-5", messages=row)'), 'messages=row, max_tokens=1024)'],

  // Files of models and arrays: what was allowed by hand is needed, and only tensors by name are sure to be no more.
  ...['np.load(path, allow_pickle=True).item()', 'np.load(path, allow_pickle=True)'].map((call): Row => ['L3-030', load('return state', call), /arrays hold objects/]),
  ...['torch.load(path, weights_only=False)', 'torch.load(path, "cpu", weights_only=False)'].map((call): Row => ['L3-030', load('model.load_state_dict(state)', call), /holds more than tensors/]),
  ...['state.eval()', 'state["model"].eval()', 'return state', 'return state["args"]', 'model.load_state_dict(state)\nreturn state["args"]', 'model.load_state_dict(state)\nrun(state)', 'model.load_state_dict(state)\nreturn state.args', 'model.state = state', 'pass', 'model.load_state_dict(state["model"].state_dict())', 'return state["best"]()']
    .map((use): Row => ['L3-030', load(use), /whole model/]),
  ['L3-030', load('model.load_state_dict(state)', 'torch.load(path, pickle_module=dill)'), /whole model/],
  ...['model.load_state_dict(state)', 'model.load_state_dict(state["model"])\noptimizer.load_state_dict(state["optimizer"])\nreturn state["epoch"]', 'if "model" in state:\n    state = state["model"]\nmodel.load_state_dict(state)', 'return state["state_dict"]']
    .map((use): Row => ['L3-030', load(use), 'torch.load(path, weights_only=True)']),
  ['L3-030', 'import torch\ndef read(path):\n    return torch.load(path, map_location="cpu")\nmodel.load_state_dict(read("a"))\n', 'map_location="cpu", weights_only=True)'],

  // Bare functions of keys say nothing of their factor.
  ['CRYPTO-006', 'from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC\nPBKDF2HMAC(algorithm=a, length=32, salt=s, iterations=1000)\n', /nothing can be decrypted/],
  ['CRYPTO-006', 'from passlib.hash import bcrypt\nbcrypt.using(rounds=4)\n', 'bcrypt.using(rounds=12)'],

  // Digests that are held against others: published checksums, pinned fingerprints.
  ...['checksum = hashlib.md5(data).hexdigest()\nif checksum != EXPECTED: raise ValueError', 'fingerprint = hashlib.sha1(data).hexdigest()\nreturn fingerprint in ("a", "b")', 'checksum = hashlib.md5()\nchecksum.update(data)\nreturn checksum.hexdigest() == other', 'checksum = hashlib.md5(data).hexdigest().upper()\nassert checksum == rows["md5"]',
    'checksum = hashlib.md5(data).hexdigest()\nreturn hmac.compare_digest(checksum, other)', 'checksum = hashlib.md5(data).hexdigest()\nsame(checksum)', 'checksum: str = hashlib.md5(data).hexdigest()\nwanted = checksum[:8]\nreturn wanted == EXPECTED[:8]',
    'checksum = "md5:" + hashlib.md5(data).hexdigest()\nreturn checksum == other', 'other.checksum = hashlib.md5(data).hexdigest()\nreturn other.checksum == EXPECTED', 'old = EXPECTED\nchecksum = hashlib.md5(data).hexdigest()\nreturn checksum == old', 'checksum = f"{hashlib.md5(data).hexdigest()}"\nreturn EXPECTED == checksum']
    .map((body): Row => ['CRYPTO-001', sum(body, 'def same(x):\n    return x == EXPECTED\n'), /compared with one from elsewhere/]),
  ...['if etag(a) != EXPECTED: raise ValueError', 'got = etag(a)\nassert got == wanted', 'class A:\n    def f(self):\n        return self.etag(1) == self.wanted',
    'def g(a, wanted=None):\n    wanted = wanted or etag(a)\n    return etag(a) == wanted', 'def g(a, pins):\n    return etag(a) in pins', 'pins = {EXPECTED}\nh = etag(a)\nif h in pins: pins.add(h)', 'def g(a, b):\n    return etag(a) == (b or etag(b))', 'old = etag(1)\nfor old in EXPECTED:\n    etag(2) == old'].map((use): Row => ['CRYPTO-001', `import hashlib\nEXPECTED = "a"\n${etag}${use}\n`, /compared with one from elsewhere/]),
  ['CRYPTO-001', 'import hashlib\ndef checksum(data, other):\n    if (h := hashlib.md5(data).hexdigest()) != other: raise ValueError\n', /compared with one from elsewhere/],
  ...['if etag(a) != etag(b): pass', 'def changed(x, y): return x != y\nchanged(etag(a), etag(b))', 'old = etag(a)\nnew = etag(b)\nif old != new: pass', 'old = None\nwhile True:\n    new = etag(a)\n    if new != old: old = new', 'seen = set()\nfor a in b:\n    h = etag(a)\n    if h in seen: continue\n    seen.add(h)', 'h = etag(a)\nif h not in cache: cache[h] = a', 'if int(etag(a), 16) % 100 < 10: pass', 'if etag(a) == "": pass', 'print(etag(a))']
    .map((use): Row => ['CRYPTO-001', `import hashlib\ncache = {}\n${etag}${use}\n`, 'hashlib.md5(data, usedforsecurity=False)']),

  // Cookies: what is missing is added, and nothing else that is decided elsewhere.
  ['L3-042', cookie('secure=not app.debug'), 'secure=not app.debug, httponly=True)'],
  ['L3-042', cookie('secure=current_app.config["COOKIE_SECURE"]'), 'secure=current_app.config["COOKIE_SECURE"], httponly=True)'],
  ['L3-042', cookie('secure=False'), 'v, secure=True, httponly=True)'],
  ['L3-042', cookie('secure=False, httponly=app.x'), 'v, secure=True, httponly=app.x)'],
  ['L3-042', cookie('secure=None, httponly=None'), 'v, secure=True, httponly=True)'],
  ['L3-042', cookie('samesite="Lax"'), 'samesite="Lax", secure=True, httponly=True)'],
  ...['httponly=False', 'secure=True, httponly=False', 'secure=not app.debug, httponly=False'].map((keywords): Row => ['L3-042', cookie(keywords), /scripts can read the cookie/]),
  ['L3-042', cookie('*app'), /passed on/],
  ['L3-042', 'SESSION_COOKIE_SECURE: bool = False\n', 'SESSION_COOKIE_SECURE: bool = True'],
  ['L3-042', cookie('httponly=SWITCH', 'SWITCH = False\n'), /off by its variable/],
  ['L3-042', 'SESSION_COOKIE_HTTPONLY = False\n', /scripts can read the cookie/],
  ['L3-042', 'import os\nif os.environ.get("HTTP_ONLY"):\n    SESSION_COOKIE_SECURE = False\n', /decided by a condition/],
  ['L3-042', 'def f(response, v, app):\n    if app.debug:\n        response.set_cookie("session", v, secure=False)\n', /decided by a condition/],
  ['L3-042', 'def f(response, v, app):\n    if v:\n        response.set_cookie("session", v)\n', 'v, secure=True, httponly=True)'],

  // Answers that take their time.
  ...['requests.get(f"https://api.telegram.org/bot{token}/getUpdates", params={"offset": offset})', 'requests.get(URL, params={"timeout": 60})', 'requests.get(URL, params=dict(timeout=60))', 'requests.get(URL + "/events")', 'requests.get(WAIT)', 'requests.post("http://localhost:11434/api/generate", json={})',
    'requests.post(MODEL_URL, json=payload)', 'requests.post(URL, json={"prompt": token})', 'requests.post(URL + "/v1/chat/completions", timeout=None)', 'httpx.post("https://api.openai.com/v1/responses", timeout=None)']
    .map((call): Row => ['L3-044', ask2(call, 'BASE = "http://db:11434"\nMODEL_URL = f"{BASE}/a"\nWAIT = "https://example.org/longpoll"\npayload = {}\n'), /only after a while, or bit by bit/]),
  ['L3-044', 'import requests\ndef long_poll(url):\n    return requests.get(url)\n', /only after a while, or bit by bit/],
  ['L3-044', 'import httpx\nc = httpx.Client(timeout=None)\nc.get("https://example.org/events")\n', /only after a while, or bit by bit/],
  ['L3-044', 'import httpx\nc = httpx.Client(timeout=None)\nc.get("https://example.org/users")\n', 'httpx.Client(timeout=10)'],
  ...['requests.get(URL, stream=True)', 'requests.get(URL, stream=True).iter_lines()', 'requests.get(URL, stream=offset)'].map((call): Row => ['L3-044', ask2(call), /silent until something happens/]),
  ['L3-044', ask2('requests.get(URL, stream=True)', 'def g(r): return [r.iter_content(9), r.iter_lines()]\n'), /silent until something happens/],
  ...['shutil.copyfileobj(requests.get(URL, stream=True).raw, offset)', 'requests.get(URL, stream=True).iter_content(9)'].map((call): Row => ['L3-044', ask2(call), 'requests.get(URL, stream=True, timeout=10)']),
  ...['requests.get(URL, stream=False)', 'requests.post(URL + "/users", json={"name": token})', 'requests.get(f"https://example.org/u/{token}", params={"page": offset})'].map((call): Row => ['L3-044', ask2(call), ', timeout=10)']),

  // Receivers of datagrams, and constants that are no host.
  ...[bind('socket.AF_INET, socket.SOCK_DGRAM'), bind('', 'kind = socket.IP_ADD_MEMBERSHIP\n'), bind('', 'kind = socket.SO_BROADCAST\n'), bind('').replace('s = socket.socket()', 's = make()'), 'def f(s):\n    s.bind(("0.0.0.0", 80))\n', 'import socketserver\nsocketserver.UDPServer(("", 53), H)\n'].map((code): Row => ['L3-039', code, /sent to a group/]),
  ['L3-039', 'import socket\nsocket.socket().bind(("", 80))\n', 'bind(("127.0.0.1", 80))'],
  ['L3-039', 'import socket\nwith make() as s, socket.socket() as t:\n    s.bind(("", 80))\n', /sent to a group/],
  ['L3-039', bind('socket.AF_INET6'), /IPv4 or of IPv6/],
  ...[bind(''), bind('socket.AF_INET, socket.SOCK_STREAM'), 'import socket\nwith socket.socket() as s:\n    s.bind(("", 80))\n', 'import socket\nclass A:\n    def f(self):\n        self.s = socket.socket()\n        self.s.bind(("", 80))\n'].map((code): Row => ['L3-039', code, '.bind(("127.0.0.1", ']),
  ['L3-039', listen('app.run(host=HOST, port=int(os.environ.get("PORT", "0")))'), /address is not written/],
  ['L3-039', listen('asyncio.start_server(app, HOST, "0")'), /address is not written/],
  ['L3-039', listen('app.run("0.0.0.0", int(os.environ.get("PORT", "0")))'), 'app.run("127.0.0.1", int(os.environ.get("PORT", "0")))'],
  ['L3-039', listen('app.run(port=int("0"), host="0.0.0.0")'), 'app.run(port=int("0"), host="127.0.0.1")'],
  ['L3-039', listen('from waitress import serve\nserve(app, host="0.0.0.0")'), 'serve(app, host="127.0.0.1")'],
  ['L3-039', listen('asyncio.start_server(app, "0.0.0.0", 80)'), 'start_server(app, "127.0.0.1", 80)'],
  ['L3-039', listen('sio.run(app, "0.0.0.0")'), 'sio.run(app, "127.0.0.1")'],
  ['L3-039', listen('HTTPServer(("", 8000), BaseHTTPRequestHandler)'), 'HTTPServer(("127.0.0.1", 8000), '],
  ['L3-039', listen('HTTPServer(server_address=("", 8000), RequestHandlerClass=app)'), 'server_address=("127.0.0.1", 8000)'],

  // YAML of objects.
  ...['def g(x):\n    return yaml.dump(x)', 'def g(x, out):\n    yaml.dump_all(x, out, Dumper=yaml.Dumper)', 'from yaml import dump as write\nwrite(1)', 'class D(yaml.SafeDumper): pass\nyaml.dump(1, Dumper=D)'].map((head): Row => ['L3-029', yaml(head), /dumper that may put tags/]),
  ['L3-029', yaml('def g(x):\n    return yaml.safe_dump(x)\ndef h(x):\n    return yaml.dump(x, Dumper=yaml.SafeDumper)'), 'Loader=yaml.SafeLoader'],
  ['L3-029', `${yaml('')}c = f("a")\nprint(c.host)\n`, /documents hold objects/],
  ...['c = yaml.load(t, Loader=yaml.Loader)\n    return c.host', 'return yaml.load(t, Loader=yaml.Loader).host', 'for c in yaml.load_all(t, Loader=yaml.Loader):\n        print(c.host)', 't.c = yaml.load(t, Loader=yaml.Loader)\n    return t.c["a"].run()', 'return yaml.unsafe_load(t)["a"].host', 'for k, v in yaml.load(t, Loader=yaml.Loader).items():\n        v.run()', 'return [c.host for c in yaml.unsafe_load_all(t)]', 'return yaml.unsafe_load(t).get("a").host', 'c: dict = yaml.unsafe_load(t)\n    return c.host',
    'c = yaml.unsafe_load(t) or {}\n    return c.host', 'if (c := yaml.unsafe_load(t)):\n        return c.host', 'c = yaml.unsafe_load(t) if t else {}\n    c["a"] = t\n    return [x.host for x in c["b"] if c]', 'c = yaml.unsafe_load(t)\n    for x in [1]:\n        c.a: int = x\n    return c']
    .map((body): Row => ['L3-029', `import yaml\ndef f(t):\n    ${body}\n`, /documents hold objects/]),
  ['L3-029', 'import yaml\ndef f(t):\n    c = yaml.load(t, Loader=yaml.Loader)\n    c.update(a=1)\n    return c["a"].strip(), c.get("b"), [x.lower() for x in c.items()]\n', 'Loader=yaml.SafeLoader'],

  ['L3-029', 'import yaml\nasync def g(t):\n    return yaml.unsafe_load(t)\nasync def f(t):\n    c = await g(t)\n    return c.host\n', /documents hold objects/],
  ['L3-029', 'import yaml\ndef f(t):\n    c = yaml.unsafe_load(t)\n    d = 1 if c else t\n    for c["a"] in t: c["b"]: int = 1\n    return d.real, (c["e"] or t["e"])["f"], [t.x for x in t if c]\n', 'yaml.safe_load(t)'],

  // Types of responses.
  ...['resp = make_response(f"Hello {x}")\nresp.mimetype = "text/plain"\nreturn resp', 'resp = make_response(f"Hello {x}")\nresp.headers["Content-Type"] = "text/csv"\nreturn resp', 'resp = make_response(f"{x}")\nresp.headers["Content-Disposition"] = "attachment; filename=a.html"\nreturn resp', 'return Response(f"Hello {x}", 200, {"Content-Type": "text/plain"})',
    'return Response(f"Hello {x}", 200, None, "text/plain")', 'resp = make_response(f"Hello {x}")\nresp.content_type = TYPE\nreturn resp', 'resp = make_response(f"Hello {x}")\nresp.headers.set("Content-Type", TYPE)\nreturn resp', 'resp = make_response(f"Hello {x}")\nreturn send(resp, content_type=TYPE)']
    .map((body): Row => ['L3-013', page(body, 'TYPE = "text/csv"\n'), /another than HTML/]),
  ['L3-013', page('return f"Hello {x}"', '@app.after_request\ndef plain(r):\n    r.mimetype = "text/plain"\n    return r\n'), /another than HTML/],
  ['L3-013', page('return make_response(f"Hello {x}")', 'class Plain(Response):\n    default_mimetype = "text/plain"\n'), /another than HTML/],
  ['L3-012', page('resp = make_response(Markup(f"<b>{x}</b>"))\nresp.mimetype = "text/plain"\nreturn resp'), /another than HTML/],
  ['L3-013', django('r = HttpResponse(f"Hello {x}")\nr["Content-Type"] = "text/csv"'), /another than HTML/],
  ['L3-013', django('r = HttpResponse(f"Hello {x}")\nr["Content-Type"] = "text/html; charset=utf-8"'), '{html.escape(str(x))}'],
  ...['resp = make_response(f"<p>{x}")\nresp.mimetype = "text/html"\nreturn resp', 'requests.post("https://example.org", headers={"Content-Type": "application/json"})\nreturn f"<p>{x}"', 'requests.get("https://example.org", headers={"Accept": "application/json"})\nreturn make_response(f"<p>{x}")'].map((body): Row => ['L3-013', page(body), '<p>{html.escape(str(x))}']),

  // Values that are more than one where they are moved to.
  ...['a, b', '(a, b)', '*a, b', 'a,', '(y := a)'].map((value): Row => ['L3-033', log(value), /not put together here/]),
  ['L3-033', log('a if b else "x"'), '"pair %r", a if b else "x")'],
  ['L3-013', page('return f"<p>{x, 1}"'), /not put together here/],
  ['L3-012', page('return Markup(f"<p>{x, 1}")'), /not put together here/],

  // Kinds of keys.
  ['CRYPTO-003', 'import paramiko\nparamiko.DSSKey.generate(1024)\n', /1024 bits alone/],
  ['CRYPTO-003', 'from Crypto.PublicKey import ElGamal\nElGamal.generate(1024, f)\n', /minutes or hours/],
  ['CRYPTO-003', 'from cryptography.hazmat.primitives.asymmetric import dh\ndh.generate_parameters(generator=2, key_size=1024)\n', /minutes or hours/],
  ['CRYPTO-003', 'import paramiko\nparamiko.RSAKey.generate(bits=1024)\n', 'bits=3072'],
  ['CRYPTO-003', 'from Crypto.PublicKey import DSA\nDSA.generate(1024)\n', 'DSA.generate(3072)'],

  // Options that somebody offers.
  ...['if args.insecure: s.verify = False', 'if args.insecure:\n    for u in args.urls:\n        requests.get(u, verify=False, timeout=1)', 'r = requests.get("https://h", verify=False, timeout=1) if args.insecure else None', 'args.insecure and requests.get("https://h", verify=False, timeout=1)', 'if args.secure:\n    pass\nelif args.u:\n    s.verify = False',
    'match args.mode:\n    case "insecure":\n        s.verify = False', 'try:\n    requests.get("https://h", timeout=1)\nexcept requests.exceptions.SSLError:\n    requests.get("https://h", verify=False, timeout=1)', 'if not args.verify:\n    ctx = ssl._create_unverified_context()'].map((body): Row => ['CONFIG-001', option(body), chosen]),
  ['CONFIG-002', option('c = paramiko.SSHClient()\nif args.insecure:\n    c.set_missing_host_key_policy(paramiko.AutoAddPolicy())'), chosen],
  ['CONFIG-003', option('if args.legacy:\n    c = ssl.SSLContext(ssl.PROTOCOL_TLSv1)'), chosen],
  ['CONFIG-005', option('if args.trust:\n    t = jwt.decode(a, k, algorithms=["HS256"], options={"verify_signature": False})'), chosen],
  ['L3-040', option('if args.debug:\n    app.run(debug=True)'), chosen],
  ['L3-039', option('if args.public:\n    app.run(host="0.0.0.0")'), chosen],
  ['L3-041', option('if args.plain:\n    app.config["WTF_CSRF_ENABLED"] = False'), chosen],
  ...['s.verify = False', 'if True:\n    s.verify = False', 'if __name__ == "__main__":\n    s.verify = False', 'try:\n    s.verify = False\nexcept OSError:\n    pass'].map((body): Row => ['CONFIG-001', option(body), 's.verify = True']),
  ['CONFIG-001', option('if requests.get("https://h", verify=False, timeout=1).ok:\n    pass'), 'if requests.get("https://h", timeout=1).ok'],
  ['L3-040', option('if __name__ == "__main__":\n    app.run(debug=True)'), 'debug=False'],
];

describe('the offline templates, where a setting would go wrong', () => {
  for (const [rule, code, expected] of rows) {
    const title = code.split('\n').filter((line) => line !== '' && !/^(?:import|from) /.test(line)).join('\n').slice(0, 230);
    it(`${rule}: ${typeof expected === 'string' ? 'fix' : 'decline'} ${JSON.stringify(title)}`, async () => {
      const fixed = await fixedText(code, `CODE-W1-${rule}`);
      if (typeof expected === 'string') assert.ok(fixed.includes(expected), fixed);
      else assert.match(fixed, new RegExp(`^declined: .*(?:${expected.source})`));
    });
  }
});
