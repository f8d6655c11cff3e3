import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { statementLines } from '../../../lib/families/gadriel/domain/statement-lines.ts';
import { parsePython } from '../../../lib/syntax/python.ts';

const linesOf = (source: string, here = 'here'): readonly [number, number] => {
  const { firstLine, lastLine } = statementLines(parsePython(source), source.indexOf(here));
  return [firstLine, lastLine];
};

describe('statementLines', () => {
  const cases: readonly (readonly [string, string, readonly [number, number]])[] = [
    ['a simple statement', 'a\nhere()\nb\n', [2, 2]],
    ['a statement of several lines', 'a\nf(\n  here,\n  b,\n)\n', [2, 5]],
    ['a statement that ends with the file', 'f(\n  here', [1, 2]],
    ['a multi-line string', 'x = """\nhere\n"""\n', [1, 3]],
    ['the header of a block', 'if (a or\n    here):\n    b\n    c\n', [1, 2]],
    ['the header of a block of one line', 'if here: a; b\n', [1, 1]],
    ['a header with a blank line below', 'if here:\n\n    a\n', [1, 2]],
    ['a decorated function', '@d(\n  here\n)\ndef f():\n    pass\n', [1, 4]],
    ['a statement in a function in a class', 'class A:\n  def f(self):\n    g(\n      here)\n', [3, 4]],
    ['an except clause, of which only its own line is known', 'try:\n    a\nexcept here:\n    b\n', [3, 3]],
    ['a case clause', 'match a:\n    case 1:\n        b\n    case here.X:\n        c\n', [4, 4]],
    ['a comment between statements, which has its own line', 'a\n# here\nb\n', [2, 2]],
    ['a comment between statements of a block', 'if a:\n    b\n    # here\n    c\n', [3, 3]],
  ];
  for (const [title, source, lines] of cases) {
    it(`gives the lines of ${title}`, () => assert.deepEqual(linesOf(source), lines));
  }

  it('gives the own line of the offset in an empty module', () => {
    assert.deepEqual(linesOf('\n\n# here'), [3, 3]);
  });

  it('holds the line of every offset of any text', () => {
    const word = fc.constantFrom('if a:', 'else:', 'f(', ')', '"""', 'x = 1', '    ', '\n', '\n    ', 'def g():', '# c', ';', 'try:', 'except E:', 'match a:', 'case 1:', '@d');
    fc.assert(fc.property(fc.array(word, { maxLength: 25 }), (words) => {
      const source = words.join('');
      const module = parsePython(source);
      for (let offset = 0; offset < source.length; offset++) {
        const { firstLine, lastLine } = statementLines(module, offset);
        const line = module.lineAt(offset);
        assert.ok(firstLine <= line && line <= lastLine, `${JSON.stringify(source)} at ${offset}: ${firstLine}-${lastLine} without ${line}`);
      }
    }), { numRuns: 300 });
  });
});
