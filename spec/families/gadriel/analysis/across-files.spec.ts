import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { createAnalyser } from '../../../../lib/families/gadriel/domain/analysis/analyser.ts';
import type { AnalyseOptions, AnalysisResult, OpenAnalysis } from '../../../../lib/families/gadriel/domain/analysis/model.types.ts';
import { parsePython } from '../../../../lib/syntax/python.ts';

/** Analyses modules in order, each seeing those before it; gives the results of all, taken at the end. */
const scan = (modules: Readonly<Record<string, string>>, options: AnalyseOptions = {}): Record<string, AnalysisResult> => {
  const opened = new Map<string, OpenAnalysis>();
  const analyser = createAnalyser({ matchers: [{ calls: ['sink'], onCall: (event) => {
    const value = event.arg(0);
    if (value !== undefined && value.level > 0) event.report({ ruleId: 'R', value });
  } }] });
  for (const [name, text] of Object.entries(modules)) {
    const open = analyser.open(parsePython(text), { ...options, path: `${name}.py`, resolveImport: (qualified) => {
      const dot = qualified.lastIndexOf('.');
      return opened.get(qualified.slice(0, dot).replace(/^\.+/, ''))?.exported(qualified.slice(dot + 1));
    } });
    opened.set(name, open);
    open.start();
    open.finish();
  }
  return Object.fromEntries([...opened].map(([name, open]) => [name, open.result()]));
};

describe('analysis across files', () => {
  for (const [what, text] of [
    ['a from-import', 'from tools import go\ngo(input())'],
    ['a relative from-import', 'from .tools import go\ngo(input())'],
    ['a module', 'import tools\ntools.go(input())'],
    ['a class', 'from tools import Tool\nTool().go(input())'],
  ] as const) {
    it(`reports a sink behind ${what} in its own file, with the call in the trace`, () => {
      const { tools } = scan({ tools: 'def go(cmd):\n    sink(cmd)\nclass Tool:\n    def go(self, cmd):\n        go(cmd)\n', main: text });
      assert.equal(tools?.findings[0]?.level, 2);
      const steps = tools?.findings[0]?.trace ?? [];
      assert.deepEqual(steps.slice(0, 2).map(({ path, line }) => [path, line > 0]), [['main.py', true], ['main.py', true]]);
      assert.match(steps[1]?.note ?? '', /passed to/);
    });
  }

  it('takes what comes back from another file', () => {
    const { main } = scan({ tools: 'from flask import request\ndef read(): return request.args["q"]\ndef clean(x): return int(x)\nNAME = "a"\n', main: 'from tools import read, clean, NAME\nsink(read())\nsink(clean(read()))\nsink(NAME)' });
    assert.deepEqual(main?.findings.map((finding) => [finding.start, finding.level, finding.trace[0]?.path]), [[36, 2, 'tools.py']]);
  });

  it('goes no deeper than four calls and survives a spent budget', () => {
    const chain = Array.from({ length: 7 }, (_, at) => [`m${at}`, at === 0 ? 'def f0(x):\n    sink(x)\n' : `from m${at - 1} import f${at - 1}\ndef f${at}(x):\n    f${at - 1}(x)\n`]);
    const deep = scan({ ...Object.fromEntries(chain), main: 'from m6 import f6\nf6(input())' });
    assert.equal(deep['m0']?.findings[0]?.level, 1);
    const near = scan({ ...Object.fromEntries(chain.slice(0, 3)), main: 'from m2 import f2\nf2(input())' });
    assert.equal(near['m0']?.findings[0]?.level, 2);
    const poor = scan({ tools: 'def go(x):\n    for i in x:\n        sink(x)\n', main: 'from tools import go\nfor i in y:\n    go(input())\n    z = i\n' }, { budget: 14 });
    assert.equal(poor['main']?.incomplete, undefined);
  });

  it('leaves names alone that the resolver does not know', () => {
    const { main } = scan({ main: 'import other\nfrom more import thing\nother.go(sink(thing))' });
    assert.equal(main?.findings.length, 1);
  });
});
