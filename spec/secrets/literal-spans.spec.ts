import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { literalSpans } from '../../lib/secrets/literal-spans.ts';

/** Each span as its text, comments marked. */
const spans = (text: string, language: string): string[] => literalSpans(text, language).map(({ start, end, kind }) => (kind === 'comment' ? '~' : '') + text.slice(start, end));

describe('literalSpans', () => {
  const cases: [language: string, text: string, expected: string[]][] = [
    ['python', 'a = "x" + \'y\' # "z"\nb', ['"x"', '\'y\'', '~# "z"']],
    ['python', 'a = """x\n"y" # no\n"""; b = \'\'', ['"""x\n"y" # no\n"""', '\'\'']],
    ['python', 'a = "x\\"y" + r\'\\\\\'', ['"x\\"y"', '\'\\\\\'']],
    ['python', 'a = "open\nb = "x"', ['"open', '"x"']],
    ['python', '"""open\n', ['"""open\n']],
    ['javascript', 'a = `x\n"y"`; // `z`\n/* "w"\n */ b = "v"', ['`x\n"y"`', '~// `z`', '~/* "w"\n */', '"v"']],
    ['javascript', 'a = b / c + "x"; d = /["/]\\/"/; e = "y"', ['"x"', '"y"']],
    ['javascript', 'a = /open\nb = "x"', ['"x"']],
    ['java', 'a = "x"; b = """\n "y" """; /* open', ['"x"', '"""\n "y" """', '~/* open']],
    ['go', 'a := `x\ny` + "z"', ['`x\ny`', '"z"']],
    ['rust', 'fn f<\'a>(x: &\'a str) { \'"\'; \'\\\'\'; "y\nz" }', ['\'"\'', '\'\\\'\'', '"y\nz"']],
    ['php', '# "a"\n$x = \'b\nc\'; // d', ['~# "a"', '\'b\nc\'', '~// d']],
    ['sql', "-- 'a'\nselect 'it' /* b */", ["~-- 'a'", "'it'", '~/* b */']],
    ['powershell', '<# "a" #> $b = "c" # d', ['~<# "a" #>', '"c"', '~# d']],
    ['ruby', 'a = "x" # y', ['"x"', '~# y']],
    ['unlisted', 'a = "x"; // y', ['"x"', '~// y']],
  ];
  for (const [language, text, expected] of cases) it(`reads ${JSON.stringify(text)} as ${language}`, () => assert.deepEqual(spans(text, language), expected));

  it('gives ascending spans inside any text', () => {
    const languages = fc.constantFrom('python', 'javascript', 'rust', 'php', 'sql', 'go', 'java', 'powershell');
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom('"', '\'', '`', '/', '*', '#', '\\', '\n', 'a', ' ', '-', '=', '[', ']') }), languages, (text, language) => {
      let last = 0;
      for (const { start, end } of literalSpans(text, language)) {
        assert.ok(start >= last && end > start && end <= text.length);
        last = end;
      }
    }));
  });
});
