/** Checks that guard, and checks that only look as if they did. */
import { describeSnippets } from './rule-table.ts';

describeSnippets('checks before a sink', 'import os, re, subprocess, shlex\nfrom pathlib import Path\nfrom flask import request, abort, send_file', String.raw`
# none
def v():
    x = request.args["x"]
    m = re.fullmatch(r"[a-z]+", x)
    if m is None: abort(400)
    os.system("ls " + x)
---
# none
def v():
    x = request.args["x"]
    m = re.fullmatch(r"[a-z]+", x)
    if m != None:
        os.system("ls " + x)
---
# L3-003
def v():
    x = request.args["x"]
    m = re.fullmatch(r"[a-z]+", x)
    if m is not None: abort(400)
    os.system("ls " + x)
---
# L3-003
def v():
    x = request.args["x"]
    m = re.fullmatch(r".+", x)
    if m is None: abort(400)
    os.system("ls " + x)
---
# L3-003
def v():
    x = request.args["x"]
    ok = x.isalnum()
    if ok is None: abort(400)
    os.system("ls " + x)
---
# L3-003
def v():
    x = request.args["x"]
    if x.startswith("-"): abort(400)
    os.system("ls " + x)
---
# L3-017
def v():
    x = request.args["x"]
    if x.startswith("-"): abort(400)
    subprocess.run("ls " + x, shell=True)
---
# none
def v():
    x = request.args["x"]
    if x.startswith("-"): abort(400)
    subprocess.run(["git", "log", x])
---
# L3-006
def v():
    x = request.args["x"]
    subprocess.run(["git", "log", x])
---
# L3-021
def v():
    x = request.args["x"]
    p = Path("/data") / x
    if not p.is_relative_to("/data"): abort(400)
    return send_file(p)
---
# L3-021
def v():
    x = request.args["x"]
    p = Path("/data") / x
    p.relative_to("/data")
    return send_file(p)
---
# none
def v():
    x = request.args["x"]
    p = (Path("/data") / x).resolve()
    if not p.is_relative_to("/data"): abort(400)
    return send_file(p)
---
# none
def v():
    x = request.args["x"]
    p = (Path("/data") / x).resolve()
    p.relative_to("/data")
    return send_file(p)
---
# L3-021
def v():
    x = request.args["x"]
    base = "/data"
    if os.path.commonpath([base, os.path.join(base, x)]) != base: abort(400)
    return send_file(os.path.join(base, x))
---
# L3-021
def v():
    x = request.args["x"]
    base = "/data"
    p = os.path.join(base, x)
    if os.path.commonpath([base, p]) != base: abort(400)
    return send_file(p)
---
# L3-021
def v():
    x = request.args["x"]
    base = "/data"
    p = os.path.realpath(os.path.join(base, x))
    if os.path.commonprefix([base, p]) != base: abort(400)
    return send_file(p)
---
# none
def v():
    x = request.args["x"]
    base = "/data"
    p = os.path.realpath(os.path.join(base, x))
    if os.path.commonpath([base, p]) != base: abort(400)
    return send_file(p)
---
# none
def v():
    x = request.args["x"]
    base = "/data"
    p = os.path.realpath(os.path.join(base, x))
    common = os.path.commonpath([base, p])
    if common != base: abort(400)
    return send_file(p)
---
# L3-003
def v():
    x = request.args["x"]
    if not re.fullmatch(r"[\s\S]*", x): abort(400)
    os.system("ls " + x)
---
# L3-003
def v():
    x = request.args["x"]
    if not re.fullmatch(r"(.|\n)+", x): abort(400)
    os.system("ls " + x)
---
# L3-003
def v():
    x = request.args["x"]
    if not re.fullmatch(r"(?s:.)+", x): abort(400)
    os.system("ls " + x)
---
# L3-003
def v():
    x = request.args["x"]
    if not re.fullmatch(r"[\W\w]+", x): abort(400)
    os.system("ls " + x)
---
# L3-003
def v():
    x = request.args["x"]
    if not re.fullmatch(r"[ -~]+", x): abort(400)
    os.system("ls " + x)
---
# L3-003
def v():
    x = request.args["x"]
    if not re.fullmatch(r"[\w ;&|$]+", x): abort(400)
    os.system("ls " + x)
---
# L3-003
def v():
    x = request.args["x"]
    if not re.match(r"US\$", x): abort(400)
    os.system("ls " + x)
---
# L3-003
def v():
    x = request.args["x"]
    if not re.match(r"a|b$", x): abort(400)
    os.system("ls " + x)
---
# L3-003
def v():
    x = request.args["x"]
    if not re.match(r"^\w+$", x, re.M): abort(400)
    os.system("ls " + x)
---
# L3-003
P = re.compile(r"^\w+$", re.M)
def v():
    x = request.args["x"]
    if not P.match(x): abort(400)
    os.system("ls " + x)
---
# none
P = re.compile(r"^\w+$")
def v():
    x = request.args["x"]
    if not P.match(x): abort(400)
    os.system("ls " + x)
---
# none
def v():
    x = request.args["x"]
    if not re.search(r"^[a-z0-9]+$", x): abort(400)
    os.system("ls " + x)
---
# L3-003
def v():
    x = request.args["x"]
    if not re.search(r"[a-z0-9]+$", x): abort(400)
    os.system("ls " + x)
---
# none
def v():
    x = request.args["x"]
    if re.search(r"[^\w.-]", x): abort(400)
    os.system("ls " + x)
---
# L3-003
def v():
    x = request.args["x"]
    if re.search(r"[;&]", x): abort(400)
    os.system("ls " + x)
---
# L3-021
def v():
    x = request.args["x"]
    if ".." in x: abort(400)
    return send_file(x)
---
# none
def v():
    x = request.args["x"]
    if ".." in x or x.startswith("/"): abort(400)
    return send_file(x)
---
# none
def v():
    x = request.args["x"]
    if ".." in x: abort(400)
    if os.path.isabs(x): abort(400)
    return send_file(os.path.join("/data", x))
---
# none
def v():
    x = request.args["x"]
    if ".." in x: abort(400)
    return send_file("/data/" + x)
---
# L3-021
def v():
    x = request.args["x"]
    if ".." in x: abort(400)
    return send_file(os.path.join("/data", x))
---
# L3-003
def v():
    x = request.args["x"]
    if not valid_session(x): return
    os.system("ls " + x)
---
# L3-003
def is_valid_name(s): return True
def v():
    x = request.args["x"]
    if not is_valid_name(x): return
    os.system("ls " + x)
---
# none
def is_valid_name(s): return bool(re.fullmatch(r"[a-z]+", s))
def v():
    x = request.args["x"]
    if not is_valid_name(x): return
    os.system("ls " + x)
---
# none
def is_valid_name(s):
    if not s.isalnum():
        return False
    return True
def v():
    x = request.args["x"]
    if not is_valid_name(x): return
    os.system("ls " + x)
---
# none
def bad(s):
    for c in s:
        pass
    return not s.isalnum()
def v():
    x = request.args["x"]
    if bad(x): return
    os.system("ls " + x)
---
# none
class A:
    def ok(self, s):
        return s in ("a", "b")
    def v(self):
        x = request.args["x"]
        if not self.ok(x): return
        os.system("ls " + x)
---
# none
from urllib.parse import urlparse, urljoin
from flask import redirect
def is_safe_url(target):
    ref = urlparse(request.host_url)
    test = urlparse(urljoin(request.host_url, target))
    return test.scheme in ("http", "https") and ref.netloc == test.netloc
def v():
    x = request.args["x"]
    if not is_safe_url(x): return abort(400)
    return redirect(x)
---
# none
def v():
    x = request.args["x"]
    ok = x in ("a", "b")
    if not ok: return
    os.system("ls " + x)
---
# none
def v():
    x = request.args["x"]
    valid = x.isdigit()
    if valid:
        os.system("ls " + x)
---
# none
def v():
    expr = request.args["x"]
    if not re.match(r"^[\d+\-*/(). ]+$", expr): return "bad"
    return {"n": eval(expr)}
---
# L3-021
def v():
    x = request.args["x"]
    if not is_valid(x): return
    return send_file(x)
---
# none
def v():
    x = request.args["x"]
    if not path_is_safe(x): return
    return send_file(x)
---
# none
def v():
    x = request.args["x"]
    if os.path.dirname(x): return
    return send_file("/srv/" + x)
---
# none
def v():
    x = request.args["x"]
    if re.fullmatch(r"\w+", x) is None: return
    os.system("ls " + x)
---
# L3-003
def is_fine(s): return True if s else other(s)
def v():
    x = request.args["x"]
    if not is_fine(x): return
    os.system("ls " + x)
---
# none
def refused(s, *, strict=False):
    if re.search(r"[^a-z]", s):
        return True
    return False
def v():
    x = request.args["x"]
    if refused(s=x): return
    os.system("ls " + x)
`);
