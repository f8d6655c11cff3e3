#!/usr/bin/env python3
"""A second verifier for gage bundles: docs/gage-format.md in Python 3 and the openssl command, sharing no code with gage.

usage: verify_bundle.py [--words FILE] BUNDLE...      BUNDLE is a bundle folder or a package file ("GAGEPKG1")

Prints one line of JSON for each bundle: what it recomputed, `problems`, and what it did not check. Exit code 0 without problems,
1 with, 2 usage. Entries are looked at before they are opened, links are not followed; folders are not held open meanwhile.
"""
import base64, datetime, hashlib, json, os, pathlib, re, stat, struct, subprocess, sys, tempfile, unicodedata

TYPE = b"application/vnd.gage.manifest.v1+json"
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
# Coordinates of the points of small order: 0, 1, p - 1, and the two of order eight, on each curve.
SMALL, SMALL_BOX = ({0, 1, P - 1} | {int.from_bytes(bytes.fromhex(h), "little") for h in pair} for pair in (
    ("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
    ("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800", "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157")))
# What no category says: Default_Ignorable_Code_Point but FE0E and FE0F, blank braille, and noncharacters of the first plane.
IGNORABLE = re.compile("[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0d"
                       "\ufeff\uffa0\ufff0-\ufff8\ufdd0-\ufdef\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")
NOT_CHECKED = ["the reader's side: to, list, blocks, expiry, acceptance", "letters that are newer than Unicode %s" % unicodedata.unidata_version]
WORDS_SHA256 = "635f51fd299d25e4bf0eaed16de2beb085641b631f38fe91e6685e5e51e4b208"

class Bad(Exception):
    """The bundle can not be checked any further."""

def fail(problem):
    raise Bad(problem)

def strict_base64(text, length):
    raw = base64.b64decode(text, validate=True)
    return raw if len(raw) == length and base64.b64encode(raw).decode() == text else fail("no strict base64 of %d bytes" % length)

def parse(raw):
    """Canonical JSON as manifests need it: numbers that are no small integers, and keys out of ASCII, are wrong there in any case."""
    try:
        value = json.loads(raw.decode("utf-8"), parse_int=lambda digits: int(digits) if len(digits) < 16 else digits, parse_float=str, parse_constant=str)
        same = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() == raw
    except (ValueError, RecursionError):
        raise Bad("manifest is no JSON")
    return value if same else fail("manifest is not canonical")

def in_form(text, most, visible=True, extra=None):
    """NFC, not marks alone, at most so many bytes; visible: nothing unsafe; extra: letters, marks, digits and these alone."""
    kinds = [unicodedata.category(each) for each in text]
    unsafe = IGNORABLE.search(text) or {"Cc", "Cf", "Co", "Zl", "Zp"} & set(kinds) or any(ord(each) & 0xfffe == 0xfffe for each in text)
    if len(text.encode()) > most or unicodedata.normalize("NFC", text) != text or (text and all(kind[0] == "M" for kind in kinds)):
        return False
    return not (visible and (unsafe or {"\ufe0e", "\ufe0f"} & set(text))) and (
        extra is None or text.strip(" ") == text != "" and all(kind[0] in "LM" or kind == "Nd" or each in extra for each, kind in zip(text, kinds)))

def is_time(text):
    try:  # A year 0000 is a leap year as 2000 is, and no year for datetime.
        datetime.datetime.strptime(re.sub("^0000", "2000", text), "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return False
    return re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", text) is not None

def items_fit(items):
    names = {unicodedata.normalize("NFKC", item["name"]).lower() for item in items if check(item, ITEM, "items.")}
    return len(items) <= 256 and len(names) == len(items) and sum(item["bytes"] for item in items) <= 2**24

matches = lambda form: lambda text: re.fullmatch(form, text) is not None
KEY = lambda text: bool(strict_base64(text, 32))
LABEL = lambda text: in_form(text, 64, extra=" ._-/:")
NAME = lambda text: text != "" and not re.search(r"[\\:]", text) and not {"", ".", ".."} & set(text.split("/")) and in_form(text, 255)
# Of every key: the type of its value and the rule for it; a "?" marks the keys that may be missing.
FROM = {"box": (str, KEY), "handle": (str, lambda text: in_form(text, 64, extra=" ._-")), "key": (str, KEY)}
ITEM = {"bytes": (int, lambda size: 0 <= size <= 2**23), "kind": (str, matches("file|prompt|decision|memory")), "name": (str, NAME),
        "sha256": (str, matches("[0-9a-f]{64}"))}
MANIFEST = {
    "agent?": (str, LABEL), "created_at": (str, is_time), "expires_at?": (str, is_time), "from": (dict, lambda value: check(value, FROM, "from.")),
    "items": (list, items_fit), "model?": (str, LABEL), "nonce": (str, matches("[0-9a-f]{32}")), "reply_to?": (str, matches("[0-9a-f]{64}")),
    "subject": (str, lambda text: in_form(text, 200, visible=False)), "to": (str, KEY), "type": (str, matches("[a-z][a-z0-9-]{0,31}")),
    "v": (int, lambda version: version == 1)}

def check(value, shape, at=""):
    rules = {name.rstrip("?"): rule for name, rule in shape.items()}
    if type(value) is not dict or not {name for name in shape if name[-1] != "?"} <= set(value) <= set(rules):
        raise Bad("manifest has other keys%s" % (at and " in " + at[:-1]))
    for name in value:
        if type(value[name]) is not rules[name][0] or not rules[name][1](value[name]):
            fail("manifest breaks the rule for %s%s" % (at, name))
    return True

def read_manifest(raw):
    manifest = parse(raw) if len(raw) <= 256 * 1024 else fail("manifest over 256 KiB")
    is_first = type(manifest) is dict and type(manifest.get("v")) is int and manifest["v"] == 1
    return manifest if is_first and check(manifest, MANIFEST) else fail("manifest is not of version 1")

def pae(body):
    return b"DSSEv1 %d %s %d %s" % (len(TYPE), TYPE, len(body), body)

def point_problem(raw):
    y = int.from_bytes(raw, "little") & (2**255 - 1)
    if y >= P or y in SMALL:
        return "not canonical or of small order"
    square = y * y % P
    return None if pow((square - 1) * (D * square + 1), (P - 1) // 2, P) == 1 else "not on the curve"

def signature_problem(key, message, signature):
    if point_problem(key):
        return "key " + point_problem(key)
    r = int.from_bytes(signature[:32], "little") & (2**255 - 1)
    if r >= P or r in SMALL or int.from_bytes(signature[32:], "little") >= ORDER:
        return "signature has a bad R or S"
    pem = "-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n" % base64.b64encode(bytes.fromhex("302a300506032b6570032100") + key).decode()
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("key.pem", "message", "signature")]
        for path, content in zip(paths, (pem.encode(), message, signature)):
            pathlib.Path(path).write_bytes(content)
        run = subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-rawin", "-inkey", paths[0], "-in", paths[1], "-sigfile", paths[2]],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return None if run.returncode == 0 else "signature is not of this key over this manifest"

def read_folder(folder):
    def entries(at):
        return set(os.listdir(at)) if stat.S_ISDIR(os.lstat(at).st_mode) else fail("%s is no real folder" % os.path.basename(at))

    def read(size, *names):
        path = os.path.join(folder, *names)
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode) or not (found.st_size <= 2**18 if size is None else found.st_size == size):
            fail("%s is no regular file of its size" % "/".join(names))
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
            return file.read()
    top, manifest = entries(folder), read(None, "manifest.json")
    items = read_manifest(manifest)["items"]
    names = ["%04d" % index for index in range(len(items))]
    if top != {"manifest.json", "manifest.sig"} | ({"items"} if items else set()) or (items and entries(os.path.join(folder, "items")) != set(names)):
        raise Bad("entries are not those of the manifest")
    line = read(None, "manifest.sig").decode("latin-1")
    signature = strict_base64(line[:-1], 64) if line.endswith("\n") else fail("manifest.sig has no line feed")
    return manifest, signature, [read(item["bytes"], "items", name) for item, name in zip(items, names)]

def read_package(raw):
    at = 8

    def take(size):
        nonlocal at
        at += size
        return raw[at - size:at] if at <= len(raw) else fail("package is cut")
    manifest = take(struct.unpack(">I", take(4))[0])
    signature = take(64)
    items = [take(struct.unpack(">Q", take(8))[0]) for _ in range(struct.unpack(">I", take(4))[0])]
    return (manifest, signature, items) if at == len(raw) else fail("package has bytes behind its end")

def words_of(sign_key, box_key, words):
    pairs = lambda raw: ["%s %s" % (words[raw[i]], words[256 + raw[i + 1]]) for i in range(0, len(raw), 2)]
    stretched = hashlib.scrypt(sign_key + box_key, salt=b"gage/words/v1", n=16384, r=8, p=1, maxmem=2**26, dklen=8)
    return pairs(stretched), pairs(hashlib.sha256(b"gage/label/v1\0" + sign_key).digest()[:2])[0]

def verify(path, words):
    result = {"bundle": path, "problems": [], "not_checked": NOT_CHECKED}
    try:
        path = re.sub(r"(?<=.)(/+\.?)+$", "", path)  # Behind a slash the system would follow a link.
        if os.path.isdir(path):
            manifest_bytes, signature, items = read_folder(path)
        else:
            raw = pathlib.Path(path).read_bytes() if os.path.isfile(path) and not os.path.islink(path) else fail("neither a folder nor a file")
            manifest_bytes, signature, items = read_package(raw) if raw[:8] == b"GAGEPKG1" else fail("neither a folder nor a package")
        manifest = read_manifest(manifest_bytes)
        message = pae(manifest_bytes)
        sign_key, box_key = (strict_base64(manifest["from"][name], 32) for name in ("key", "box"))
        pairs, label = words_of(sign_key, box_key, words)
        result.update(id=hashlib.sha256(message).hexdigest(), word_pairs=pairs, label=label,
                      mailbox=hashlib.sha256(b"gage/mailbox/v1\0" + strict_base64(manifest["to"], 32)).hexdigest())
        u = int.from_bytes(box_key, "little")
        problems = [signature_problem(sign_key, message, signature), "box key is none" if u >= P or u in SMALL_BOX else None]
        if len(items) != len(manifest["items"]):
            problems.append("another number of items")
        for index, (item, content) in enumerate(zip(manifest["items"], items)):
            if item["bytes"] != len(content) or item["sha256"] != hashlib.sha256(content).hexdigest():
                problems.append("item %d has other bytes" % index)
        result["problems"] = [problem for problem in problems if problem]
    except (Bad, OSError, ValueError, TypeError, AttributeError) as error:
        result["problems"] = [str(error) or type(error).__name__]
    return result

def main(arguments):
    here = os.path.dirname(os.path.abspath(__file__))
    file = os.path.join(here, "..", "spec", "fixtures", "gage", "words-v1.txt")
    if arguments[:1] == ["--words"] and len(arguments) > 1:
        file, arguments = arguments[1], arguments[2:]
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    text = pathlib.Path(file).read_bytes()
    if hashlib.sha256(text).hexdigest() != WORDS_SHA256:
        print("%s is not the word list v1" % file, file=sys.stderr)
        return 2
    results = [verify(path, text.decode().split()) for path in arguments]
    for result in results:
        print(json.dumps(result, sort_keys=True))
    return 1 if any(result["problems"] for result in results) else 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
