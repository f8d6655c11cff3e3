import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scanSource, type Source, type SourceScan } from '../../../lib/families/gadriel/domain/scan-source.ts';
import { githubToken, sampleSecrets } from './support/sample-secrets.ts';

const scan = (text: string, members: Partial<Source> = {}): SourceScan =>
  scanSource({ text, path: 'src/a.py', kind: 'python', language: 'python', profile: 'default', ...members });
const scanOther = (text: string, language: string): SourceScan => scan(text, { kind: 'other', language, path: `a.${language}` });
const places = ({ findings }: SourceScan): (readonly [string, number, number])[] => findings.map(({ rule_id, line, column }) => [rule_id.slice(8), line, column]);

/** A notebook of code cells, one element of `source` a line, as Jupyter writes it. */
const notebook = (cells: readonly (readonly [type: string, source: string])[], indent = 1): string =>
  JSON.stringify({ cells: cells.map(([cell_type, source]) => ({ cell_type, metadata: {}, source: source.match(/.*\n|.+$/g) })), metadata: {}, nbformat: 4, nbformat_minor: 5 }, undefined, indent);
const scanNotebook = (text: string): SourceScan => scan(text, { kind: 'notebook', language: 'jupyter', path: 'a.ipynb' });

describe('scanSource on Python', () => {
  it('leaves a password in a literal to the secret detectors where they see one, also in the audit profile', () => {
    const ids = (text: string): readonly string[] => scan(text, { profile: 'audit' }).findings.map(({ rule_id }) => rule_id);
    assert.deepEqual(ids('password = "hunter2"\n'), ['CODE-W1-SECRET-076']);
    assert.deepEqual(ids('password = "open"\n'), ['CODE-W1-L3-045']);
  });

  it('finds flaws and secrets of one text, in order of line', () => {
    const source = `import os, sys\ntoken = "${githubToken(1)}"\nos.system("ls " + sys.argv[1])\n`;
    assert.deepEqual(places(scan(source)), [['SECRET-004', 2, 10], ['L3-003', 3, 1]]);
  });

  it('counts columns in UTF-16 code units and lines by any line end', () => {
    assert.deepEqual(places(scan('import sys\r\n"😀"; eval(sys.argv[1])\r')), [['L3-002', 2, 7]]);
    assert.deepEqual(places(scan(`a\rb\r\nc\n\r"😀"; t = "${githubToken(1)}"; eval(input())\r`)), [['L3-002', 5, 55], ['SECRET-004', 5, 12]]);
    assert.deepEqual(places(scanOther(`a\r\rt: ${githubToken(1)}\r`, 'yaml')), [['SECRET-004', 3, 4]]);
  });

  it('silences flaws and secrets by the comments of their statement', () => {
    const [token, run] = [`token = "${githubToken(1)}"`, 'os.system("ls " + sys.argv[1])'];
    const silenced = (first: string, second: string): string[] => scan(`import os, sys\n${token}${first}\n${run}${second}\n`).findings.map(({ rule_id }) => rule_id.slice(8));
    assert.deepEqual(silenced('  # nosec', '  # nosec'), []);
    assert.deepEqual(silenced('  # gitleaks:allow', '  # gitleaks:allow'), ['L3-003']);
    assert.deepEqual(silenced('  # noqa: S605', '  # noqa: S605'), ['SECRET-004']);
    assert.deepEqual(silenced('  # gadriel:ignore[SECRET-004] sample', '  # gadriel:ignore[L3-003] fixed words'), []);
    assert.deepEqual(silenced('; "# nosec"', '; "# nosec"'), ['SECRET-004', 'L3-003']);
  });

  it('silences a secret behind the multi-line string that holds it', () => {
    const source = (tail: string): string => `cfg = """\n  token: ${githubToken(1)}\n"""${tail}\n`;
    assert.equal(scan(source('')).findings.length, 1);
    assert.equal(scan(source('  # pragma: allowlist secret')).findings.length, 0);
  });

  it('keeps ids when lines move, and gives equal lines different ones', () => {
    const line = 'eval(sys.argv[1])\n';
    const ids = (source: string): string[] => scan(source).findings.map(({ finding_id }) => finding_id);
    const [first, second] = ids(`import sys\n${line}${line}`);
    assert.notEqual(first, second);
    assert.deepEqual(ids(`"""doc"""\n\nimport sys\n# moved\n${line}\n\n${line}`), [first, second]);
    assert.deepEqual(ids(`import sys\nif True:\n    ${line}`), [first]);
  });

  it('gives the same for the same text', () => {
    const source = `import sys\nt = "${githubToken(1)}"\nu = "${githubToken(1)}"\neval(sys.argv[1])\n`;
    assert.deepEqual(scan(source), scan(source));
  });
});

