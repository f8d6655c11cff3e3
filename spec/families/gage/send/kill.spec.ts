import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { listInbox } from '../../../../lib/families/gage/domain/inbox/inbox.ts';
import { pull } from '../../../../lib/families/gage/domain/send/pull.ts';
import { push } from '../../../../lib/families/gage/domain/send/push.ts';
import { send } from '../../../../lib/families/gage/domain/send/send.ts';
import { readBundleFolder } from '../../../../lib/families/gage/domain/bundle/folder.ts';
import { judgeContext } from '../../../../lib/families/gage/domain/verdict/context.ts';
import { judgeBundle } from '../../../../lib/families/gage/domain/verdict/judge.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { friendsWithRelay, type Person, type RelayProcess } from '../world.ts';

const script = path.join(path.dirname(fileURLToPath(import.meta.url)), 'kill-child.js');

/** Runs the child; the number of its steps, undefined when it was killed before one. */
function run(what: string, dieAt: number, who: Person, dir = ''): number | undefined {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [script, what, String(dieAt), who.home.root, who.work, dir], { encoding: 'utf8', env: { PATH: process.env['PATH'] } });
  if (signal === 'SIGKILL') return undefined;
  assert.equal(status, 0, stderr);
  return Number(stdout);
}

/** Points of death: all of them where there are few, else spread over the whole way, both ends included. */
const points = (steps: number, most: number): readonly number[] => {
  const count = Math.min(steps, most);
  return [...new Set(Array.from({ length: count }, (_, index) => 1 + Math.round((index * (steps - 1)) / Math.max(1, count - 1))))];
};

describe('kill -9 before any step', { skip: process.platform === 'win32' }, () => {
  const temp = tempFolder();
  let alice: Person;
  let bob: Person;
  let relay: RelayProcess;
  before(async () => {
    [alice, bob, relay] = await friendsWithRelay(temp);
    temp.write('alice-work/sub/a.txt', 'hello');
  });
  after(() => relay.stop());
  const build = (): ReturnType<typeof send> => send({ to: 'bob', subject: 's', files: ['sub/a.txt'] }, alice.surroundings, { namesFrom: 'root' });
  const rowsOf = async (id: string): Promise<readonly string[]> => (await listInbox(bob.home, {}, bob.surroundings)).bundles.filter((row) => row.id === id).map(({ verdict }) => verdict);

  it('of a pull: the message is in the inbox or on the relay, and after the next pull once in the inbox', async (test) => {
    const leave = async (): Promise<string> => {
      const { id, dir } = await build();
      await push({ to: 'bob', dir, confirm: true }, alice.surroundings);
      return id;
    };
    await leave();
    const steps = run('pull', 0, bob) ?? 0;
    assert.ok(steps >= 10, `${steps} steps`);
    let [before, after] = [0, 0];
    for (const point of points(steps, 16)) {
      const id = await leave();
      assert.equal(run('pull', point, bob), undefined, `killed before step ${point}`);
      const filed = (await rowsOf(id)).length === 1;
      const next = await pull(bob.surroundings);
      assert.deepEqual(await rowsOf(id), ['verified'], `after step ${point}`);
      // Filed but not deleted there: it comes again and is known.
      assert.deepEqual([next.pulled, next.malformed, next.refused], [filed ? 0 : 1, 0, 0], `after step ${point}`);
      assert.equal((await pull(bob.surroundings)).duplicates, 0);
      if (filed) after += 1;
      else before += 1;
    }
    assert.ok(before >= 5 && after >= 1, `${before} points before it was filed and ${after} after`);
    test.diagnostic(`${before + after} points of ${steps} steps`);
    assert.deepEqual(readdirSync(bob.home.path('inbox', 'pending')).filter((name) => !/^[0-9a-f]{64}$|^\.tmp-/.test(name)), []);
  });

  it('of a send: the bundle is whole in the outbox or not there, and the next one is built', async () => {
    const whole = (): readonly string[] => readdirSync(alice.home.path('outbox')).filter((name) => /^[0-9a-f]{64}$/.test(name));
    const steps = run('send', 0, alice) ?? 0;
    assert.ok(steps >= 5, `${steps} steps`);
    const context = judgeContext(alice.home, alice.surroundings);
    for (const point of points(steps, 10)) {
      const known = new Set(whole());
      assert.equal(run('send', point, alice), undefined, `killed before step ${point}`);
      const fresh = whole().filter((id) => !known.has(id));
      assert.ok(fresh.length <= 1);
      for (const id of fresh) {
        const { row } = judgeBundle(readBundleFolder(alice.home.path('outbox', id)), context);
        assert.deepEqual([row.verdict, row.id], ['self', id]);
      }
      assert.ok(existsSync((await build()).dir));
    }
  });

  it('of a push: pushed again, the bundle is once in the inbox', async () => {
    const probe = await build();
    const steps = run('push', 0, alice, probe.dir) ?? 0;
    assert.ok(steps >= 3, `${steps} steps`);
    await pull(bob.surroundings);
    for (const point of points(steps, 6)) {
      const { id, dir } = await build();
      assert.equal(run('push', point, alice, dir), undefined, `killed before step ${point}`);
      await push({ to: 'bob', dir, confirm: true }, alice.surroundings);
      const pulled = await pull(bob.surroundings);
      assert.equal(pulled.pulled, 1);
      assert.deepEqual(await rowsOf(id), ['verified']);
    }
  });
});
