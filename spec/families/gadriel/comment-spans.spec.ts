import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commentSpans } from '../../../lib/families/gadriel/domain/comment-spans.ts';

const comments = (text: string, language: string): string[] => commentSpans(text, language).map(({ start, end }) => text.slice(start, end));

describe('commentSpans', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['javascript', 'a = "// nosec" // nosec\n/* noqa: S1\n x */ b', ['// nosec', '/* noqa: S1\n x */']],
    ['typescript', 'const a = `// nosec ${b}`', []],
    ['go', 's := `// gitleaks:allow` // gitleaks:allow', ['// gitleaks:allow']],
    ['sql', "select '-- nosec' -- nosec", ['-- nosec']],
    ['yaml', 'a: b # nosec', ['# nosec']],
    ['yaml', '# nosec', ['# nosec']],
    ['yaml', 'a: "b # nosec"', []],
    ['yaml', "a: 'b # nosec'", []],
    ['yaml', "a: it's b # nosec", ['# nosec']],
    ['yaml', 'a: b#nosec', []],
    ['yaml', 'a: b # something else', []],
    ['yaml', 'a: "b \\" c" # nosec\r\nd: e', ['# nosec']],
    ['dotenv', 'KEY=a#b # gitleaks:allow', ['# gitleaks:allow']],
    ['ini', 'key = v ; pragma: allowlist secret\n', ['; pragma: allowlist secret']],
    ['json', '{"a": "b"} // gitleaks:allow', ['// gitleaks:allow']],
    ['json', '{"a": "http://gitleaks:allow"}', []],
    ['text', 'url http://gitleaks:allow', []],
    ['xml', '<a>b</a> <!-- gitleaks:allow -->', ['<!-- gitleaks:allow -->']],
    ['xml', '<a>b</a><!-- gitleaks:allow -->', ['<!-- gitleaks:allow -->']],
    ['vue', '<a>b</a><!-- gitleaks:allow -->\nx // nosec', ['// nosec', '<!-- gitleaks:allow -->']],
    ['latex', 'key % gitleaks:allow', ['% gitleaks:allow']],
    ['batch', 'set K=v & REM gitleaks:allow', ['REM gitleaks:allow']],
    ['yaml', 'a: b % gitleaks:allow', []],
    ['markdown', 'write `# nosec` behind it', []],
    ['unknown', 'secret = x -- gadriel:ignore[SECRET-075] sample', ['-- gadriel:ignore[SECRET-075] sample']],
    ['unknown', '', []],
  ];
  for (const [language, text, expected] of cases) {
    it(`finds ${JSON.stringify(expected)} in the ${language} text ${JSON.stringify(text)}`, () => assert.deepEqual(comments(text, language), expected));
  }

  it('takes time linear in the length of a line', () => {
    const started = performance.now();
    commentSpans(`${'nose '.repeat(400_000)}\n${'"\' # '.repeat(200_000)}nosec`, 'text');
    assert.ok(performance.now() - started < 5_000);
  });
});