describe('scanSource on half-typed Python', () => {
  const openAboveDef = ['@app.route("/a", methods=["GET"', '@foo({"a":', '@foo(a[', '@foo((', '@foo([1, 2', '@pytest.mark.parametrize("a", [', 'class A(B['];
  for (const open of openAboveDef) {
    it(`finds what stands in the functions below ${open}`, () => {
      const text = `import os\nfrom flask import request\n\n${open}\ndef a():\n    return "x"\n\n@app.route("/b")\ndef b():\n    host = request.args["host"]\n    os.system("ping " + host)\n`;
      assert.deepEqual(places(scan(text)), [['L3-003', 11, 5]]);
    });
  }

  it('finds what stands below a bracket that was never closed', () => {
    for (const line of ['print("a", x', 'd = {"a": 1', 'class', 'match x:\n  case "s" "t": f()', "x = f'{y"]) {
      const source = `import os\n${line}\nos.system("6" + input())\nos.system("7" + input())\n`;
      assert.deepEqual(scan(source).findings.map(({ rule_id, line: at }) => [rule_id.slice(8), source.split('\n')[at - 1]!.slice(0, 13)]), [['L3-003', 'os.system("6"'], ['L3-003', 'os.system("7"']], line);
    }
  });

  it('says where it gave a text up', () => {
    assert.match(scan(`import os\n${'lorem ipsum dolor '.repeat(20_000)}\n`).incomplete ?? '', /^from line 2 on the text is too unlike Python/);
  });
});

describe('scanSource on other text', () => {
  it('searches for secrets alone', () => {
    assert.deepEqual(places(scanOther(`token: ${githubToken(1)}\neval(input())\n`, 'yaml')), [['SECRET-004', 1, 8]]);
  });

  it('heeds comments of the language', () => {
    const line = (tail: string): string => `token = "${githubToken(1)}"${tail}\n`;
    const count = (text: string, language: string): number => scanOther(text, language).findings.length;
    assert.equal(count(line(' # gitleaks:allow'), 'toml'), 0);
    assert.equal(count(line('; // gitleaks:allow'), 'javascript'), 0);
    assert.equal(count(line('; /* gitleaks:allow */'), 'typescript'), 0);
    assert.equal(count(line('; "// gitleaks:allow"'), 'javascript'), 1);
    assert.equal(count(line('\n# gitleaks:allow'), 'toml'), 1);
  });
});

describe('a secret that is a name of the code', () => {
  const token = githubToken(7);
  const places: readonly (readonly [string, string])[] = [
    ['a variable', `import os\n${token} = input()\nos.system(${token})\n`],
    ['a function', `import os\ndef ${token}(x):\n    os.system(x)\n${token}(input())\n`],
    ['a parameter', `import os\ndef run(${token}):\n    os.system(${token})\nrun(input())\n`],
    ['a module', `import ${token} as o\nfrom flask import request\no.execute("select " + request.args["x"])\n`],
  ];
  for (const [title, text] of places) {
    it(`does not get into the answer as the name of ${title}`, () => {
      const { findings } = scan(text);
      assert.ok(findings.length > 0);
      assert.ok(!JSON.stringify(findings).includes(token));
    });
  }
});

