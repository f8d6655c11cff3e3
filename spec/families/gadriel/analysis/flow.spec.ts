import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { lastSunk, show } from './facts.ts';
import type { ClearKind } from '../../../../lib/families/gadriel/domain/analysis/model.types.ts';
import { levelFor } from '../../../../lib/families/gadriel/domain/analysis/values.ts';

const head = 'import os, re, sys, shlex, html, uuid, ipaddress, subprocess\nfrom pathlib import Path\nfrom zipfile import ZipFile\nfrom urllib.parse import urlparse\nfrom flask import Flask, abort, request\nOK = {"a", "b"}\nNAME = re.compile(r"[a-z]+")\n';
/** Level of what the last `sink(…)` got first, for one use. */
const levelOf = (body: string, kind: ClearKind = 'all'): number => levelFor(lastSunk(`${head}def f(U, other):\n    T = request.args["q"]\n${body.split('\n').map((line) => `    ${line}\n`).join('')}`), kind);

describe('flow of values', () => {
  const flows: readonly (readonly [what: string, body: string, level: number])[] = [
    ['an assignment', 'x = T\nsink(x)', 2],
    ['a reassignment clears', 'x = T\nx = "a"\nsink(x)', 0],
    ['an augmented assignment adds', 'x = "a"\nx += T\nsink(x)', 2],
    ['a branch that taints', 'x = "a"\nif U:\n    x = T\nsink(x)', 2],
    ['a branch that cleans', 'x = T\nif U:\n    x = "a"\nsink(x)', 2],
    ['both branches clean', 'x = T\nif U:\n    x = "a"\nelse:\n    x = "b"\nsink(x)', 0],
    ['an elif chain that cleans in all arms', 'x = T\nif U == 1:\n    x = "a"\nelif U == 2:\n    x = "b"\nelif U == 3:\n    x = "d"\nelse:\n    x = "c"\nsink(x)', 0],
    ['an elif chain that leaves one arm', 'x = T\nif U == 1:\n    x = "a"\nelif U == 2:\n    pass\nelse:\n    x = "c"\nsink(x)', 2],
    ['a branch that returns', 'x = "a"\nif U:\n    x = T\n    return\nsink(x)', 0],
    ['a branch that raises', 'x = T\nif U:\n    x = "a"\nelse:\n    raise ValueError(x)\nsink(x)', 0],
    ['a branch that exits', 'x = "a"\nif U:\n    x = T\n    sys.exit(1)\nsink(x)', 0],
    ['a branch that aborts', 'x = "a"\nif U:\n    x = T\n    abort(404)\nsink(x)', 0],
    ['a branch that calls a local function that never returns', 'def stop():\n    raise SystemExit(2)\nx = "a"\nif U:\n    x = T\n    stop()\nsink(x)', 0],
    ['a loop that meets its own value', 'x = "a"\nfor i in U:\n    sink(x)\n    x = T', 2],
    ['a loop that taints after', 'x = "a"\nfor i in U:\n    x = T\nsink(x)', 2],
    ['a loop that may not run', 'x = T\nfor i in U:\n    x = "a"\nsink(x)', 2],
    ['a loop over tainted data', 'for x in T:\n    sink(x)', 2],
    ['a loop over constants', 'for x in ("a", "b"):\n    sink(x)', 0],
    ['break carries its value out', 'x = "a"\nfor i in U:\n    if i:\n        x = T\n        break\n    x = "b"\nsink(x)', 2],
    ['continue carries its value round', 'x = "a"\nfor i in U:\n    sink(x)\n    if i:\n        x = T\n        continue\n    x = "b"', 2],
    ['while True leaves by break only', 'x = T\nwhile True:\n    x = "a"\n    if U:\n        break\nsink(x)', 0],
    ['while with a condition', 'x = T\nwhile U:\n    x = "a"\nsink(x)', 2],
    ['the else of a loop', 'x = T\nfor i in U:\n    pass\nelse:\n    x = "a"\nsink(x)', 0],
    ['try body', 'try:\n    x = T\nexcept ValueError:\n    x = "a"\nsink(x)', 2],
    ['handler that returns', 'x = T\ntry:\n    x = "a"\nexcept ValueError:\n    return\nsink(x)', 0],
    ['handler that sees half of the body', 'x = "a"\ntry:\n    x = T\n    g()\n    x = "b"\nexcept ValueError as e:\n    pass\nsink(x)', 0],
    ['handler after a body that ends tainted', 'x = "a"\ntry:\n    x = T\n    g()\nexcept ValueError:\n    sink(x)', 2],
    ['finally', 'x = T\ntry:\n    g()\nfinally:\n    x = "a"\nsink(x)', 0],
    ['else of try', 'x = T\ntry:\n    g()\nexcept ValueError:\n    return\nelse:\n    x = "a"\nsink(x)', 0],
    ['a check kept in a variable', 'ok = T in OK\nif ok:\n    sink(T)', 0],
    ['a check kept in a variable and left early', 'ok = T in OK\nif not ok:\n    return\nsink(T)', 0],
    ['a check kept in a variable says nothing where it failed', 'ok = T in OK\nif not ok:\n    sink(T)', 2],
    ['a kept check of a value that changed since', 'x = "a"\nok = x in OK\nx = T\nif ok:\n    sink(x)', 2],
    ['a kept check beside another value of the variable', 'if U:\n    ok = True\nelse:\n    ok = T in OK\nif ok:\n    sink(T)', 2],
    ['nine kept checks', `${Array.from({ length: 9 }, (_, at) => `o${at} = T in OK\n`).join('')}if o0:\n    sink(T)`, 0],
    ['an empty value of a variable that holds a call', 'x = request.args.get("x")\nif x:\n    return\nsink(x)', 0],
    ['a field whose argument is missing', 'sink("a{}".format(k=T))', 0],
    ['with', 'with U as u:\n    x = T\nsink(x)', 2],
    ['match that binds', 'match T:\n    case [a, b]:\n        sink(a)', 2],
    ['match on constants', 'match T:\n    case "a" | "b":\n        sink(T)', 0],
    ['match with a catch-all that cleans', 'x = T\nmatch U:\n    case 1:\n        x = "a"\n    case _:\n        x = "b"\nsink(x)', 0],
    ['match without a catch-all', 'x = T\nmatch U:\n    case 1:\n        x = "a"\n    case 2 if other:\n        x = "b"\nsink(x)', 2],
    ['tuple unpacking', 'a, b = "x", T\nsink(b)', 2],
    ['tuple unpacking leaves the other', 'a, b = "x", T\nsink(a)', 0],
    ['starred unpacking', 'a, *b = T\nsink(b)', 2],
    ['nested function reads an outer variable', 'x = T\ndef g():\n    sink(x)\ng()', 2],
    ['lambda reads an outer variable', 'x = T\ng = lambda y=1: sink(x)', 2],
    ['comprehension with a condition', '[sink(x) for x in T if x in OK]', 0],
    ['comprehension', '[sink(x) for x in T]', 2],
    ['walrus', 'if (x := T):\n    sink(x)', 2],
    ['an attribute', 'U.x = T\nsink(U.x)', 2],
    ['an attribute written over', 'U.x = T\nU.x = "a"\nsink(U.x)', 0],
    ['an element written over', 'U["x"] = T\nU["x"] = "a"\nsink(U["x"])', 0],
    ['dead code is still looked at', 'x = T\nreturn 1\nsink(x)', 2],
    ['an assert', 'assert T in OK\nsink(T)', 0],
    ['an error statement', 'x = T\nprint sink(x)', 2],
    ['global', 'global G\nG = T\nsink(G)', 2],
    ['a type alias and a class inside', 'class A:\n    x = 1\nsink(T)', 2],
    ['an annotation without a value', 'x: int\nsink(T)', 2],
  ];
  for (const [what, body, level] of flows) it(`follows ${what}`, () => assert.equal(levelOf(body), level));
});

