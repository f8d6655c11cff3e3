/** Names that come from outside or lead there: variables of the environment, variables of MCP hosts, names of files. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fixByTemplate } from '../../../../lib/families/gadriel/domain/fix/templates/index.ts';
import { applyEdits } from '../../../../lib/families/gadriel/domain/fix/text-edit.ts';
import { rescanFile } from '../../../../lib/families/gadriel/domain/repository/rescan-file.ts';
import { githubToken } from '../support/sample-secrets.ts';
import { fixedText, scannedRepository, scanText, surroundings } from './fix-kit.ts';

const titled = (code: string): string => JSON.stringify(code.split('\n').filter((line) => !/^(?:import|from) /.test(line)).join('\n').slice(0, 150));
const secret = githubToken(1);

/** Code where `~` stands for the secret, and a part of the fixed code or of why it is declined. */
const secrets: readonly (readonly [code: string, expected: string | RegExp])[] = [
  // A fallback of a variable of the environment goes; what the variable holds is still read.
  ['import os\ntoken = os.environ.get("GITHUB_TOKEN", "~")\n', '\ntoken = os.environ["GITHUB_TOKEN"]\n'],
  ['import os\ntoken = os.environ.get("GITHUB_TOKEN", default="~")\n', '\ntoken = os.environ["GITHUB_TOKEN"]\n'],
  ['import os\ntoken = os.getenv(NAME, "~")\n', '\ntoken = os.environ[NAME]\n'],
  ['from os import getenv\nlogin(token=getenv("GITHUB_TOKEN", "~"))\n', 'from os import getenv\nimport os\nlogin(token=os.environ["GITHUB_TOKEN"])\n'],
  ['import os\ntoken = os.getenv("GITHUB_TOKEN") or "~"\n', '\ntoken = os.environ["GITHUB_TOKEN"]\n'],
  ['import os\ntoken = os.getenv("A") or os.environ.get("B") or "~"\n', '\ntoken = os.getenv("A") or os.environ["B"]\n'],
  ['import os\ntoken = os.getenv("A") or ("~")\n', '\ntoken = os.getenv("A") or (os.environ["GITHUB_TOKEN"])\n'],
  ['import os\ntoken = given or "~"\n', '\ntoken = given or os.environ["GITHUB_TOKEN"]\n'],
  // What the code puts into the environment is to be there already.
  ['import os\nx = 1\nos.environ["GITHUB_TOKEN"] = "~"  # dev\nrun()\n', 'import os\nx = 1\nrun()\n'],
  ['import os\ndef f():\n    os.environ["GITHUB_TOKEN"] = "~"\n    run()\n', 'def f():\n    run()\n'],
  ['import os\nos.environ["GITHUB_TOKEN"] = os.environ.get("GITHUB_TOKEN", "~")\nrun()\n', 'import os\nrun()\n'],
  ['import os\nos.environ["GITHUB_TOKEN"] = os.environ.get("GH_TOKEN", "~")\nrun()\n', 'os.environ["GITHUB_TOKEN"] = os.environ["GH_TOKEN"]\n'],
  ['import os\nwith x:\n    os.environ["GITHUB_TOKEN"] = "~"\n    run()', 'with x:\n    run()'],
  ['import os\nrun()\nos.environ["GITHUB_TOKEN"] = "~"', 'import os\nrun()\n'],
  ['import os\ndef f():\n    os.environ["GITHUB_TOKEN"] = "~"\n', /has to hold "GITHUB_TOKEN" before/],
  ['import os\nif dev:\n    os.environ["GITHUB_TOKEN"] = "~"\n    run()\n', /has to hold "GITHUB_TOKEN" before/],
  ['import os\nx = 1; os.environ["GITHUB_TOKEN"] = "~"\n', /has to hold "GITHUB_TOKEN" before/],
  ...['os.environ.setdefault("GITHUB_TOKEN", "~")', 'os.putenv("GITHUB_TOKEN", "~")', 'monkeypatch.setenv("GITHUB_TOKEN", "~")'].map((code) => [`import os\n${code}\n`, /fallback/] as const),
  // Fallbacks of other things.
  ...['parser.add_argument("--token", default="~")', 'parser.add_argument("--token", default=os.environ.get("T", "~"))', 'option("--token", default=load("~"))', 'x = config.get("token", "~")', 'x = getattr(settings, "TOKEN", "~")',
    'x = options.pop("token", {"a": ["~"]})', 'x = env("TOKEN", "~")', 'x = env.str("TOKEN", "~")', 'x = config("TOKEN", default="~")', 'x = String(missing="~")', 'DEFAULT_TOKEN = "~"', 'fallback: str = "~"', 'x = {"default_token": "~"}']
    .map((code) => [`import os\n${code}\n`, /fallback/i] as const),
  ...['x = field(default_factory=lambda: "~")', 'x = config.get("token") or "~"', 'x = client.get("~", 1)', 'x = {"default": 1, "token": "~"}', 'x = y if y else "~"', 'x = ["~".strip()]'].map((code) => [`import os\n${code}\n`, 'os.environ["'] as const),
  // What is worked out as soon as the code is read.
  ...['def f(self, key=g("~")): pass', 'def f(key: Literal["~"]): pass', 'def f() -> g["~"]: pass', '@route(token="~")\ndef f(): pass', 'f = lambda key=["~"]: key', 'class A(make("~")): pass', '@made("~")\nclass A: pass',
    'def f(key=os.getenv("T", "~")): pass'].map((code) => [`import os\n${code}\n`, /needed as soon as the code is read|type can not/] as const),
  ...['Mode = Literal["a", "~"]', 'x: Literal["~"] = 1', 'x: Annotated[str, "~"]', 'x: "~" = 1', 'type Mode = g["~"]'].map((code) => [`${code}\n`, /type can not be read/] as const),
  ...['@dataclass\nclass A:\n    token: str = "~"', 'class A(BaseSettings):\n    token: str = "~"', 'class A(BaseModel):\n    token: SecretStr = SecretStr("~")', 'class A(pydantic.BaseSettings):\n    token = "~"',
    'class A(BaseSettings):\n    token: str = os.environ.get("T", "~")'].map((code) => [`import os\n${code}\n`, /default of a field/] as const),
  ...['class A(Config):\n    token = "~"', 'class A:\n    token: str = "~"', '@dataclass\nclass A:\n    token: ClassVar[str] = "~"', '@dataclass\nclass A:\n    token: typing.ClassVar = "~"', '@dataclass\nclass A:\n    def f(self):\n        token = "~"', 'class A(Base["x"]):\n    token = "~"']
    .map((code) => [`import os\n${code}\n`, 'os.environ["'] as const),
  ['def f(x):\n    match x:\n        case "~":\n            return 1\n', /pattern takes no call/],
  ['match f("~"):\n    case 1:\n        pass\n', 'match f(os.environ["GITHUB_TOKEN"]):'],
  ['print "~"\n', /no valid Python|longer text/],
];

