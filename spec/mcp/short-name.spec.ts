import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortName } from '../../lib/mcp/short-name.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['a short name stays', 'resources/list', 'resources/list'],
  ['a name of 128 units stays', 'x'.repeat(128), 'x'.repeat(128)],
  ['a longer one is cut', 'x'.repeat(129), 'x'.repeat(128)],
  ['a surrogate pair at the cut is left out whole', `${'x'.repeat(127)}\u{1f600}y`, 'x'.repeat(127)],
  ['a pair that ends at the cut stays', `${'x'.repeat(126)}\u{1f600}y`, `${'x'.repeat(126)}\u{1f600}`],
];

for (const [title, name, short] of cases) test(title, () => assert.equal(shortName(name), short));