describe('guards', () => {
  const guards: readonly (readonly [body: string, kind: ClearKind, level: number])[] = [
    ['if T not in OK:\n    return\nsink(T)', 'all', 0],
    ['if T not in OK:\n    abort(400)\nsink(T)', 'all', 0],
    ['if T not in OK:\n    log()\nsink(T)', 'all', 2],
    ['if T in OK:\n    sink(T)', 'all', 0],
    ['if T in OK:\n    pass\nsink(T)', 'all', 2],
    ['if T.lower() in ("a", "b"):\n    sink(T)', 'all', 0],
    ['if T in [T, "a"]:\n    sink(T)', 'all', 2],
    ['if T in request.args:\n    sink(T)', 'all', 2],
    ['if T in other.allowed:\n    sink(T)', 'all', 0],
    ['if not T in OK:\n    raise ValueError\nsink(T)', 'all', 0],
    ['if U and T in OK:\n    sink(T)', 'all', 0],
    ['if U or T in OK:\n    sink(T)', 'all', 2],
    ['if T == "a" or T == "b":\n    sink(T)', 'all', 0],
    ['if U or T not in OK:\n    return\nsink(T)', 'all', 0],
    ['if T == other:\n    sink(T)', 'all', 2],
    ['if "a" == T:\n    sink(T)', 'all', 0],
    ['if T != "a":\n    return\nsink(T)', 'all', 0],
    ['if T is None:\n    sink(T)', 'all', 0],
    ['if T is not None:\n    sink(T)', 'all', 2],
    ['if not T:\n    sink(T)', 'all', 0],
    ['if T < "a" < "b":\n    sink(T)', 'all', 2],
    ['if T.isdigit():\n    sink(T)', 'all', 0],
    ['if not T.isalnum():\n    return\nsink(T)', 'sql', 0],
    ['if T.isdigit() is False:\n    sink(T)', 'all', 2],
    ['if not re.fullmatch(r"[a-z0-9]+", T):\n    return\nsink(T)', 'shell', 0],
    ['if not re.match(r"^[a-z0-9]+$", T):\n    return\nsink(T)', 'shell', 0],
    ['if re.match(r"^[a-z0-9]+", T):\n    sink(T)', 'shell', 2],
    ['if re.fullmatch(r".*", T):\n    sink(T)', 'shell', 2],
    ['if re.fullmatch(U, T):\n    sink(T)', 'shell', 2],
    ['if NAME.fullmatch(T):\n    sink(T)', 'shell', 0],
    ['if other.NAME.fullmatch(T):\n    sink(T)', 'shell', 0],
    ['if (m := NAME.fullmatch(T)):\n    sink(T)', 'shell', 0],
    ['if NAME.match():\n    sink(T)', 'shell', 2],
    ['if isinstance(T, int):\n    sink(T)', 'all', 0],
    ['if isinstance(T, (int, float)):\n    sink(T)', 'all', 0],
    ['if isinstance(T, str):\n    sink(T)', 'all', 2],
    ['if all(c in OK for c in T):\n    sink(T)', 'all', 0],
    ['if all(c.isalnum() for c in T):\n    sink(T)', 'all', 0],
    ['if all(U):\n    sink(T)', 'all', 2],
    ['if ".." in T:\n    return\nsink(T)', 'path', 0],
    ['if ".." in T:\n    return\nsink(T)', 'sql', 2],
    ['if "\\n" in T:\n    return\nsink(T)', 'log', 0],
    ['if "x" in T:\n    return\nsink(T)', 'path', 2],
    ['if T.startswith("/") or ".." in T:\n    return\nsink(os.path.join(U, *T.split("/")))', 'path', 0],
    ['p = os.path.realpath(os.path.join("/srv", T))\nif not p.startswith("/srv/"):\n    return\nsink(p)', 'path', 0],
    ['p = os.path.join("/srv", T)\nif not p.startswith("/srv/"):\n    return\nsink(p)', 'path', 2],
    ['p = (Path("/srv") / T).resolve()\nif not p.is_relative_to("/srv"):\n    return\nsink(p)', 'path', 0],
    ['p = (Path("/srv") / T).resolve()\nif not str(p).startswith("/srv"):\n    return\nsink(p)', 'path', 0],
    ['p = Path("/srv", T).resolve()\np.relative_to("/srv")\nsink(p)', 'path', 0],
    ['p = os.path.abspath(T)\nif os.path.commonpath([U, p]) != U:\n    return\nsink(p)', 'path', 0],
    ['p = os.path.abspath(T)\nif os.path.commonprefix((p, U)) == U:\n    sink(p)', 'path', 0],
    ['if T.startswith("https://api.example.com/"):\n    sink(T)', 'url', 0],
    ['if T.startswith("https://api.example.com"):\n    sink(T)', 'url', 2],
    ['if T.startswith("/") and not T.startswith("//"):\n    sink(T)', 'url', 0],
    ['if not T.startswith("/") or T.startswith("//"):\n    return\nsink(T)', 'url', 0],
    ['if T.startswith("/"):\n    sink(T)', 'url', 2],
    ['if T.startswith("-"):\n    return\nsink(T)', 'shell', 0],
    ['if T.startswith():\n    sink(T)', 'url', 2],
    ['if urlparse(T).netloc in OK:\n    sink(T)', 'url', 0],
    ['u = urlparse(T)\nif u.hostname not in OK:\n    return\nsink(T)', 'url', 0],
    ['u = urlparse(T)\nif u.netloc != "example.com":\n    return\nsink(T)', 'url', 0],
    ['u = urlparse(T)\nif u.scheme not in ("http", "https"):\n    return\nsink(T)', 'url', 2],
    ['if url_has_allowed_host_and_scheme(T, None):\n    sink(T)', 'url', 0],
    ['if is_safe_path(T):\n    sink(T)', 'path', 0],
    ['p = os.path.join(U, T)\nif not is_within_directory(U, p):\n    raise ValueError\nsink(p)', 'path', 0],
    ['for n in ZipFile(U).namelist():\n    if ".." in n:\n        continue\n    sink(os.path.join(U, *n.split("/")))', 'path', 0],
    ['for n in ZipFile(U).namelist():\n    sink(os.path.join(U, *n.split("/")))', 'path', 1],
    ['if not validate_path(U, T):\n    raise ValueError\nsink(T)', 'path', 0],
    ['if not check_path(U, T):\n    raise ValueError\nsink(T)', 'sql', 2],
    ['if allowed_file(T):\n    sink(T)', 'path', 2],
    ['if not valid():\n    return\nsink(T)', 'path', 2],
    ['int(T)\nsink(T)', 'sql', 0],
    ['try:\n    ipaddress.ip_address(T)\nexcept ValueError:\n    abort(400)\nsink(T)', 'shell', 0],
    ['sink(T) if T in OK else None', 'all', 0],
    ['x = T if T in OK else "a"\nsink(x)', 'all', 0],
    ['T in OK and sink(T)', 'all', 0],
    ['T not in OK or sink(T)', 'all', 0],
    ['while T in OK:\n    sink(T)', 'all', 0],
    ['if request.form["a"] not in OK:\n    return\nsink(request.form["a"])', 'all', 0],
    ['if request.form["a"] not in OK:\n    return\nsink(request.form["b"])', 'all', 2],
    ['def check(v):\n    if v not in OK:\n        raise ValueError\ncheck(T)\nsink(T)', 'all', 0],
    ['def check(v):\n    if v not in OK:\n        log(v)\ncheck(T)\nsink(T)', 'all', 2],
    ['def check(v):\n    v = int(v)\ncheck(T)\nsink(T)', 'all', 2],
    ['def check(a, v):\n    if v not in OK:\n        raise ValueError\n    return v\ncheck(1, v=T)\nsink(T)', 'all', 0],
    ['class A:\n    def check(self, v):\n        if v not in OK:\n            raise ValueError\nA().check(T)\nsink(T)', 'all', 0],
    ['def check(v):\n    if v not in OK:\n        raise ValueError\ncheck(request.form["a"])\nsink(request.form["a"])', 'all', 0],
    ['if a or b or c:\n    sink(T)', 'all', 2],
    ['if (T in OK and U) or (U and T in OK):\n    sink(T)', 'all', 0],
    ['if T > "a":\n    sink(T)', 'path', 2],
    ['if U == 1:\n    pass\nelif T in OK:\n    sink(T)', 'all', 0],
    ['if T in OK:\n    pass\nelif U:\n    sink(T)', 'all', 2],
    ['if T not in OK:\n    pass\nelif U:\n    sink(T)', 'all', 0],
    ['if U:\n    T = "b"\nelif T not in OK:\n    return\nelse:\n    U.x = 1\nsink(T)', 'all', 0],
    ['if os.path.realpath(U) == U:\n    sink(T)', 'path', 2],
  ];
  for (const [body, kind, level] of guards) it(`${level === 0 ? 'clears' : 'does not clear'} ${kind} by: ${body.replaceAll('\n', ' ⏎ ')}`, () => assert.equal(levelOf(body, kind), level));

  it('lets a check in one function not leak into another', () => {
    const source = `${head}T = request.args["q"]\ndef a():\n    if T not in OK:\n        return\n    sink(T)\ndef b():\n    sink(T)\n`;
    assert.equal(levelFor(lastSunk(source), 'all'), 2);
  });
});

