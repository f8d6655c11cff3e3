import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { tempFolder } from '../../../support/temp-folder.ts';
import { runRelayProcess } from './relay-process.ts';
import { bearerOf, idOf, person, push, sealedOf, send } from './test-relay.ts';

/** A command that runs another one which alone sees a file system of memory, of this size, at a folder. */
const onDiskOf = (size: string, folder: string): string[] => ['unshare', '-rm', 'sh', '-c', `mount -t tmpfs -o ${size},mode=700 none "$0" && exec "$@"`, folder];

const disks: [what: string, size: string, bytes: number][] = [
  ['a place for another file', 'nr_inodes=24', 100],
  ['a byte', 'size=400k', 60_000],
];

describe('a relay on a disk without', () => {
  const temp = tempFolder();

  for (const [what, size, bytes] of disks) {
    it(`${what} left lets owners in and is emptied, and then takes messages as before`, async (t) => {
      const folder = temp.folder(size);
      const [program = '', ...rest] = onDiskOf(size, folder);
      if (spawnSync(program, [...rest, 'true']).status !== 0) return t.skip('needs unshare and file systems of memory');
      const relay = await runRelayProcess(folder, [], {}, onDiskOf(size, folder));
      const [bob, carol] = [person(), person()];
      const sent: Buffer[] = [];
      for (let status = 201; status === 201 && sent.length < 40; ) {
        const sealed = sealedOf(bytes);
        status = (await push(relay.origin, sent.length % 2 === 0 ? bob.mailbox : carol.mailbox, sealed)).status;
        if (status === 201) sent.push(sealed);
        else assert.equal(status, 507, relay.logged());
      }
      assert.ok(sent.length > 3 && sent.length < 40, String(sent.length));
      for (const who of [bob, carol]) {
        const headers = await bearerOf(relay.origin, who);
        const path = `/v1/mailboxes/${who.mailbox}/messages`;
        const { messages } = (await send(relay.origin, { path, headers })).json;
        assert.ok(messages.length > 1);
        for (const { id } of messages) assert.equal((await send(relay.origin, { method: 'DELETE', path: `${path}/${id}`, headers })).status, 204, relay.logged());
      }
      for (const [index, sealed] of sent.entries()) {
        assert.equal((await push(relay.origin, index % 2 === 0 ? bob.mailbox : carol.mailbox, sealed)).status, 200, 'collected');
      }
      for (let index = 0; index < sent.length / 2; index++) {
        const sealed = sealedOf(bytes);
        const answer = await push(relay.origin, bob.mailbox, sealed);
        assert.deepEqual([answer.status, answer.json], [201, { message_id: idOf(sealed) }], relay.logged());
      }
      assert.equal(await relay.stop(), 130);
      return undefined;
    });
  }
});
