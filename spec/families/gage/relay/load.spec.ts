import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { tempFolder } from '../../../support/temp-folder.ts';
import { runRelayProcess } from './relay-process.ts';
import { clientOf, idOf, person, sealedOf } from './test-relay.ts';

describe('a relay under load', () => {
  const temp = tempFolder();

  it('loses none of 1,000 messages to 50 mailboxes, in bounded memory', async (t) => {
    const relay = await runRelayProcess(temp.folder('relay'), ['--pushes-per-minute', '100000', '--challenges-per-minute', '1000']);
    const readers = Array.from({ length: 50 }, person);
    const sender = clientOf(relay.origin, person());
    const sent = new Map(readers.map(({ mailbox }) => [mailbox, new Set<string>()]));
    let next = 0;
    const start = performance.now();
    const work = async (): Promise<void> => {
      for (let index = next++; index < 1_000; index = next++) {
        const mailbox = readers[index % 50]?.mailbox ?? '';
        const sealed = sealedOf(4_096);
        const { already } = await sender.push(mailbox, sealed);
        assert.equal(already, false);
        sent.get(mailbox)?.add(idOf(sealed));
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    t.diagnostic(`${Math.round(1_000 / ((performance.now() - start) / 1_000))} messages a second`);
    for (const reader of readers) {
      const client = clientOf(relay.origin, reader);
      const { messages, next: more } = await client.list();
      assert.deepEqual(new Set(messages.map(({ id }) => id)), sent.get(reader.mailbox));
      assert.equal(more, null);
      for (const { id } of messages.slice(0, 3)) assert.equal((await client.fetch(id))?.length, 4_096);
      client.close();
    }
    const status = `/proc/${relay.pid}/status`;
    if (existsSync(status)) {
      const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(status, 'latin1'))?.[1]) / 1_024;
      t.diagnostic(`${Math.round(peak)} MiB at most`);
      // The program itself takes some 80 MiB; the messages together are 4 MiB.
      assert.ok(peak < 200, `${peak} MiB`);
    }
    assert.equal(await relay.stop(), 130);
  });

  it('loses nothing that it answered with 201 when it is killed in the middle', async () => {
    const folder = temp.folder('killed');
    const bob = person();
    const readers = [bob, ...Array.from({ length: 15 }, person)];
    const acknowledged = new Map(readers.map(({ mailbox }) => [mailbox, new Set<string>()]));
    for (let round = 0; round < 3; round++) {
      const relay = await runRelayProcess(folder, ['--pushes-per-minute', '100000', '--challenges-per-minute', '1000']);
      let stored = 0;
      const work = async (worker: number): Promise<void> => {
        const client = clientOf(relay.origin, bob);
        for (let index = worker; ; index += 4) {
          const mailbox = readers[index % 16]?.mailbox ?? '';
          const sealed = sealedOf(index % 5 === 0 ? 200_000 : 4_096);
          try {
            await client.push(mailbox, sealed);
          } catch {
            return;
          }
          acknowledged.get(mailbox)?.add(idOf(sealed));
          stored += 1;
          if (stored === 40) relay.kill();
        }
      };
      await Promise.all([0, 1, 2, 3].map(work));
      await relay.ended;
    }
    const relay = await runRelayProcess(folder, ['--challenges-per-minute', '1000']);
    for (const reader of readers) {
      const client = clientOf(relay.origin, reader);
      const { messages } = await client.list();
      const listed = new Set(messages.map(({ id }) => id));
      for (const id of acknowledged.get(reader.mailbox) ?? []) assert.ok(listed.has(id), 'a message is lost');
      // Whole as well: the client compares the bytes with the id.
      for (const id of listed) assert.ok(await client.fetch(id));
      client.close();
    }
    assert.ok([...acknowledged.values()].reduce((sum, { size }) => sum + size, 0) >= 120);
    assert.equal(await relay.stop(), 130);
  });
});
