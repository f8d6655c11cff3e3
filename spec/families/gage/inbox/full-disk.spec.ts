import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { loadBuddies } from '../../../../lib/families/gage/domain/buddies/buddies.ts';
import { messageIdOf } from '../../../../lib/families/gage/domain/crypto/seal.ts';
import { toBase64 } from '../../../../lib/families/gage/domain/crypto/base64.ts';
import { isDiskFull } from '../../../../lib/text/system-error.ts';
import { fileArrival } from '../../../../lib/families/gage/domain/inbox/store.ts';
import { Refused } from '../../../../lib/families/gage/domain/refused.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { refusal } from '../world.ts';
import { alice, buddy, bundleOf, mallory, reader, type Reader } from '../verdict/kit.ts';

const { open } = promises;
const full = (code: string): Error => Object.assign(new Error(code), { code });

/** While `isFull` says so of a path, a file can be made there, but no byte be written: what a full disk does. */
function fillDisk(isFull: (file: string) => boolean, code = 'ENOSPC'): void {
  promises.open = (async (file: string, flags: string, mode?: number) => {
    const handle = await open(file, flags, mode);
    if (flags === 'wx' && isFull(file)) handle.writeFile = () => Promise.reject(full(code));
    return handle;
  }) as typeof open;
  syncBuiltinESMExports();
}

const left = (who: Reader, ...place: readonly string[]): string[] => {
  try {
    return readdirSync(who.home.path(...place));
  } catch {
    return [];
  }
};

describe('gage: a full disk', () => {
  const temp = tempFolder();
  afterEach(() => {
    promises.open = open;
    syncBuiltinESMExports();
  });

  it('a pull that finds it leaves nothing half written, at whichever file it stops', async () => {
    for (const stop of ['manifest.json', 'manifest.sig', '0000', '0001', 'arrival.json']) {
      const who = await reader(temp);
      await who.list(buddy(alice));
      fillDisk((file) => (stop === 'arrival.json' ? path.dirname(file).includes('.tmp-') && path.basename(file).startsWith('.toolwire-') : path.basename(file) === stop), stop === '0001' ? 'EDQUOT' : 'ENOSPC');
      const sealed = new TextEncoder().encode(stop);
      const arrival = { message_id: messageIdOf(sealed), relay: 'https://relay.example', sealed };
      assert.match(await refusal(() => fileArrival(who.home, bundleOf(), arrival, who.surroundings())), /no space is left|quota/, stop);
      assert.deepEqual(left(who, 'inbox', 'pending'), [], stop);
      promises.open = open;
      syncBuiltinESMExports();
      assert.equal((await fileArrival(who.home, bundleOf(), arrival, who.surroundings())).outcome, 'pulled');
    }
  });

  for (const block of [false, true]) {
    it(`reject${block ? ' --block' : ''} deletes first, and remembers what it deleted once there is room`, async () => {
      const who = await reader(temp);
      const made = bundleOf({ from: mallory });
      for (const state of ['pending', 'incoming'] as const) who.put(state, made);
      writeFileSync(path.join(mkFolder(who.home.path('inbox', 'pending', '.tmp-0011223344556677')), 'half'), 'x');
      const payload = who.home.path('inbox', 'pending', made.id);
      fillDisk(() => existsSync(payload));
      const run = await who.verb(['reject', made.id, '--json', ...(block ? ['--block'] : [])]);
      assert.equal(run.code, 0, run.stderr);
      const { remembered, blocked } = JSON.parse(run.stdout);
      assert.deepEqual([remembered, blocked === null], [true, !block]);
      assert.deepEqual([left(who, 'inbox', 'pending'), left(who, 'inbox', 'incoming'), left(who, 'inbox', 'rejected')], [[], [], [`${made.id}.json`]]);
      assert.equal(loadBuddies(who.home).byKey(toBase64(mallory.signKey))?.state, block ? 'blocked' : undefined);
    });

    it(`reject${block ? ' --block' : ''} says what it could not remember where there is no room even then`, async () => {
      const who = await reader(temp);
      const made = bundleOf({ from: mallory });
      who.put('pending', made);
      fillDisk(() => true);
      const run = await who.verb(['reject', made.id, ...(block ? ['--block'] : [])]);
      assert.deepEqual([run.code, run.stdout], [1, '']);
      assert.match(run.stderr, new RegExp(`the bundle is deleted, but the disk is too full to remember that${block ? ' and to block its signer' : ''}: make room`));
      assert.deepEqual([left(who, 'inbox', 'pending'), left(who, 'inbox', 'rejected')], [[], []]);
    });
  }

  it('reject --block that is refused for another reason deletes nothing', async () => {
    const who = await reader(temp);
    const made = bundleOf();
    who.put('pending', made);
    writeFileSync(who.home.path('buddies.json.lock'), 'not of ours');
    assert.equal((await who.verb(['reject', made.id, '--block'])).code, 1);
    assert.deepEqual([left(who, 'inbox', 'pending'), left(who, 'inbox', 'rejected')], [[made.id], []]);
  });

  it('is told through the refusals that were made of it', () => {
    const table: readonly (readonly [unknown, boolean])[] = [
      [full('ENOSPC'), true], [full('EDQUOT'), true], [new Refused('x', { cause: full('ENOSPC') }), true], [new Refused('x', { cause: new Refused('y', { cause: full('EDQUOT') }) }), true],
      [full('EACCES'), false], [new Refused('x'), false], [undefined, false], ['ENOSPC', false],
    ];
    for (const [error, is] of table) assert.equal(isDiskFull(error), is, String(error));
  });
});

function mkFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}