describe('the template of secrets, where a variable would not be there', () => {
  for (const [code, expected] of secrets) {
    it(`${typeof expected === 'string' ? 'fix' : 'decline'} ${titled(code)}`, async () => {
      const fixed = await fixedText(code.replace('~', secret), 'CODE-W1-SECRET-004');
      // What was taken away must be gone.
      if (typeof expected === 'string' && expected.startsWith('import os\n')) assert.equal(fixed, expected);
      else if (typeof expected === 'string') assert.ok(fixed.includes(expected) && !fixed.startsWith('declined'), fixed);
      else assert.match(fixed, new RegExp(`^declined: .*(?:${expected.source})`, expected.flags));
    });
  }
});

describe('the templates of MCP configuration, by the host that reads the file', async () => {
  const value = ['q7Rw2', 'ZtYb9Kc4', 'Vn8Xs'].join('');
  const server = (member: string, list = 'mcpServers'): string => `{ "${list}": { "git-hub": ${member} } }\n`;
  const env = `{ "command": "serve", "env": { "EXAMPLE_TOKEN": "${value}" } }`;
  const headers = `{ "url": "https://mcp.example.com", "headers": { "Authorization": "Bearer ${value}" } }`;
  const files: readonly (readonly [file: string, text: string, expected: string | RegExp])[] = [
    ['.mcp.json', server(env), '"${EXAMPLE_TOKEN}"'],
    ['a/.mcp.json', server(headers), '"Bearer ${GIT_HUB_AUTHORIZATION}"'],
    ['.gemini/settings.json', server(env), '"${EXAMPLE_TOKEN}"'],
    ['.vscode/mcp.json', server(env, 'servers'), '"${env:EXAMPLE_TOKEN}"'],
    ['.cursor/mcp.json', server(headers), '"Bearer ${env:GIT_HUB_AUTHORIZATION}"'],
    ['.windsurf/mcp.json', server(env), '"${env:EXAMPLE_TOKEN}"'],
    ['.codeium/windsurf/mcp_config.json', server(headers), '"Bearer ${env:GIT_HUB_AUTHORIZATION}"'],
    ['opencode.json', server(env.replace('"env"', '"environment"'), 'mcp'), '"{env:EXAMPLE_TOKEN}"'],
    ['b/opencode.jsonc', server(env.replace('"env"', '"environment"'), 'mcp'), '"{env:EXAMPLE_TOKEN}"'],
    ['claude_desktop_config.json', server(env), /expands no variables in this file.*env file/],
    ['mcp.json', server(env), /not known here/], ['.claude/settings.json', server(env), /not known here/], ['.roo/mcp.json', server(env), /not known here/], ['.zed/settings.json', server(env, 'context_servers'), /not known here/],
    ['.codex/config.toml', `[mcp_servers.a]\ncommand = "serve"\n[mcp_servers.a.env]\nEXAMPLE_TOKEN = "${value}"\n`, /Codex expands no variables/],
    // An argument and a whole address are no settings of a server by their own name.
    ['c/.mcp.json', server(`{ "url": "https://mcp.example.com?api_key=${value}" }`), /not the value of a name/],
    ['d/.mcp.json', server(`{ "command": "serve", "args": ["--api-key", "${value}"] }`), /not the value of a name/],
    ['e/.mcp.json', server(headers.replace('"headers": {', '"requestInit": { "headers": {').replace(/\}$/, '} }')), '"Bearer ${GIT_HUB_AUTHORIZATION}"'],
    ['f/.mcp.json', server(headers.replace('Authorization', 'Git-Hub-Token').replace('Bearer ', '')), '"Git-Hub-Token": "${GIT_HUB_TOKEN}"'],
    ['g/.mcp.json', server(headers).replace('"git-hub"', '"git"'), '"Bearer ${GIT_AUTHORIZATION}"'],
    ['h/.mcp.json', server(headers).replace('"git-hub"', '"1"'), /not the value of a name/],
  ];
  const { root } = await scannedRepository(Object.fromEntries(files));
  for (const [file, text, expected] of files) {
    it(`${typeof expected === 'string' ? `write ${expected} into` : 'decline'} ${file}`, async () => {
      const finding = (await rescanFile(root, file, undefined, surroundings())).find(({ rule_id }) => rule_id.endsWith('-MCP-002'));
      assert.ok(finding !== undefined);
      const fix = fixByTemplate(text, finding)!;
      if (typeof expected !== 'string') return assert.match('declined' in fix ? fix.declined : JSON.stringify(fix), expected);
      assert.ok('edits' in fix, JSON.stringify(fix));
      const fixed = applyEdits(text, fix.edits)!;
      assert.ok(fixed.includes(expected) && !fixed.includes(value), fixed);
      assert.ok(!(await rescanFile(root, file, fixed, surroundings())).some(({ rule_id }) => rule_id.endsWith('-MCP-002')), fixed);
    });
  }

  it('give two servers variables of their own for the same header', () => {
    const text = `{"mcpServers": {"a": {"headers": {"Authorization": "Bearer first"}}, "b": {"headers": {"Authorization": "Bearer second"}}}}`;
    const column = text.indexOf('"Bearer second') + 1;
    const fix = fixByTemplate(text, { ...scanText('import os\nos.chmod("a", 0o777)\n')[0]!, file: '.mcp.json', rule_id: 'CODE-W2-CONFIG-MCP-002', line: 1, column });
    assert.ok(fix !== undefined && 'edits' in fix);
    assert.equal(applyEdits(text, fix.edits), text.replace('second', '${B_AUTHORIZATION}'));
  });
});

