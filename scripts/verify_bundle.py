#!/usr/bin/env python3
"""A second verifier for gage bundles: docs/gage-format.md in Python 3 and the openssl command, sharing no code with gage.

usage: verify_bundle.py [--words FILE] BUNDLE...      BUNDLE is a bundle folder or a package file ("GAGEPKG1")

Prints one line of JSON for each bundle: what it recomputed, and `problems`. Exit code 0 without problems, 1 with, 2 usage.
It reads what it is given as files of its own user; it is a check of the format, not a safe reader of hostile folders.
"""
import base64, hashlib, json, os, struct, subprocess, sys, tempfile, unicodedata

TYPE = b"application/vnd.gage.manifest.v1+json"
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
# y of the points of small order: 0, 1, p - 1, and the two of order eight.
SMALL = {0, 1, P - 1} | {int.from_bytes(bytes.fromhex(h), "little") for h in (
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")}
REQUIRED = {"created_at", "from", "items", "nonce", "subject", "to", "type", "v"}
OPTIONAL = {"agent", "expires_at", "model", "reply_to"}
WORDS_SHA256 = "635f51fd299d25e4bf0eaed16de2beb085641b631f38fe91e6685e5e51e4b208"


class Bad(Exception):
    """The bundle can not be checked any further."""


def strict_base64(text, length):
    raw = base64.b64decode(text, validate=True)
    if len(raw) != length or base64.b64encode(raw).decode() != text:
        raise Bad("no strict base64 of %d bytes" % length)
    return raw


def canonical(value):
    """RFC 8785 for integers: keys by UTF-16 code unit, no spaces, the escapes of JSON.stringify."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int):
        if abs(value) > 2**53 - 1:
            raise Bad("a number is too big")
        return str(value)
    if isinstance(value, str):
        value.encode("utf-8")  # raises for a lone surrogate
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"
    raise Bad("a number that is no integer")


def read_manifest(raw):
    if len(raw) > 256 * 1024:
        raise Bad("manifest over 256 KiB")
    try:
        manifest = json.loads(raw.decode("utf-8"))
        same = canonical(manifest).encode() == raw
    except (ValueError, RecursionError):
        raise Bad("manifest is no JSON")
    if not same:
        raise Bad("manifest is not canonical")
    if not isinstance(manifest, dict) or type(manifest.get("v")) is not int or manifest["v"] != 1:
        raise Bad("manifest is not of version 1")
    keys = set(manifest)
    if not REQUIRED <= keys or not keys <= REQUIRED | OPTIONAL or set(manifest["from"]) != {"box", "handle", "key"}:
        raise Bad("manifest has other keys")
    if any(set(item) != {"bytes", "kind", "name", "sha256"} for item in manifest["items"]):
        raise Bad("an item has other keys")
    return manifest


def pae(body):
    return b"DSSEv1 %d %s %d %s" % (len(TYPE), TYPE, len(body), body)


def point_problem(raw):
    y = int.from_bytes(raw, "little") & (2**255 - 1)
    if y >= P:
        return "not canonical"
    if y in SMALL:
        return "of small order"
    square = y * y % P
    return None if pow((square - 1) * (D * square + 1), (P - 1) // 2, P) == 1 else "not on the curve"


def signature_problem(key, message, signature):
    if point_problem(key):
        return "key " + point_problem(key)
    r = int.from_bytes(signature[:32], "little") & (2**255 - 1)
    if r >= P or r in SMALL or int.from_bytes(signature[32:], "little") >= ORDER:
        return "signature has a bad R or S"
    pem = base64.b64encode(bytes.fromhex("302a300506032b6570032100") + key).decode()
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("key.pem", "message", "signature")]
        for path, content in zip(paths, (("-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n" % pem).encode(), message, signature)):
            with open(path, "wb") as file:
                file.write(content)
        run = subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-rawin", "-inkey", paths[0], "-in", paths[1], "-sigfile", paths[2]],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return None if run.returncode == 0 else "signature is not of this key over this manifest"


def read_folder(folder):
    def read(*names):
        with open(os.path.join(folder, *names), "rb") as file:
            return file.read()
    manifest = read("manifest.json")
    count = len(read_manifest(manifest)["items"])
    found = sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)
    expected = ["items/%04d" % index for index in range(count)] + ["manifest.json", "manifest.sig"]
    if found != expected or os.path.isdir(os.path.join(folder, "items")) != (count > 0):
        raise Bad("entries are not those of the manifest")
    line = read("manifest.sig").decode("latin-1")
    if not line.endswith("\n"):
        raise Bad("manifest.sig has no line feed")
    return manifest, strict_base64(line[:-1], 64), [read("items", "%04d" % index) for index in range(count)]


def read_package(raw):
    at = 8

    def take(size):
        nonlocal at
        if size > len(raw) - at:
            raise Bad("package is cut")
        at += size
        return raw[at - size:at]
    manifest = take(struct.unpack(">I", take(4))[0])
    signature = take(64)
    items = [take(struct.unpack(">Q", take(8))[0]) for _ in range(struct.unpack(">I", take(4))[0])]
    if at != len(raw):
        raise Bad("package has bytes behind its end")
    return manifest, signature, items


def words_of(sign_key, box_key, words):
    def pairs(raw):
        return ["%s %s" % (words[raw[i]], words[256 + raw[i + 1]]) for i in range(0, len(raw), 2)]
    stretched = hashlib.scrypt(sign_key + box_key, salt=b"gage/words/v1", n=16384, r=8, p=1, maxmem=2**26, dklen=8)
    return pairs(stretched), pairs(hashlib.sha256(b"gage/label/v1\0" + sign_key).digest()[:2])[0]


def verify(path, words):
    result = {"bundle": path, "problems": []}
    try:
        if os.path.isdir(path):
            manifest_bytes, signature, items = read_folder(path)
        else:
            with open(path, "rb") as file:
                raw = file.read()
            if raw[:8] != b"GAGEPKG1":
                raise Bad("neither a folder nor a package")
            manifest_bytes, signature, items = read_package(raw)
        manifest = read_manifest(manifest_bytes)
        message = pae(manifest_bytes)
        sign_key, box_key = (strict_base64(manifest["from"][name], 32) for name in ("key", "box"))
        pairs, label = words_of(sign_key, box_key, words)
        result.update(id=hashlib.sha256(message).hexdigest(), word_pairs=pairs, label=label,
                      mailbox=hashlib.sha256(b"gage/mailbox/v1\0" + strict_base64(manifest["to"], 32)).hexdigest())
        problems = [signature_problem(sign_key, message, signature)]
        if len(items) != len(manifest["items"]):
            problems.append("another number of items")
        for index, (item, content) in enumerate(zip(manifest["items"], items)):
            if item["bytes"] != len(content) or item["sha256"] != hashlib.sha256(content).hexdigest():
                problems.append("item %d has other bytes" % index)
            if unicodedata.normalize("NFC", item["name"]) != item["name"]:
                problems.append("item %d has a name that is not in form NFC" % index)
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
    with open(file, "rb") as handle:
        text = handle.read()
    if hashlib.sha256(text).hexdigest() != WORDS_SHA256:
        print("%s is not the word list v1" % file, file=sys.stderr)
        return 2
    results = [verify(path, text.decode().split()) for path in arguments]
    for result in results:
        print(json.dumps(result, sort_keys=True))
    return 1 if any(result["problems"] for result in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