describe('sanitizers', () => {
  const cases: readonly (readonly [expression: string, kind: ClearKind, level: number])[] = [
    ['shlex.quote(T)', 'shell', 0], ['re.sub(r"[^a-z0-9_]+", "", T)', 'path', 0], ['re.sub(r"[^\\w.]", "", T)', 'path', 2], ['re.sub(r"[^\\w.]", "_", T)', 'shell', 0], ['re.sub(r"x", "", T)', 'shell', 2], ['re.sub(r"[^a]", U, T)', 'shell', 2], ['shlex.quote(T)', 'sql', 2], ['html.escape(T)', 'html', 0], ['html.escape(T)', 'url', 2], ['os.path.basename(T)', 'path', 0], ['re.escape(T)', 'regex', 0],
    ['int(T)', 'sql', 0], ['uuid.UUID(T)', 'path', 0], ['f"echo {shlex.quote(T)}"', 'shell', 0], ['f"echo {shlex.quote(T)} {T}"', 'shell', 2], ['f"{html.escape(T)}{U}"', 'html', 0],
    ['f"echo {shlex.quote(T)} {U}"', 'shell', 1], ['" ".join(map(shlex.quote, T))', 'shell', 0], ['shlex.join(["a", T])', 'shell', 0], ['repr(T)', 'log', 0], ['f"{T!r}"', 'log', 0], ['html.escape(T).strip()', 'html', 0],
    ['html.escape(T) if U else shlex.quote(T)', 'html', 2], ['html.escape(T) if U else html.escape(T)', 'html', 0], ['html.escape(T) if U else "a"', 'html', 0],
  ];
  for (const [expression, kind, level] of cases) it(`${expression} has level ${level} for ${kind}`, () => assert.equal(levelOf(`sink(${expression})`, kind), level));

  it('takes the user\'s own sources and sanitizers', () => {
    const extra = { extra: {
      sources: [{ name: 'bus.receive()', level: 2, flags: ['network'], note: 'from the bus' }],
      sanitizers: [{ name: 'bus.clean', clears: ['sql'] }],
    } } as const;
    assert.equal(show(lastSunk('import bus\nsink(bus.receive().body)', {}, extra)), 'tainted');
    assert.equal(levelFor(lastSunk('import bus\nsink(bus.clean(bus.receive()))', {}, extra), 'sql'), 0);
    assert.equal(levelFor(lastSunk('import bus\nsink(bus.clean(bus.receive()))', {}, extra), 'html'), 2);
  });
});