const view = (body: string): string =>
  `import os, shutil\nfrom flask import Flask, request, send_file, url_for, redirect\napp = Flask(__name__)\nUP = "/srv/files"\n@app.route("/")\ndef f():\n${body.replace(/^/gm, '    ')}\n`;
const stored = 'file = request.files["f"]\n';
const savesHere = 'file.save(os.path.join(UP, file.filename))';
const elsewhere = /used elsewhere too/;
const moreThanFiles = /name without letters would mean the folder itself/;

const names: readonly (readonly [rule: string, body: string, expected: string | RegExp])[] = [
  // An upload's name that goes elsewhere as it came.
  ...['return redirect(url_for("dl", name=file.filename))', 'return file.filename', 'db.add(file.filename)', 'return {"name": file.filename}', 'names.append(file.filename)', 'stem = os.path.splitext(file.filename)[0]', 'part = file.filename.rsplit("/", 1)[1]',
    'if db.find(file.filename):\n    return "there"', 'if os.path.exists(os.path.join(UP, file.filename)):\n    return "there"', 'x = 1 if y else file.filename'].map((use) => ['L3-024', `${stored}${savesHere}\n${use}`, elsewhere] as const),
  ...['print(file.filename)', 'app.logger.info("saved %s", file.filename)', 'if file.filename == "":\n    return "none"', 'if file and allowed_file(file.filename):\n    pass', 'while not file.filename.lower().endswith(".png"):\n    pass', 'assert file.filename',
    'ext = os.path.splitext(file.filename)[1]', 'ext = file.filename.rsplit(".", 1)[-1]', 'x = 1 if file.filename else 2'].map((use) => ['L3-024', `${stored}${savesHere}\n${use}`, 'file.save(os.path.join(UP, secure_filename(file.filename)))'] as const),
  ['L3-024', 'request.files["f"].save(os.path.join(UP, request.files["f"].filename))\nreturn request.files["f"].filename', elsewhere],
  ['L3-024', `${stored}filename = file.filename\nfile.save(os.path.join(UP, filename))\nreturn redirect(url_for("dl", name=filename))`, 'filename = secure_filename(file.filename)\n'],
  ['L3-024', `${stored}filename = file.filename\nfile.save(os.path.join(UP, filename))\nreturn file.filename`, elsewhere],
  ['L3-024', `${stored}path = os.path.join(UP, file.filename)\nfile.save(path)\nreturn path`, 'path = os.path.join(UP, secure_filename(file.filename))\n'],
  ['L3-024', `${stored}path = os.path.join(UP, file.filename)\nfile.save(dst=path)`, 'path = os.path.join(UP, secure_filename(file.filename))\n'],
  ['L3-024', `${stored}with open(f"{UP}/{file.filename}", "wb") as out:\n    out.write(file.read())`, 'with open(f"{UP}/{secure_filename(file.filename)}", "wb")'],
  // Uses of the same variable that would take the folder for the file.
  ...['shutil.rmtree(path)', 'os.rename(path, "/srv/a")', 'shutil.move(path, "/srv/a")', 'os.chmod(path, 0o600)'].map((use) => ['L3-024', `${stored}path = os.path.join(UP, file.filename)\n${use}\nfile.save(path)`, moreThanFiles] as const),
  ['L3-024', `${stored}filename = file.filename\nshutil.rmtree(os.path.join(UP, filename), True)\nfile.save(os.path.join(UP, filename))`, moreThanFiles],
  ['L3-024', `${stored}path = os.path.join(UP, file.filename)\nfile.save(path)\nread(path)\nos.remove(path)`, 'path = os.path.join(UP, secure_filename(file.filename))\n'],
  ['L3-021', 'path = os.path.join(UP, request.args["x"])\nshutil.copytree("/srv/a", path)\nreturn open(path).read()', /Only plain reads and writes|name without letters/],

  // Names that have to stay as they are, for reading and for writing under them.
  ['L3-021', 'return send_file(os.path.join(UP, request.args["x"]), as_attachment=True)', 'return send_file(safe_join(UP, request.args["x"]) or abort(404), as_attachment=True)'],
  ['L3-021', 'with open(os.path.join(UP, request.args["x"]), "w") as out:\n    out.write("a")', 'with open(safe_join(UP, request.args["x"]) or abort(404), "w") as out:'],
  ['L3-021', 'with open(os.path.join(UP, request.args["x"]), mode="rb") as out:\n    pass', 'safe_join(UP, request.args["x"]) or abort(404), mode="rb"'],
  ['L3-021', 'return open(os.path.join(UP, f"{request.args[\'x\']}.txt")).read()', 'open(safe_join(UP, f"{request.args[\'x\']}.txt") or abort(404))'],
  ['L3-021', 'return open(f"/srv/files/{request.args[\'x\']}").read()', 'open(safe_join("/srv/files/", request.args[\'x\']) or abort(404))'],
  ['L3-021', 'return open(UP + "/" + request.args["x"]).read()', 'open(safe_join(UP + "/", request.args["x"]) or abort(404))'],
  ['L3-021', 'return open(f"/srv/files/{request.args.get(\'x\')}").read()', 'open(safe_join("/srv/files/", str(request.args.get(\'x\'))) or abort(404))'],
  ['L3-021', 'return send_file(path_or_file=os.path.join(UP, request.args["x"]))', 'send_file(path_or_file=safe_join(UP, request.args["x"]) or abort(404))'],
  ['L3-021', 'return open("/srv/file-" + request.args["x"]).read()', /Which part of the path/],
  ['L3-021', 'return open("/srv/files/%s" % request.args["x"]).read()', /Which part of the path/],
  ['L3-021', 'return open("/srv/files/" + ("a/" + request.args["x"])).read()', /Which part of the path/],
  ['L3-021', 'return open("/srv/" f"files/{request.args[\'x\']}" "").read()', /Which part of the path/],
  ['L3-021', 'return open(os.path.join(request.args["x"])).read()', /Which part of the path/],
  // Everything that is no plain read or write of one file.
  ...['shutil.rmtree(P)', 'os.remove(P)', 'os.listdir(P)', 'os.chmod(P, 0o600)', 'os.mkdir(P)', 'shutil.move(P, "/srv/a")', 'shutil.copytree(P, "/srv/a")', 'os.open(P, os.O_RDWR)', 'open(P, "r+")', 'open(P, mode)', 'open(P, **options)'].map((use) =>
    ['L3-021', use.replace('P', 'os.path.join(UP, request.args["x"])'), /Only plain reads and writes/] as const),
];

