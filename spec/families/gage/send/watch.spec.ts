import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { Refused } from '../../../../lib/families/gage/domain/refused.ts';
import { RelayError } from '../../../../lib/families/gage/domain/relay/relay-error.ts';
import { type ListedMessage } from '../../../../lib/families/gage/domain/relay/client.ts';
import type { Pulled } from '../../../../lib/families/gage/domain/send/pull.ts';
import { askedPause, watchPulls } from '../../../../lib/families/gage/domain/send/watch.ts';
import { launcher } from '../../../cli/run-program.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { configure, friendsWithRelay, type Person, type RelayProcess } from '../world.ts';
import { fakeRelay, type FakeAnswer } from './fake-relay.ts';
import { mailBob, takeMail, type Mail } from './mail.ts';

describe('gage pull --watch', () => {
  const temp = tempFolder();
  let alice: Person;
  let bob: Person;
  let relay: RelayProcess;
  before(async () => {
    [alice, bob, relay] = await friendsWithRelay(temp);
  });
  after(() => relay.stop());
  const sendOne = (): Promise<string> => mailBob(alice);
  const takeAway = (): Promise<Mail> => takeMail(relay.origin, bob);

  it('watches: shows each message as it comes, until it is interrupted', async () => {
    const stop = new AbortController();
    let shown: (text: string) => void = () => undefined;
    const output = (): Promise<string> => new Promise((resolve) => (shown = resolve));
    const came = output();
    const watching = bob.verb(['pull', '--watch', '--json'], { signal: stop.signal, onOutput: (text) => shown(text) });
    const first = await sendOne();
    assert.deepEqual((JSON.parse(await came) as Pulled).new_ids, [first]);
    const next = output();
    const second = await sendOne();
    assert.deepEqual((JSON.parse(await next) as Pulled).new_ids, [second]);
    stop.abort();
    assert.equal((await watching).code, 0);
  });

  for (const [what, open, code, said] of [
    ['whose reader is gone ends', undefined, 0, /^$/],
    ['whose disk is full ends, and says so', '/dev/full', 1, /writing the output failed/],
  ] as const) {
    it(`${what}: what came lies in the inbox`, { skip: process.platform !== 'linux', timeout: 60_000 }, async () => {
      const out = open === undefined ? 'pipe' : openSync(open, 'w');
      const child = spawn(process.execPath, [launcher, 'pull', '--watch'], { cwd: bob.work, env: { ...process.env, ...bob.env, TOOLWIRE_FAMILY: 'gage', NO_COLOR: '1' }, stdio: ['ignore', out, 'pipe'] });
      if (typeof out === 'number') closeSync(out);
      child.stdout?.destroy();
      let stderr = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      const ended = once(child, 'close');
      const id = await sendOne();
      assert.deepEqual([(await ended)[0], existsSync(bob.home.path('inbox', 'pending', id))], [code, true]);
      assert.match(stderr, said);
    });
  }

  it('goes on where the relay has said what waits, and fails for all of it', async () => {
    const stop = new AbortController();
    const messages = Array.from({ length: 25 }, (_, index) => ({ id: index.toString(16).padStart(64, '0'), bytes: 100, at: '2026-12-01T00:00:00Z' }));
    let lists = 0;
    const { origin } = await fakeRelay((what) => {
      if (what !== 'GET /messages') return 'break';
      lists += 1;
      if (lists === 3) stop.abort();
      return { status: 200, body: { messages, next: null } };
    });
    await configure(bob, { relay: origin });
    await assert.rejects(watchPulls(bob.surroundings, { signal: stop.signal, show: () => {}, waitS: 0, retryMs: 1 }), { name: 'AbortError' });
    await configure(bob, { relay: relay.origin });
  });

  it('watches over one session, past a relay that fails for a while, and not past wrong settings', async () => {
    const stop = new AbortController();
    const [first, second] = [await sendOne(), await sendOne()];
    const { listed, bodies } = await takeAway();
    let lists = 0;
    const { origin, asked } = await fakeRelay((what) => {
      if (what === 'GET /messages') {
        lists += 1;
        if (lists === 2) return { status: 500 };
        // One message, a failure, nothing at once, the other message.
        return { status: 200, body: { messages: lists === 1 ? listed.slice(0, 1) : lists >= 4 ? listed.slice(1) : [], next: null } };
      }
      return what.startsWith('GET') ? { status: 200, body: bodies.get(what.slice(-64)) } : { status: 204 };
    });
    await configure(bob, { relay: origin });
    const warned: string[] = [];
    const shown: string[] = [];
    const show = ({ new_ids: ids }: Pulled): void => {
      shown.push(...ids);
      if (shown.length === 2) stop.abort();
    };
    const watching = watchPulls({ ...bob.surroundings, log: (_level, message) => void warned.push(message) }, { signal: stop.signal, show, waitS: 1, retryMs: 5 });
    await assert.rejects(watching, { name: 'AbortError' });
    assert.deepEqual(shown.sort(), [first, second].sort());
    assert.deepEqual(warned, ['the relay answered other (status 500)']);
    assert.equal(asked.filter((what) => what === 'POST /v1/auth/session').length, 1, 'one session');
    await configure(bob, { relay: 'http://127.0.0.1:9' });
    assert.equal((await bob.verb(['pull', '--watch'])).code, 4);
    await configure(bob, { relay: relay.origin });
  });

  /** Watches a fake relay until it was asked for so many lists; the ms between them. */
  const listTimes = async (lists: number, options: { readonly retryMs?: number }, answer: (list: number, what: string) => FakeAnswer, who = bob.surroundings): Promise<number[]> => {
    const stop = new AbortController();
    const times: number[] = [];
    const { origin } = await fakeRelay((what) => {
      if (what === 'GET /messages') times.push(performance.now());
      if (times.length > lists) stop.abort();
      return answer(times.length, what);
    });
    await configure(bob, { relay: origin });
    await assert.rejects(watchPulls(who, { signal: stop.signal, show: () => undefined, waitS: 0, ...options }), { name: 'AbortError' });
    await configure(bob, { relay: relay.origin });
    return times.slice(1).map((time, index) => time - (times[index] as number));
  };

  it('watches without haste a relay that keeps what it was told to delete', async () => {
    await sendOne();
    const { listed, bodies } = await takeAway();
    const [kept] = listed as [ListedMessage];
    const body = bodies.get(kept.id);
    const bad: ListedMessage = { ...kept, id: createHash('sha256').update('bad').digest('hex') };
    const page: FakeAnswer = { status: 200, body: { messages: [kept, bad], next: null } };
    // A duplicate and a malformed one each time: the pauses are 40 ms, where without them there were none.
    const times = await listTimes(5, { retryMs: 40 }, (_list, what) => (what === 'GET /messages' ? page : what.startsWith('GET') ? { status: 200, body } : { status: 204 }));
    assert.ok(times.slice(1).every((ms) => ms >= 39), `${times}`);
  });

  it('watches without haste a relay that brings an old message beside each new one', async () => {
    const [old, ...fresh] = [await sendOne(), await sendOne(), await sendOne(), await sendOne(), await sendOne()];
    assert.ok(old !== undefined && fresh.length === 4);
    const { listed, bodies } = await takeAway();
    const times = await listTimes(4, { retryMs: 40 }, (list, what) => {
      if (what === 'GET /messages') return { status: 200, body: { messages: [listed[0], listed[list]].filter((each) => each !== undefined), next: null } };
      return what.startsWith('GET') ? { status: 200, body: bodies.get(what.slice(-64)) } : { status: 204 };
    });
    assert.ok(times.slice(1).every((ms) => ms >= 39), `${times}`);
  });

  it('leaves a relay alone for as long as its 429 asks, and says so once', async () => {
    const warned: string[] = [];
    const turnedAway = (list: number): FakeAnswer => ({ status: 429, body: { error: { code: 'rate_limited' } }, headers: { 'retry-after': list === 2 ? '1' : '0' } });
    const who = { ...bob.surroundings, log: (_level: string, text: string) => void warned.push(text) };
    const times = await listTimes(6, { retryMs: 5 }, (list, what) => (what !== 'GET /messages' || list === 1 || list === 5 ? { status: 200, body: { messages: [], next: null } } : turnedAway(list)), who);
    assert.ok((times[1] as number) >= 990 && (times[2] as number) < 900, `${times}`);
    const said = (seconds: number): string => `the relay answered rate_limited (status 429); try again in ${seconds} s`;
    assert.deepEqual(warned, [said(1), said(0)], 'once, and once more after a pull that went well');
  });

  for (const [what, error, ms] of [
    ['a 429', new RelayError('', { code: 'rate_limited', status: 429, retryAfterS: 45 }), 45_000],
    ['a 429 in the middle of a pull', new Refused('', { kind: 'network', cause: new RelayError('', { code: 'rate_limited', status: 429, retryAfterS: 7 }) }), 7_000],
    ['a 429 that asks for a day', new RelayError('', { code: 'rate_limited', status: 429, retryAfterS: 86_400 }), 3_600_000],
    ['a 429 that asks for nothing', new RelayError('', { code: 'rate_limited', status: 429 }), 0],
    ['another status', new RelayError('', { code: 'internal', status: 500, retryAfterS: 45 }), 0],
    ['no relay', new Refused(''), 0],
    ['no refusal', new Error(''), 0],
  ] as const) {
    it(`waits ${ms} ms after ${what}`, () => assert.equal(askedPause(error), ms));
  }

  it('watches again soon after a failure, then less often', { timeout: 20_000 }, async () => {
    const times = await listTimes(3, {}, (list, what) => (what !== 'GET /messages' || list <= 1 ? { status: 200, body: { messages: [], next: null } } : { status: 500 }));
    assert.ok((times[1] as number) >= 990 && (times[1] as number) < 1_900, `${times}`);
    assert.ok((times[2] as number) >= 1_990 && (times[2] as number) < 3_900, `${times}`);
  });
});
