import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { after, describe, it } from 'node:test';
import { ScanPool, type ScanPoolOptions } from '../../../lib/families/gadriel/domain/scan-pool.ts';
import type { ScanOutcome, ScanRequest } from '../../../lib/families/gadriel/domain/scan-request.ts';
import { isToolFailed } from '../../../lib/families/gadriel/domain/tool-failed.ts';

const script = new URL('./support/moody.worker.js', import.meta.url);
const request = (file: string, content = ''): ScanRequest => ({ kind: 'buffer', content, file, profile: 'default' });
const workers = Math.min(2, availableParallelism());

function makePool(options: ScanPoolOptions = { script }): ScanPool {
  const pool = new ScanPool(options);
  after(() => pool.close());
  return pool;
}

/** Starts a scan that only the end of its worker can end. */
function hang(pool: ScanPool): { readonly abort: AbortController; readonly scan: Promise<ScanOutcome> } {
  const abort = new AbortController();
  return { abort, scan: pool.run(request('hang'), abort.signal) };
}

describe('ScanPool', () => {
  it('answers what the worker answers', async () => {
    assert.equal((await makePool().run(request('a.py'))).language, 'a.py');
  });

  it('answers many scans at once, each with its own outcome, by few workers', async () => {
    const pool = makePool();
    const names = Array.from({ length: 20 }, (_, index) => `${index}.py`);
    const outcomes = await Promise.all(names.map((name) => pool.run(request(name))));
    assert.deepEqual(outcomes.map(({ language }) => language), names);
    assert.ok(new Set(outcomes.map(({ count }) => count)).size <= workers);
  });

  it('rejects with ToolFailed where the scan says so, and keeps the worker', async () => {
    const pool = makePool();
    await assert.rejects(pool.run(request('fail')), (error: Error) => isToolFailed(error) && error.message === 'no such luck');
    const { count } = await pool.run(request('a'));
    assert.equal((await pool.run(request('b'))).count, count);
  });

  it('rejects with an unexpected error where the scan crashes', async () => {
    await assert.rejects(makePool().run(request('crash')), (error: Error) => !isToolFailed(error) && /the scan failed: a stack/.test(error.message));
  });

  for (const [way, words] of [['exit', /ended unexpectedly/], ['throw', /out of itself/]] as const) {
    it(`replaces a worker that dies by ${way}`, async () => {
      const pool = makePool();
      const first = await pool.run(request('a'));
      await assert.rejects(pool.run(request(way)), words);
      const next = await pool.run(request('b'));
      assert.notEqual(next.count, first.count);
    });
  }

  it('runs the waiting scans though workers die before them', async () => {
    const pool = makePool();
    const deaths = Array.from({ length: workers + 1 }, () => pool.run(request('exit')));
    const survivor = pool.run(request('a'));
    for (const { status } of await Promise.allSettled(deaths)) assert.equal(status, 'rejected');
    assert.equal((await survivor).language, 'a');
  });

  it('ends a running scan when its signal fires, whatever it is at', async () => {
    const pool = makePool();
    const running = Array.from({ length: workers }, () => hang(pool));
    const waiting = pool.run(request('a'));
    for (const { abort, scan } of running) {
      const reason = new Error('no longer wanted');
      abort.abort(reason);
      await assert.rejects(scan, reason);
    }
    // Only workers that are gone make room for this one.
    assert.equal((await waiting).language, 'a');
  });

  it('drops a waiting scan when its signal fires', async () => {
    const pool = makePool();
    const running = Array.from({ length: workers }, () => hang(pool));
    const { abort, scan } = hang(pool);
    abort.abort();
    await assert.rejects(scan, { name: 'AbortError' });
    for (const one of running) one.abort.abort('told without an error');
    for (const one of running) await assert.rejects(one.scan, /cancelled/);
    assert.equal((await pool.run(request('a'))).language, 'a');
  });

  it('starts nothing for a signal that has fired already', async () => {
    await assert.rejects(makePool().run(request('hang'), AbortSignal.abort()), { name: 'AbortError' });
  });

  it('takes no notice of a signal that fires after the scan', async () => {
    const pool = makePool();
    const abort = new AbortController();
    const { count } = await pool.run(request('a'), abort.signal);
    abort.abort();
    assert.equal((await pool.run(request('b'))).count, count);
  });

  it('ends running and waiting scans when it is closed', async () => {
    const pool = makePool();
    const scans = Array.from({ length: workers + 1 }, () => hang(pool).scan);
    const ends = Promise.allSettled(scans);
    await pool.close();
    for (const { status } of await ends) assert.equal(status, 'rejected');
  });

  it('gives up a scan that takes too long with ToolFailed, and goes on', async () => {
    const pool = makePool({ script, maxScanSeconds: 2 });
    await assert.rejects(pool.run(request('hang')), (error: Error) => isToolFailed(error) && error.message === 'the scan took longer than 2 s and was given up');
    assert.equal((await pool.run(request('a'))).language, 'a');
  });

  it('answers a scan that needs too much memory with ToolFailed, and goes on', async () => {
    const pool = makePool({ maxHeapMb: 24 });
    const content = 'x = [1, 2, 3, [4, 5, (6, 7)]]\n'.repeat(100_000);
    await assert.rejects(pool.run(request('big.py', content)), (error: Error) => isToolFailed(error) && error.message === 'the scan needs more than 24 MiB of memory');
    assert.equal((await pool.run(request('small.py', 'x = 1\n'))).language, 'python');
  });
});

describe('a process that has scanned', () => {
  const modules = new URL('../../../lib/families/gadriel/domain/', import.meta.url);
  const run = (code: string): { status: number | null; stdout: string; stderr: string } => {
    const program = `import { Scans } from '${new URL('validate.js', modules).href}';\nconst scans = new Scans();\nconst here = { env: {}, cwd: process.cwd(), now: Date.now, log() {} };\n${code}`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', timeout: 30_000 });
    return { status, stdout, stderr };
  };
  const ended = (stdout: string): object => ({ status: 0, stdout, stderr: '' });

  it('ends by itself once the scans are closed, and sees the end of closing', () => {
    assert.deepEqual(run(`console.log((await scans.validateBuffer('eval(input())', 'a.py', here)).count); await scans.close(); console.log('closed');`), ended('1\nclosed\n'));
  });

  it('ends by itself though nobody closes them', () => {
    assert.deepEqual(run(`console.log((await scans.validateBuffer('x', 'a.py', here)).count);`), ended('0\n'));
  });

  it('can close without ever having scanned, and scan again after closing', () => {
    assert.deepEqual(run(`await scans.close(); await scans.validateBuffer('', 'a', here); await scans.close(); console.log((await scans.validateBuffer('', 'a', here)).count); await scans.close();`), ended('0\n'));
  });
});