describe('the template of paths, where a changed name would lose the file or mean the folder', () => {
  for (const [rule, body, expected] of names) {
    it(`${rule}: ${typeof expected === 'string' ? 'fix' : 'decline'} ${JSON.stringify(body)}`, async () => {
      const fixed = await fixedText(view(body), `CODE-W1-${rule}`);
      if (typeof expected === 'string') assert.ok(fixed.includes(expected) && !fixed.startsWith('declined'), fixed);
      else assert.match(fixed, new RegExp(`^declined: .*(?:${expected.source})`));
    });
  }

  it('says that uploads may come to one name, and that other names stay', () => {
    for (const [rule, body, part] of [['L3-024', `${stored}${savesHere}`, /two uploads may come to one name/], ['L3-021', 'return send_file(os.path.join(UP, request.args["x"]))', /every other stays as it is/]] as const) {
      const text = view(body);
      const fix = fixByTemplate(text, scanText(text).find(({ rule_id }) => rule_id.endsWith(rule))!);
      assert.ok(fix !== undefined && 'rationale' in fix);
      assert.match(fix.rationale, part);
    }
  });

  it('aborts by werkzeug where Flask is not at hand, and declines where its names mean something else', async () => {
    const code = 'from werkzeug.wrappers import Request\nimport os\ndef f(request):\n    return open(os.path.join("/srv", Request(request).args["x"])).read()\n';
    assert.match(await fixedText(code, 'CODE-W1-L3-021'), /from werkzeug\.exceptions import abort\n[^]*safe_join\("\/srv", Request/);
    assert.match(await fixedText(`${view('return send_file(os.path.join(UP, request.args["x"]))')}def abort(): pass\n`, 'CODE-W1-L3-021'), /^declined: The name safe_join or abort/);
    assert.match(await fixedText(`${view(`${stored}${savesHere}`)}def secure_filename(): pass\n`, 'CODE-W1-L3-024'), /^declined: The name secure_filename/);
  });
});
