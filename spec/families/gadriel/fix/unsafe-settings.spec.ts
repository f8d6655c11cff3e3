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
  ['CONFIG-002', 'import paramiko\nif a:\n    c.load_system_host_keys()\nelse:\n    c.set_missing_host_key_policy(paramiko.AutoAddPolicy())\n', 'else:\n    c.load_system_host_keys()\n'],
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
