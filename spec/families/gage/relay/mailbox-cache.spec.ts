import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { openDiskStore } from '../../../../lib/families/gage/domain/relay/disk-store.ts';
import { MailboxCache } from '../../../../lib/families/gage/domain/relay/mailbox-cache.ts';
import type { MailboxFolder } from '../../../../lib/families/gage/domain/relay/mailbox-folder.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { sealedOf, START, idOf, random } from './test-relay.ts';

const nameOf = (index: number): string => index.toString(16).padStart(64, '0');

/** A mailbox that remembers so many collected ids. */
function boxOf(ids: number): MailboxFolder {
  const byId = new Map(Array.from({ length: ids }, (_, index) => [nameOf(index), 1]));
  return { folder: '', messages: new Map(), seen: new Map(), openedAt: undefined, isSynced: true, up: 0, collected: { file: '', byId, dropped: new Set(), unwritten: new Set(), bytes: 0, earliest: 0 } };
}

describe('the mailboxes in memory', () => {
  const temp = tempFolder();

  it('are the 2,000 that were used last', () => {
    const cache = new MailboxCache();
    for (let index = 0; index < 2_000; index += 1) cache.keep(nameOf(index), boxOf(1));
    cache.keep(nameOf(0), boxOf(1));
    cache.keep(nameOf(2_000), boxOf(1));
    assert.deepEqual([0, 1, 2, 2_000].map((index) => cache.get(nameOf(index)) !== undefined), [true, false, true, true]);
  });

  it('hold 200,000 messages and ids in all', () => {
    const cache = new MailboxCache();
    const large = boxOf(10_000);
    for (let index = 0; index < 20; index += 1) cache.keep(nameOf(index), large);
    assert.ok(cache.get(nameOf(0)) !== undefined);
    for (let index = 20; index < 40; index += 1) cache.keep(nameOf(index), large);
    assert.deepEqual([0, 19, 20, 39].map((index) => cache.get(nameOf(index)) !== undefined), [false, false, true, true]);
    // What grew or went is counted as it is.
    cache.drop(nameOf(20));
    for (let index = 21; index < 40; index += 1) cache.keep(nameOf(index), boxOf(1));
    for (let index = 50; index < 69; index += 1) cache.keep(nameOf(index), large);
    assert.deepEqual([21, 39, 50, 68].map((index) => cache.get(nameOf(index)) !== undefined), [true, true, true, true]);
  });

  it('stay what they are when a sweep goes through all of them', async () => {
    const folder = temp.folder('sweep');
    const line = (index: number): string => `${START}-${nameOf(index)}\n`;
    // More ids than memory holds.
    for (let box = 1; box < 23; box += 1) {
      mkdirSync(path.join(folder, nameOf(box)), { mode: 0o700 });
      writeFileSync(path.join(folder, nameOf(box), 'collected'), Array.from({ length: 10_000 }, (_, index) => line(index)).join(''));
    }
    const store = await openDiskStore({ folder, random });
    const content = sealedOf();
    await store.put(nameOf(0), { id: idOf(content), bytes: content.length, content }, '0'.repeat(16), START);
    const id = idOf(content);
    const read = async (): Promise<void> => {
      const found = await store.get(nameOf(0), id, START);
      for await (const part of found?.stream ?? []) assert.ok(part);
    };
    await read();
    assert.equal(await store.expire(START), 0);
    // A mailbox that left memory would be read anew, and would see this file.
    writeFileSync(path.join(folder, nameOf(0), `${START + 5}-${nameOf(7)}.${'0'.repeat(16)}.msg`), 'x');
    assert.equal((await store.list(nameOf(0), { after: undefined, limit: 9 }, START)).messages.length, 1);
    assert.equal(await store.put(nameOf(3), { id: nameOf(9_999), bytes: 1, content: Buffer.from('x') }, '0'.repeat(16), START), 'known');
    await store.close();
  });
});
