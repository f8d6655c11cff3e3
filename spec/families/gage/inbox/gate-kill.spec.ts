import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '../../../support/temp-folder.ts';
import { alice, buddy, bundleOf, reader, type Reader } from '../verdict/kit.ts';

const child = fileURLToPath(import.meta.resolve('./gate-child.js'));
const placesOf = (who: Reader): Record<string, readonly string[]> =>
  Object.fromEntries(readdirSync(who.home.path('inbox')).map((place) => [place, readdirSync(who.home.path('inbox', place)).filter((name) => !name.startsWith('.'))]));

describe('gage: a gate that is killed in the middle', () => {
  const temp = tempFolder();
  const made = bundleOf();
  const runKilled = (who: Reader, count: number, words: readonly string[]): string | number | null => {
    const { signal, status, stderr } = spawnSync(process.execPath, [child, who.home.root, who.cwd, String(count), ...words], { encoding: 'utf8' });
    return signal ?? (status === 0 ? 0 : stderr);
  };

  it('accept: the bundle is there as signed after every step, and a second accept ends what the first began', async () => {
    // Before the copy is written; with the copy in its place, the one that waited about to go; never.
    for (const [count, ended] of [[1, 'SIGKILL'], [2, 'SIGKILL'], [3, 0]] as const) {
      const who = await reader(temp);
      await who.list(buddy(alice));
      who.put('pending', made, { at: '2026-01-02T03:30:00Z' });
      assert.equal(runKilled(who, count, ['accept', made.id, '--yes']), ended);
      const { bundles, total } = await who.inbox({ all: true });
      assert.deepEqual([total, bundles[0]?.verdict, bundles[0]?.id], [1, 'verified', made.id]);
      if (ended === 'SIGKILL') assert.equal((await who.verb(['accept', made.id, '--yes'])).code, 0);
      assert.deepEqual(placesOf(who), { accepted: [made.id], pending: [] });
      assert.equal((await who.open({ id: made.id })).row.state, 'accepted');
    }
  });

  it('reject: killed before it deletes it has remembered the id, and a second reject deletes', async () => {
    const who = await reader(temp);
    await who.list(buddy(alice));
    who.put('pending', made);
    assert.equal(runKilled(who, 1, ['reject', made.id]), 'SIGKILL');
    assert.deepEqual(placesOf(who), { pending: [made.id], rejected: [`${made.id}.json`] });
    assert.equal((await who.verb(['reject', made.id])).code, 0);
    assert.deepEqual(placesOf(who), { pending: [], rejected: [`${made.id}.json`] });
  });
});
