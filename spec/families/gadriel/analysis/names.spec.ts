import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { callsOf } from './facts.ts';

/** Resolved name of the last call that ends in `last`; `?m` = unresolved, `m*` = resolved through code that is not known. */
const resolved = (source: string, last: string): string => {
  const event = callsOf(source, [last]).at(-1);
  if (event === undefined) return 'no call';
  return event.name === undefined ? `?${event.last}` : `${event.name}${event.receiverUnknown ? '*' : ''}`;
};

const cases: readonly (readonly [what: string, source: string, last: string, expected: string])[] = [
  ['a plain import', 'import subprocess\nsubprocess.run(x)', 'run', 'subprocess.run'],
  ['an import under an alias', 'import subprocess as sp\nsp.run(x)', 'run', 'subprocess.run'],
  ['a from-import', 'from subprocess import run\nrun(x)', 'run', 'subprocess.run'],
  ['a from-import under an alias', 'from subprocess import Popen as start\nstart(x)', 'Popen', 'subprocess.Popen'],
  ['a submodule import', 'import os.path\nos.path.join(a)', 'join', 'os.path.join'],
  ['a submodule under an alias', 'import xml.etree.ElementTree as ET\nET.parse(a)', 'parse', 'xml.etree.ElementTree.parse'],
  ['a relative import', 'from ..db import query\nquery(x)', 'query', '..db.query'],
  ['a relative import of a module', 'from . import tools\ntools.run(x)', 'run', '.tools.run*'],
  ['a star import', 'from os import *\nsystem(x)', 'system', 'os.system'],
  ['rebinding at module level', 'import subprocess\nrun = subprocess.run\ndef f(x):\n    run(x)', 'run', 'subprocess.run'],
  ['rebinding of a rebinding', 'import os\na = os\nb = a.system\nb(x)', 'system', 'os.system'],
  ['a conditional import', 'try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\npickle.loads(x)', 'loads', 'pickle.loads'],
  ['an import inside a function', 'def f(x):\n    import pickle\n    pickle.loads(x)', 'loads', 'pickle.loads'],
  ['an import under if TYPE_CHECKING', 'from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pickle\npickle.loads(x)', 'loads', 'pickle.loads'],
  ['another spelling of the same thing', 'from flask.globals import request\nrequest.get_json()', 'get_json', 'flask.request.get_json'],
  ['a renamed parent package', 'import Cryptodome.Cipher.DES as D\nD.new(k)', 'new', 'Crypto.Cipher.DES.new'],
  ['a builtin', 'eval(x)', 'eval', 'eval'],
  ['a builtin by its module', 'import builtins\nbuiltins.eval(x)', 'eval', 'eval'],
  ['a builtin hidden by a local function', 'def eval(x):\n    return x\neval(x)', 'eval', '.eval'],
  ['a builtin hidden by a parameter', 'def f(eval):\n    eval(1)', 'eval', '?eval'],
  ['a method of an instance', 'import requests\ns = requests.Session()\ns.get(u)', 'get', 'requests.Session().get'],
  ['a factory of the same class', 'import requests\ns = requests.session()\ns.get(u)', 'get', 'requests.Session().get'],
  ['a chain of calls', 'import sqlite3\nsqlite3.connect("a").cursor().execute(q)', 'execute', 'sqlite3.Cursor().execute'],
  ['an attribute of self set in __init__', 'import requests\nclass A:\n    def get(self):\n        self.s.get(u)\n    def __init__(self):\n        self.s = requests.Session()', 'get', 'requests.Session().get'],
  ['an attribute that was None first', 'import requests\nclass A:\n    s = None\n    def __init__(self):\n        self.s = requests.Session()\n    def go(self):\n        self.s.get(u)', 'get', 'requests.Session().get'],
  ['an attribute of a base class', 'import requests\nclass B:\n    def __init__(self):\n        self.s = requests.Session()\nclass A(B):\n    def go(self):\n        self.s.get(u)', 'get', 'requests.Session().get'],
  ['a method through an imported base', 'import requests\nclass A(requests.Session):\n    def go(self):\n        self.get(u)', 'get', 'requests.Session().get'],
  ['a base of a base', 'import requests\nclass B(requests.Session):\n    pass\nclass A(B):\n    def go(self):\n        self.get(u)', 'get', 'requests.Session().get'],
  ['a method of a class of the module', 'class A:\n    def run(self, x):\n        pass\nA().run(1)', 'run', '.A.run'],
  ['a static method', 'class A:\n    @staticmethod\n    def run(x):\n        pass\nA.run(1)', 'run', '.A.run'],
  ['a method of self', 'class A:\n    def run(self, x):\n        pass\n    def go(self):\n        self.run(1)', 'run', '.A.run'],
  ['with … as', 'import ftplib\nwith ftplib.FTP(h) as f:\n    f.login(u)', 'login', 'ftplib.FTP().login'],
  ['async with and await', 'import aiohttp\nasync def f():\n    async with aiohttp.ClientSession() as s:\n        await s.get(u)', 'get', 'aiohttp.ClientSession().get'],
  ['an annotated parameter', 'import requests\ndef f(s: requests.Session):\n    s.get(u)', 'get', 'requests.Session().get'],
  ['an Optional parameter', 'import requests\nfrom typing import Optional\ndef f(s: Optional[requests.Session] = None):\n    s.get(u)', 'get', 'requests.Session().get'],
  ['a union with None', 'import requests\ndef f(s: requests.Session | None):\n    s.get(u)', 'get', 'requests.Session().get'],
  ['an annotation of a generic type', 'import queue\ndef f(s: queue.Queue[str]):\n    s.get(u)', 'get', 'queue.Queue().get'],
  ['an annotation that is no name', 'def f(s: g()):\n    s.get(u)', 'get', '?get'],
  ['an annotation in quotes that is no name', 'def f(s: "a b"):\n    s.get(u)', 'get', '?get'],
  ['a plain annotation', 'def f(s: str):\n    s.get(u)', 'get', '?get'],
  ['an annotation in quotes', 'import requests\ndef f(s: "requests.Session"):\n    s.get(u)', 'get', 'requests.Session().get'],
  ['an annotation of a local class', 'class A:\n    def run(self): pass\ndef f(a: A):\n    a.run()', 'run', '.A.run'],
  ['an annotation of a local class in quotes', 'class A:\n    def run(self): pass\ndef f(a: "A"):\n    a.run()', 'run', '.A.run'],
  ['an annotated class attribute', 'import requests\nclass A:\n    s: requests.Session\n    def go(self):\n        self.s.get(u)', 'get', 'requests.Session().get'],
  ['an annotated class attribute of a local class', 'class B:\n    def run(self): pass\nclass A:\n    s: B\n    def go(self):\n        self.s.run()', 'run', '.B.run'],
  ['an annotated variable with a value', 'import requests\ns: object = requests.Session()\ns.get(u)', 'get', 'requests.Session().get'],
  ['a function that returns an instance', 'import requests\ndef make():\n    s = requests.Session()\n    return s\ndef go():\n    make().get(u)', 'get', 'requests.Session().get'],
  ['or with a default', 'import requests\ndef f(s=None):\n    s = s or requests.Session()\n    s.get(u)', 'get', 'requests.Session().get'],
  ['a conditional expression', 'import os\ngo = os.system if a else None\ngo(x)', 'system', 'os.system'],
  ['getattr with a constant', 'import os\ngetattr(os, "system")(x)', 'system', 'os.system'],
  ['functools.partial', 'import functools, subprocess\nrun = functools.partial(subprocess.run, shell=True)\nrun(x)', 'run', 'subprocess.run'],
  ['importlib', 'import importlib\nimportlib.import_module("pickle").loads(x)', 'loads', 'pickle.loads'],
  ['__import__', '__import__("os").system(x)', 'system', 'os.system'],
  ['a tuple assignment', 'import os, re\na, b = os.system, re.match\na(x)', 'system', 'os.system'],
  ['a walrus', 'import requests\nif (s := requests.Session()):\n    s.get(u)', 'get', 'requests.Session().get'],
  ['an element of a dict of functions', 'import os\nT = {"a": os.system}\nT["a"](x)', 'system', 'os.system'],
  ['a global of another function', 'import requests\ns = None\ndef init():\n    global s\n    s = requests.Session()\ndef go():\n    s.get(u)', 'get', 'requests.Session().get'],
  ['a nonlocal variable', 'import os\ndef f():\n    g = None\n    def h():\n        nonlocal g\n        g = os.system\n    h()\n    g(x)', 'system', 'os.system'],
  ['a closure', 'import os\ndef f():\n    run = os.system\n    def h():\n        run(x)\n    return h', 'system', 'os.system'],
  ['a parameter of unknown type', 'def f(cursor):\n    cursor.execute(q)', 'execute', '?execute'],
  ['a result of code that is not known', 'from fleet import pool\npool().get(u)', 'get', 'fleet.pool().get*'],
  ['a name bound nowhere', 'mystery.run(x)', 'run', '?run'],
  ['a module used without its import', 'def f(x):\n    subprocess.run(x)', 'run', 'subprocess.run'],
  ['a module that only another function imports', 'def f():\n    import os\ndef g(x):\n    os.system(x)', 'system', '?system'],
  ['a parameter named like a module', 'def f(json, x):\n    json.loads(x)', 'loads', '?loads'],
  ['request in a file that imports Flask', 'from flask import Flask\nrequest.args.get(x)', 'get', 'flask.request.args.get'],
  ['request in a file that imports no framework', 'request.args.get(x)', 'get', '?get'],
  ['what a context manager of the file gives', 'import requests\nclass A:\n    def __enter__(self):\n        return requests.Session()\nwith A() as s:\n    s.get(u)', 'get', 'requests.Session().get'],
  ['a context manager that gives itself', 'import requests\nclass A:\n    def __init__(self):\n        self.s = requests.Session()\n    def __enter__(self):\n        return self\nwith A() as a:\n    a.s.get(u)', 'get', 'requests.Session().get'],
  ['a context manager that gives something unknown', 'import requests\nclass A:\n    def __init__(self):\n        self.s = requests.Session()\n    def __enter__(self):\n        return made[0]\nwith A() as a:\n    a.s.get(u)', 'get', 'requests.Session().get'],
  ['a deleted name', 'import os\ndel os\nos.system(x)', 'system', '?system'],
  ['a class name in its own body is not seen by methods', 'import os\nclass A:\n    run = os.system\n    def f(self):\n        run(x)', 'run', '?run'],
  ['iteration gives an element', 'import sys\nfor a in sys.argv:\n    a.run()', 'run', 'sys.argv[].run'],
  ['a reassigned name', 'import os\nos = thing()\nos.system(x)', 'system', '?system'],
  ['a reassigned base drops what was known of its attributes', 'import requests\na = b()\na.s = requests.Session()\na = c()\na.s.get(u)', 'get', '?get'],
  ['a re-assigned attribute in the same function', 'import requests\ndef f(a):\n    a.s = requests.Session()\n    a.s.get(u)', 'get', 'requests.Session().get'],
  ['a property', 'import requests\nclass A:\n    @property\n    def s(self):\n        return requests.Session()\n    def go(self):\n        self.s.get(u)', 'get', 'requests.Session().get'],
  ['a class method', 'import requests\nclass A:\n    s = requests.Session()\n    @classmethod\n    def go(cls):\n        cls.s.get(u)', 'get', 'requests.Session().get'],
  ['a callable result', 'from transformers import pipeline\np = pipeline("x")\np(a)', 'pipeline', 'transformers.pipeline()'],
];

describe('names in the analysis engine', () => {
  for (const [what, source, last, expected] of cases) {
    it(`resolves ${what}`, () => assert.equal(resolved(source, last), expected));
  }

  it('lets a path that gets too long go', () => {
    assert.equal(resolved(`import a\na${'.b'.repeat(60)}.run()`, 'run'), '?run');
  });

  it('takes imports of other modules from the resolver', () => {
    const [event] = callsOf('from tools import run\nrun(x)', ['run'], { resolveImport: (name) => {
      assert.equal(name, 'tools.run');
      return undefined;
    } });
    assert.equal(event?.name, 'tools.run');
  });
});
