import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseNotebook, type NotebookCell } from '../../lib/syntax/notebook.ts';

const code = (source: unknown): object => ({ cell_type: 'code', execution_count: 1, metadata: { source: 'no' }, outputs: [{ output_type: 'stream', text: ['"cells"'], data: { source: ['no'] } }], source });
const notebook = (...cells: readonly object[]): string => JSON.stringify({ metadata: { cells: [{ source: 'no' }] }, nbformat: 4, cells }, undefined, 1);
const read = (text: string): readonly NotebookCell[] => {
  const cells = parseNotebook(text);
  assert.ok(Array.isArray(cells), String(cells));
  return cells;
};
const only = (source: unknown): string => read(notebook(code(source)))[0]!.source;

describe('a notebook', () => {
  it('gives the source of its code cells with their place among all cells', () => {
    const text = notebook({ cell_type: 'markdown', source: ['# a'] }, code(['import os\n', 'os.f("é\\t")']), code('x = 1'), code([]));
    assert.deepEqual(read(text).map(({ cellIndex, source }) => [cellIndex, source]), [[1, 'import os\nos.f("é\\t")'], [2, 'x = 1'], [3, '']]);
  });

  it('finds the way back to lines and columns of its own text', () => {
    const text = notebook(code(['a = "x\\n"\n', '\tcall(1)\n', '"é" + b']));
    const [cell] = read(text);
    for (const word of ['a =', 'call(1)', '+ b']) {
      const at = text.indexOf(word);
      const before = text.slice(0, at).split('\n');
      const offset = cell!.source.indexOf(word);
      assert.deepEqual([cell!.offsetAt(offset), cell!.lineAt(offset), cell!.columnAt(offset)], [at, before.length, before.at(-1)!.length + 1]);
    }
  });

  it('maps every character of any source to the JSON text that wrote it', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 1, maxLength: 4 }), (pieces) => {
        const source = `x${pieces.join('')}`;
        const text = notebook(code([`x${pieces[0]!}`, ...pieces.slice(1)]));
        const [cell] = read(text);
        for (let offset = 0; offset < source.length; offset += 1) {
          const at = cell!.offsetAt(offset);
          const written = /^(?:\\u.{4}|\\.|[^])/.exec(text.slice(at))![0];
          assert.equal(JSON.parse(`"${written}"`), source[offset]);
        }
      }),
    );
  });

  it('says why a text is no notebook', () => {
    for (const text of ['', '{"cells": [']) assert.equal(parseNotebook(text), 'is not valid JSON');
    for (const text of ['[]', 'null', '"cells"', '3']) assert.equal(parseNotebook(text), 'is no JSON object');
    for (const text of ['{}', '{"cells": 1}', '{"cells": {"0": {"source": "x"}}}', '{"worksheets": {}}']) assert.equal(parseNotebook(text), 'has no list of cells as nbformat 3 and 4 do');
  });

  it('reads the worksheets of nbformat 3', () => {
    const cell = (input: unknown, language = 'python'): object => ({ cell_type: 'code', collapsed: false, input, language, metadata: {}, outputs: [{ text: ['no'] }] });
    const text = JSON.stringify({ metadata: { name: '' }, nbformat: 3, worksheets: [{ cells: [cell(['a()\n', 'b()']), { cell_type: 'markdown', source: 'no' }] }, { cells: [cell('d()', 'julia'), cell('c()')] }] });
    assert.deepEqual(read(text).map(({ cellIndex, source }) => [cellIndex, source]), [[0, 'a()\nb()'], [3, 'c()']]);
  });

  it('has no cells where none is an object or the language is another', () => {
    for (const text of ['{"": "", "cells": ["a"]}',
      '{"metadata": {"kernelspec": {"language": "R"}}, "cells": [{"cell_type": "code", "source": "x"}]}',
      '{"metadata": {"language_info": {"name": "julia"}}, "cells": [{"cell_type": "code", "source": "x"}]}']) assert.deepEqual(parseNotebook(text), []);
  });

  it('reads a text with a byte order mark and stands deep nesting', () => {
    const text = `\ufeff{"x": ${'['.repeat(5000)}${']'.repeat(5000)}, "cells": [{"source": ["a\\\\", "b"], "cell_type": "code"}], "metadata": {"language_info": {"name": "ipython"}}}`;
    assert.deepEqual(read(text).map(({ source }) => source), ['a\\b']);
  });
});

describe('IPython in a cell', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['%time f()\nx', 'pass ;f()\nx'],
    ['if a:\n  %timeit -n 10 -r3 f()\nx', 'if a:\n  pass             ;f()\nx'],
    ['%prun -s cumulative f()', 'pass               ;f()'],
    ['%%timeit x = f()\ng(x)', 'pass    ;x = f()\ng(x)'],
    ['%%capture out\ng(x)', '             \ng(x)'],
    ['t = %timeit -o f()', 't =            f()'],
    ['%timeit', '       '],
    ['!ls -l\nx', '      \nx'],
    ['f?\na.b??\n?f\nx', '  \n     \n  \nx'],
    ['if a:\n    !ls -l\n    %x\n', 'if a:\n    pass  \n      \n'],
    ['a = !ls\nb = %sql x\nc = d % e', 'a = _  \nb = _     \nc = d % e'],
    ['%%bash\nrm -rf x\n', '      \n        \n'],
    ['%%time\nf()\n', '      \nf()\n'],
    ['x = (a\n  % b)\ny = """\n%s\n"""\nz = "a\\\n%s"\n%t', 'x = (a\n  % b)\ny = """\n%s\n"""\nz = "a\\\n%s"\n  '],
    ['a \\\n% b\n# (\n%x\n', 'a \\\n% b\n# (\n  \n'],
    ['a = """open\n%x', 'a = """open\n%x'],
    ['a != b\nx: y', 'a != b\nx: y'],
  ];
  for (const [source, expected] of cases) it(`is overwritten in ${JSON.stringify(source)}`, () => assert.equal(only(source), expected));
});
