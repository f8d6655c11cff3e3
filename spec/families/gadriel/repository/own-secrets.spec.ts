import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { findOwnSecrets } from '../../../../lib/families/gadriel/domain/repository/own-secrets.ts';
import type { OwnSecret } from '../../../../lib/families/gadriel/domain/repository/settings.types.ts';
import { scanSecrets } from '../../../../lib/secrets/scan.ts';
import { githubToken } from '../support/sample-secrets.ts';

const own = (pattern: string): OwnSecret => ({ id: 'CODE-W1-SECRET-OWN-A', title: 'A', pattern, severity: 'info' });
const spans = (text: string, pattern: string): string[] => findOwnSecrets(text, [own(pattern)], []).map(({ start, end }) => text.slice(start, end));

describe('findOwnSecrets', () => {
  const cases: readonly (readonly [text: string, pattern: string, found: readonly string[]])[] = [
    ['key = acme_0123456789 # x', 'acme_[0-9]{10}', ['acme_0123456789']],
    ['a\nb acme_1 c\n\nacme_2', 'acme_[0-9]', ['acme_1', 'acme_2']],
    // No narrower text ends with the mark of the line's end.
    ['key: acme_1', 'acme_[0-9]$', ['acme_1']],
    ['key acme_1', '^key acme_[0-9]', ['key acme_1']],
    ['nothing', 'acme', []],
    ['x'.repeat(30_000), 'x', []],
  ];
  for (const [text, pattern, found] of cases) it(`finds ${found.join(', ') || 'nothing'} by ${pattern} in ${JSON.stringify(text.slice(0, 30))}`, () => assert.deepEqual(spans(text, pattern), found));

  it('tells place and length, and at most a quarter of it', () => {
    const [hit] = findOwnSecrets('\n  acme_0123456789', [own('acme_[0-9]{10}')], []);
    assert.deepEqual([hit?.line, hit?.column, hit?.endColumn, hit?.preview, hit?.severity], [2, 3, 18, 'acm… (15 characters)', 'low']);
    assert.ok(!JSON.stringify(hit).includes('0123456789'));
  });

  it('goes before a built-in detector at the same place, and leaves the others', () => {
    const text = `a = "${githubToken(1)}"\nb = "${githubToken(2)}"\n`;
    const built = scanSecrets(text, { path: 'a.py' });
    assert.equal(built.length, 2);
    const ids = findOwnSecrets(text, [own(githubToken(1))], built).map((hit) => hit.detectorId);
    assert.deepEqual(ids, ['CODE-W1-SECRET-OWN-A', built[1]?.detectorId]);
    assert.deepEqual(findOwnSecrets(text, [own('nothing')], built), built);
  });

  it('stops after a hundred places of one pattern', () => assert.equal(spans('acme\n'.repeat(500), 'acme').length, 100));
});
