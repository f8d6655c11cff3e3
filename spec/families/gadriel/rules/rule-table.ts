/** Tables of snippets: each bad one is found by its rule, each good one gives nothing at all. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { found } from './rule-kit.ts';

/** Snippets of one rule, without `CODE-W1-`; a line `---` separates snippets. */
export type RuleRow = { readonly rule: string; readonly bad: string; readonly good: string };

const split = (text: string): readonly string[] => text.split(/^---$/m).map((snippet) => snippet.trim()).filter((snippet) => snippet !== '');

/** Makes a test for every snippet of the rows; `header` is put before each. */
export const describeRules = (header: string, rows: readonly RuleRow[]): void => {
  for (const { rule, bad, good } of rows) {
    describe(rule, () => {
      const positives = split(bad);
      const negatives = split(good);
      it('has at least three snippets on each side', () => {
        assert.ok(positives.length >= 3 && negatives.length >= 3, `${positives.length} bad, ${negatives.length} good`);
      });
      for (const snippet of positives) {
        it(`finds: ${snippet.split('\n').at(-1)?.trim()}`, () => {
          const ids = found(`${header}\n${snippet}\n`).map((entry) => entry.split(' ')[1]);
          assert.ok(ids.includes(rule), `found ${ids.join(', ') || 'nothing'} in\n${snippet}`);
        });
      }
      for (const snippet of negatives) {
        it(`leaves alone: ${snippet.split('\n').at(-1)?.trim()}`, () => {
          assert.deepEqual(found(`${header}\n${snippet}\n`), [], snippet);
        });
      }
    });
  }
};

/** Makes a test for every snippet of a text: its first line `# L3-003 L3-021` names what must be found, `# none` that nothing may be. */
export const describeSnippets = (what: string, header: string, text: string): void => {
  describe(what, () => {
    for (const snippet of split(text)) {
      const wanted = (/^# (.*)/.exec(snippet)?.[1] ?? '').split(' ').filter((id) => id !== 'none');
      it(`${wanted.length === 0 ? 'leaves alone' : `finds ${wanted.join(', ')} in`}: ${snippet.split('\n').slice(1).join(' ⏎ ')}`, () => {
        const ids = found(`${header}\n${snippet}\n`).map((entry) => entry.split(' ')[1] ?? '');
        assert.deepEqual([...new Set(ids)].sort(), [...wanted].sort(), snippet);
      });
    }
  });
};
