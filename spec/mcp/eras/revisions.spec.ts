import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { negotiate } from '../../../lib/mcp/eras/results.ts';
import { legacyRevisions, modernRevision, newestLegacy, oldestLegacy, type Revision } from '../../../lib/mcp/eras/revisions.ts';

/** What each revision brought, as the schemas of the protocol have it. */
const features: Record<string, string[]> = {
  '2024-11-05': [],
  '2025-03-26': ['annotations', 'batches'],
  '2025-06-18': ['annotations', 'structured'],
  '2025-11-25': ['annotations', 'structured', 'icons'],
  '2026-07-28': ['modern', 'annotations', 'structured', 'icons'],
};
const flags = ['modern', 'annotations', 'structured', 'icons', 'batches'] as const;

describe('the revisions', () => {
  it('are the four that initialize opens, oldest first, and the modern one', () => {
    assert.deepEqual([...legacyRevisions, modernRevision].map(({ version }) => version), Object.keys(features));
    assert.deepEqual([oldestLegacy.version, newestLegacy.version], ['2024-11-05', '2025-11-25']);
  });

  for (const revision of [...legacyRevisions, modernRevision] as Revision[]) {
    it(`${revision.version} has what it brought and kept`, () => {
      assert.deepEqual(flags.filter((flag) => revision[flag]), flags.filter((flag) => features[revision.version]?.includes(flag)));
    });
  }

  it('are negotiated: a known one is echoed, an unknown one is answered with the newest, none with the oldest', () => {
    for (const { version } of legacyRevisions) assert.equal(negotiate(version).version, version);
    for (const unknown of ['', '1.0', '2026-07-28', '2025-06-18 ', 'constructor']) assert.equal(negotiate(unknown).version, '2025-11-25', unknown);
    for (const none of [undefined, null, 7, {}, ['2025-06-18']]) assert.equal(negotiate(none).version, '2024-11-05');
  });
});
