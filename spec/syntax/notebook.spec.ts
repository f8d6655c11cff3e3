import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseNotebook } from '../../lib/syntax/notebook.ts';

const code = (source: unknown): object => ({ cell_type: 'code', execution_count: 1, metadata: { source: 'no' }, outputs: [{ output_type: 'stream', text: ['"cells"'], data: { source: ['no'] } }], source });
const notebook = (...cells: readonly object[]): string => JSON.stringify({ metadata: { cells: [{ source: 'no' }] }, nbformat: 4, cells }, undefined, 1);
const only = (source: unknown): string => parseNotebook(notebook(code(source)))![0]!.source;

describe('a notebook', () => {
  it('gives the source of its code cells with their place among all cells', () => {
    const text = notebook({ cell_type: 'markdown', source: ['# a'] }, code(['import os\n', 'os.f("é\\t")']), code('x = 1'), code([]));
    assert.deepEqual(parseNotebook(text)!.map(({ cellIndex, source }) => [cellIndex, source]), [[1, 'import os\nos.f("é\\t")'], [2, 'x = 1'], [3, '']]);
  });

  it('finds the way back to lines and columns of its own text', () => {
    const text = notebook(code(['a = "x\\n"\n', '\tcall(1)\n', '"é" + b']));
    const [cell] = parseNotebook(text)!;
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
        const [cell] = parseNotebook(text)!;
        for (let offset = 0; offset < source.length; offset += 1) {
          const at = cell!.offsetAt(offset);
          const written = /^(?:\\u.{4}|\\.|[^])/.exec(text.slice(at))![0];
          assert.equal(JSON.parse(`"${written}"`), source[offset]);
        }
      }),
    );
  });

  it('is undefined for broken JSON and for what is no object', () => {
    for (const text of ['', '{"cells": [', '[]', 'null', '"cells"', '3']) assert.equal(parseNotebook(text), undefined);
  });

  it('has no cells without a list of them or in another language', () => {
    for (const text of ['{}', '{"cells": 1}', '{"cells": {"0": {"source": "x"}}}', '{"": "", "cells": ["a"]}',
      '{"metadata": {"kernelspec": {"language": "R"}}, "cells": [{"cell_type": "code", "source": "x"}]}',
      '{"metadata": {"language_info": {"name": "julia"}}, "cells": [{"cell_type": "code", "source": "x"}]}']) assert.deepEqual(parseNotebook(text), []);
  });

  it('reads a text with a byte order mark and stands deep nesting', () => {
    const text = `\ufeff{"x": ${'['.repeat(5000)}${']'.repeat(5000)}, "cells": [{"source": ["a\\\\", "b"], "cell_type": "code"}], "metadata": {"language_info": {"name": "ipython"}}}`;
    assert.deepEqual(parseNotebook(text)!.map(({ source }) => source), ['a\\b']);
  });
});

describe('IPython in a cell', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['%time f()\nx', '         \nx'],
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
