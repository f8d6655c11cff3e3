import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { inspectCached } from '../../../../lib/families/gage/domain/inbox/inspect-cache.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { bundleOf, writeRaw } from '../verdict/kit.ts';

/** So many manifests of 250 KB are more than the 8 MiB that are remembered. */
const MANY = 40;

describe('gage: the memory of lists', () => {
  const temp = tempFolder();
  const junk = (name: string, text: string): string => {
    temp.write(`${name}/manifest.json`, text.repeat(250_000));
    return temp.at(name);
  };

  it('has room again for what was replaced in it', () => {
    const good = writeRaw(temp.at('good'), bundleOf());
    const first = inspectCached(good);
    for (let round = 0; round < MANY; round += 1) inspectCached(junk('replaced', round % 2 === 0 ? 'a' : 'b'));
    const last = inspectCached(temp.at('replaced'));
    assert.equal(inspectCached(temp.at('replaced')), last);
    assert.equal(inspectCached(good), first);
    writeFileSync(path.join(good, 'items', '0000'), 'damaged');
    assert.notEqual(inspectCached(good), first);
  });

  it('forgets the oldest when it is full, and goes on remembering the newest', () => {
    const folders = Array.from({ length: MANY }, (_each, index) => junk(`full-${index}`, 'x'));
    const seen = folders.map((folder) => inspectCached(folder));
    // The newest first, as looking at a forgotten one makes another one forgotten.
    const kept = [...folders.keys()].reverse().filter((index) => inspectCached(folders[index] as string) === seen[index]);
    assert.ok(kept.length >= 30 && kept.length < MANY, String(kept.length));
    assert.deepEqual(kept, [...folders.keys()].slice(-kept.length).reverse());
  });
});
