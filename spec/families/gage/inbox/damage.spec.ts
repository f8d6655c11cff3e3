import assert from 'node:assert/strict';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { messageIdOf } from '../../../../lib/families/gage/domain/crypto/seal.ts';
import { fileArrival, fullProblem, measurePending, type Filed } from '../../../../lib/families/gage/domain/inbox/store.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { alice, buddy, bundleOf, reader, type Made, type Reader } from '../verdict/kit.ts';

let messages = 0;
const take = (who: Reader, bundle: Made | undefined): Promise<Filed> => {
  const sealed = new TextEncoder().encode(`sealed ${++messages}`);
  return fileArrival(who.home, bundle, { message_id: messageIdOf(sealed), relay: 'https://relay.example', sealed }, who.surroundings());
};

/** What can become of a pending copy; `root` is its folder. */
const damages: Readonly<Record<string, (root: string, elsewhere: string) => void>> = {
  'the copy is a file': (root) => (rmSync(root, { recursive: true }), writeFileSync(root, 'x')),
  'the copy is a link': (root, elsewhere) => (rmSync(root, { recursive: true }), symlinkSync(elsewhere, root)),
  'the copy is a link to nowhere': (root) => (rmSync(root, { recursive: true }), symlinkSync('/nowhere', root)),
  'the copy is empty': (root) => (rmSync(root, { recursive: true }), mkdirSync(root)),
  'the bundle is a file': (root) => (rmSync(path.join(root, 'bundle'), { recursive: true }), writeFileSync(path.join(root, 'bundle'), 'x')),
  'the bundle is a link': (root, elsewhere) => (renameSync(path.join(root, 'bundle'), path.join(elsewhere, `moved-${++messages}`)), symlinkSync(path.join(elsewhere, `moved-${messages}`), path.join(root, 'bundle'))),
  'items is a file': (root) => (rmSync(path.join(root, 'bundle', 'items'), { recursive: true }), writeFileSync(path.join(root, 'bundle', 'items'), 'x')),
  'items is a link': (root, elsewhere) => (rmSync(path.join(root, 'bundle', 'items'), { recursive: true }), symlinkSync(elsewhere, path.join(root, 'bundle', 'items'))),
  'items is a link to itself': (root) => (rmSync(path.join(root, 'bundle', 'items'), { recursive: true }), symlinkSync('items', path.join(root, 'bundle', 'items'))),
  'an item is a folder': (root) => (rmSync(path.join(root, 'bundle', 'items', '0000')), mkdirSync(path.join(root, 'bundle', 'items', '0000', 'deep'), { recursive: true })),
  'items is closed': (root) => chmodSync(path.join(root, 'bundle', 'items'), 0),
  'the copy is closed': (root) => (rmSync(path.join(root, 'bundle', 'items', '0000')), chmodSync(root, 0)),
};

describe('gage: a damaged copy in the inbox', () => {
  const temp = tempFolder();
  const isRoot = process.getuid?.() === 0;

  for (const [name, damage] of Object.entries(damages)) {
    it(`stops no pull, is listed, and gives way to a good one: ${name}`, async () => {
      const who = await reader(temp);
      await who.list(buddy(alice));
      const made = bundleOf();
      assert.equal((await take(who, made)).outcome, 'pulled');
      const root = who.home.path('inbox', 'pending', made.id);
      const elsewhere = temp.folder(`elsewhere-${++messages}`);
      writeFileSync(path.join(elsewhere, 'kept'), 'kept');
      damage(root, elsewhere);
      assert.equal(fullProblem(measurePending(who.home)), undefined);
      const { bundles, total } = await who.inbox();
      // Whoever is root reads what is closed.
      const readable = isRoot && name === 'items is closed';
      assert.deepEqual([total, bundles[0]?.id, bundles[0]?.verdict === 'verified'], [1, made.id, readable]);
      assert.equal((await take(who, bundleOf({ items: [], manifest: { nonce: 'f'.repeat(32) } }))).outcome, 'pulled');
      if (!readable) assert.equal((await take(who, made)).outcome, 'pulled');
      assert.equal((await who.open({ id: made.id })).row.verdict, 'verified');
      assert.equal(lstatSync(root).isDirectory(), true);
      assert.equal(readFileSync(path.join(elsewhere, 'kept'), 'utf8'), 'kept');
      assert.deepEqual(readdirSync(who.home.path('inbox', 'pending')).filter((each) => each.startsWith('.')), []);
      damage(root, temp.folder(`elsewhere-${++messages}`));
      assert.equal((await who.verb(['reject', made.id])).code, 0);
      assert.ok(!existsSync(root));
    });
  }

  it('is not counted by what a link leads to', async () => {
    const who = await reader(temp);
    const elsewhere = temp.folder('big');
    mkdirSync(path.join(elsewhere, 'items'));
    for (const file of ['manifest.json', 'items/0000']) sparse(path.join(elsewhere, file));
    for (const [index, place] of ['', 'bundle', 'bundle/items'].entries()) {
      const root = who.home.path('inbox', 'pending', String(index).padStart(64, '0'));
      mkdirSync(path.dirname(path.join(root, place)), { recursive: true });
      symlinkSync(elsewhere, path.join(root, place));
    }
    assert.equal(fullProblem(measurePending(who.home)), undefined);
    mkdirSync(who.home.path('inbox', 'pending', 'f'.repeat(64), 'bundle', 'items'), { recursive: true });
    sparse(who.home.path('inbox', 'pending', 'f'.repeat(64), 'bundle', 'items', '0000'));
    assert.match(fullProblem(measurePending(who.home)) ?? '', /inbox is full/);
  });

  it('a folder or a link in the place of a tombstone stops no pull and is not written through', async () => {
    for (const make of [(file: string) => mkdirSync(path.join(file, 'deep'), { recursive: true }), (file: string) => symlinkSync(temp.write('target', 'kept'), file)]) {
      const who = await reader(temp);
      await who.list(buddy(alice, { state: 'blocked' }));
      const file = who.home.path('inbox', 'rejected', `${bundleOf().id}.json`);
      mkdirSync(path.dirname(file), { recursive: true });
      make(file);
      for (let round = 0; round < 2; round += 1) assert.equal((await take(who, bundleOf())).outcome, 'refused');
      assert.equal(JSON.parse(readFileSync(file, 'utf8')).why, 'blocked');
      if (existsSync(temp.at('target'))) assert.equal(readFileSync(temp.at('target'), 'utf8'), 'kept');
    }
  });

  it('a folder that is called like an old message does not stop the quarantine', async () => {
    const who = await reader(temp);
    mkdirSync(who.home.path('inbox', 'quarantine', `${'0'.repeat(13)}-${'0'.repeat(64)}.msg`, 'deep'), { recursive: true });
    for (let round = 0; round < 17; round += 1) assert.equal((await take(who, undefined)).outcome, 'malformed');
    assert.equal(readdirSync(who.home.path('inbox', 'quarantine')).length, 16);
  });
});

/** A file of 1 GiB that takes no room. */
function sparse(file: string): void {
  writeFileSync(file, '');
  truncateSync(file, 1024 ** 3);
}