describe('scanSource on notebooks', () => {
  const cells = [['markdown', '# eval(input())'], ['code', 'import os, sys\nos.system("ls " + sys.argv[1])\n'], ['code', 'eval(input())']] as const;

  it('says that the code of a broken notebook was not analysed', () => {
    const broken = '{"cells":[{"cell_type":"code","source":["import os\\n","os.system(input())\\n"]},';
    assert.deepEqual(scanNotebook(broken), {
      findings: [],
      sast: false,
      incomplete: 'the notebook is not valid JSON, so its code was not analysed',
    });
  });

  it('analyses the Python cells and names cell and line, at their place in the file', () => {
    const text = notebook(cells);
    const { findings } = scanNotebook(text);
    assert.deepEqual(findings.map(({ rule_id, tags, message }) => [rule_id.slice(8), tags.at(-1), /\(cell \d+, line \d+\)$/.exec(message)?.[0]]), [
      ['L3-003', 'cell:2', '(cell 2, line 2)'],
      ['L3-002', 'cell:3', '(cell 3, line 1)'],
    ]);
    const lines = text.split('\n');
    for (const { line, column, end_line, end_column } of findings) {
      assert.equal(line, end_line);
      assert.match((lines[line - 1] ?? '').slice(column - 1, end_column - 1), /^(?:os\.system|eval)\(.*\)$/);
    }
    for (const { line } of findings.flatMap(({ trace }) => trace)) assert.match(lines[line - 1] ?? '', /sys\.argv|input/);
  });

  it('knows in each cell what those before it brought, whatever is broken between', () => {
    const found = (...sources: readonly string[]): unknown[] => scanNotebook(notebook(sources.map((source) => ['code', source] as const))).findings
      .map(({ rule_id, tags, message, trace }) => [rule_id.slice(8), tags.at(-1), /\(cell.*$/.exec(message)?.[0], trace.length > 0]);
    const expected = [['L3-003', 'cell:3', '(cell 3, line 1)', true]];
    for (const between of ['x = 1', 'print("a", x', 'x = """open', 'def f(', '%%bash\nls "', '']) assert.deepEqual(found('import os\nq = input()', between, 'os.system(q)'), expected, between);
    assert.deepEqual(found('import os', 'os.system(input())  # nosec', 'eval(input())'), [['L3-002', 'cell:3', '(cell 3, line 1)', true]]);
    assert.deepEqual(found('import os  # nosec', '', 'os.system(input())\n'), expected);
  });

  it('sees the Python behind magics', () => {
    for (const magic of ['%time ', '%timeit -n 3 ', '%prun ', '%%time ', '%%timeit ', '%%time\n', '%%capture out\n', 'x = %time ']) {
      const text = notebook([['code', 'import os'], ['code', `${magic}os.system(input())`]]);
      const { findings } = scanNotebook(text);
      assert.deepEqual(findings.map(({ rule_id }) => rule_id.slice(8)), ['L3-003'], magic);
      const { line, column, end_column } = findings[0]!;
      assert.equal(text.split('\n')[line - 1]!.slice(column - 1, end_column - 1), 'os.system(input())');
    }
  });

  it('names the cell of a secret, and none where it is in no Python cell', () => {
    const { findings } = scanNotebook(notebook([['markdown', githubToken(2)], ['code', `x = 1\nt = "${githubToken(1)}"`]]));
    assert.deepEqual(findings.map(({ tags, message }) => [tags.filter((tag) => tag.startsWith('cell:')), message.endsWith(' (cell 2, line 2)')]), [[[], false], [['cell:2'], true]]);
  });

  it('reads notebooks of nbformat 3, and says so where it knows no cells', () => {
    const old = { metadata: {}, nbformat: 3, worksheets: [{ cells: [{ cell_type: 'code', language: 'python', input: ['import os\n', 'os.system(input())'] }] }] };
    assert.deepEqual(scanNotebook(JSON.stringify(old)).findings.map(({ rule_id }) => rule_id.slice(8)), ['L3-003']);
    assert.deepEqual(scanNotebook('{"nbformat": 5, "pages": []}'), { findings: [], sast: false, incomplete: 'the notebook has no list of cells as nbformat 3 and 4 do, so its code was not analysed' });
  });

  it('names the same cells in a notebook without line breaks', () => {
    const { findings } = scanNotebook(notebook(cells, 0));
    assert.deepEqual(findings.map(({ line, rule_id, tags }) => [line, rule_id.slice(8), tags.at(-1)]), [[1, 'L3-002', 'cell:3'], [1, 'L3-003', 'cell:2']]);
  });

  it('heeds the comments of a cell, for flaws and for secrets', () => {
    const token = githubToken(1);
    for (const indent of [0, 1]) {
      const loud = notebook([['code', `eval(input())\nt = "${token}"\n# nosec\n`], ['code', '# nosec']], indent);
      assert.deepEqual(scanNotebook(loud).findings.map(({ rule_id }) => rule_id.slice(8)).sort(), ['L3-002', 'SECRET-004']);
      const quiet = notebook([['markdown', `${'text "" \\n '.repeat(9)}`], ['code', `eval(input())  # nosec\nt = "${token}"  # nosec\n`]], indent);
      assert.deepEqual(scanNotebook(quiet).findings, []);
      const half = notebook([['code', `t = "${token}"  # gitleaks:allow\n`], ['code', `"\\n"; u = "${token}"\n`], ['markdown', token]], indent);
      assert.equal(scanNotebook(half).findings.length, 2);
    }
  });

  it('searches a file that is no notebook at all for secrets', () => {
    assert.deepEqual(places(scanNotebook(`{"cells": [ "${githubToken(1)}"`)), [['SECRET-004', 1, 14]]);
    assert.deepEqual(scanNotebook('').findings, []);
  });
});

const pieces = fc.array(fc.constantFrom(
  'import os, sys, subprocess\n', 'x = input()\n', 'eval(', 'os.system(f"{', '}")', '"', "'", '\n', '# nosec', '{', '}', 'def f(a):\n', '    ', '\ud800', '\u202e', '\u001b[31m',
  'password', ' = ', 'subprocess.run(x, shell=True)\n', '```', '\0', 'cursor.execute("select " + x)\n',
), { maxLength: 14 });
const kinds = [
  { kind: 'python', language: 'python', path: 'a.py' }, { kind: 'other', language: 'javascript', path: 'a.js' }, { kind: 'other', language: 'yaml', path: 'a.yml' },
  { kind: 'other', language: 'unknown', path: 'a' }, { kind: 'notebook', language: 'jupyter', path: 'a.ipynb' },
] as const;

describe('every result', () => {
  it('has findings in order whose places lie in the text and whose ids differ', () => {
    const text = fc.tuple(pieces, fc.string({ unit: 'binary', maxLength: 8 }), pieces).map(([before, between, after]) => [...before, between, ...after].join(''));
    fc.assert(fc.property(text, fc.constantFrom(...kinds), fc.nat(99), (body, members, seed) => {
      const source = `${body}\n${sampleSecrets(seed)[seed % 9]?.line}\neval(input())\n${body}`;
      const file = members.kind === 'notebook' ? notebook([['code', source]]) : source;
      const { findings } = scan(file, members);
      const lines = file.split(/\r\n|\r|\n/);
      for (const { line, column, end_line, end_column } of findings) {
        assert.ok(column >= 1 && column <= (lines[line - 1]?.length ?? -1) + 1, `${line}:${column} in ${JSON.stringify(source)}`);
        assert.ok(end_line > line || (end_line === line && end_column > column), `${line}:${column}-${end_line}:${end_column} in ${JSON.stringify(source)}`);
        assert.ok(end_column <= (lines[end_line - 1]?.length ?? -1) + 1);
      }
      const keys = findings.map(({ line, rule_id, column }) => `${String(line).padStart(6)} ${rule_id} ${String(column).padStart(6)}`);
      assert.deepEqual(keys, [...keys].sort());
      assert.equal(new Set(findings.map(({ fingerprint }) => fingerprint)).size, findings.length);
    }), { numRuns: 400 });
  });
});

describe('no result', () => {
  it('holds a secret, and each sample secret of a Python file is found', () => {
    fc.assert(fc.property(fc.nat(9_999), pieces, pieces, (seed, before, after) => {
      for (const { secret, line } of sampleSecrets(seed)) {
        assert.ok(scan(`${line}\n`).findings.length > 0, line);
        const text = `${before.join('')}\n${line}\n${after.join('')}${line}\neval(${line.split('"')[0] ?? ''}"${secret}" + input())\nopen("${secret}" + input())\n`;
        for (const members of kinds) {
          assert.ok(!JSON.stringify(scan(text, members)).includes(secret), `${members.path}: ${text}`);
          if (members.kind === 'notebook') assert.ok(!JSON.stringify(scan(notebook([['code', text]]), members)).includes(secret));
        }
      }
    }), { numRuns: 40 });
  });

  it('carries control, bidi or lone surrogate characters of the code in a message or note', () => {
    const hostile = 'import os, sys\n\u202eos.system("\u001b[2J\u202e" + sys.argv[1])\nx\u200b = input()\neval(x\u200b)\nopen("\ud800" + input())\nos.system(f"\u001b]0;{sys.argv[1]}")\n';
    for (const members of kinds) {
      for (const { title, message, remediation, trace } of scan(hostile, members).findings) {
        for (const text of [title, message, remediation, ...trace.map(({ note }) => note)]) assert.doesNotMatch(text, /[\p{Cc}\p{Cf}\p{Cs}]/u);
      }
    }
    assert.ok(scan(hostile).findings.length > 0);
  });
});

describe('hostile sizes', () => {
  // Each takes a second or less; where the work grows with the square of the size, minutes.
  const cases: Readonly<Record<string, () => string>> = {
    'many findings in one line': () => `import sys;${'eval(sys.argv[1]);'.repeat(6_000)}`,
    'many findings in a statement of many lines': () => `import sys\nx = [\n${'eval(sys.argv[1]), # nosec B999\n'.repeat(6_000)}]\n`,
    'many triple-quoted strings in one line': () => `${'"""a'.repeat(1_000_000)}\n${'eval(input())\n'.repeat(3_000)}`,
    'many secrets in a statement of many lines': () => `x = {\n${Array.from({ length: 3_000 }, (_, index) => `"t${index}": "${githubToken(index)}",  # nosec B999\n`).join('')}}\n`,
  };
  for (const [title, make] of Object.entries(cases)) {
    it(`do not slow the scan down: ${title}`, () => {
      const started = performance.now();
      assert.ok(scan(make()).findings.length >= 3_000);
      assert.ok(performance.now() - started < 20_000);
    });
  }
});
