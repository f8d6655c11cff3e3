import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadBuddies } from '../../../../lib/families/gage/domain/buddies/buddies.ts';
import type { Home } from '../../../../lib/families/gage/domain/home/home.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { homeOf, people } from '../home/people.ts';

const child = fileURLToPath(new URL('edit-child.js', import.meta.url));

/** Starts a process that adds `count` buddies; `onName` is called as it says that one is on the list. */
function adding(home: Home, who: string, count: number, onName: (name: string, process: ChildProcess) => void = () => {}) {
  const started = spawn(process.execPath, [child, home.root, who, String(count)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const names: string[] = [];
  createInterface({ input: started.stdout }).on('line', (name) => {
    names.push(name);
    onName(name, started);
  });
  return { names, ended: once(started, 'close') as Promise<[number | null, NodeJS.Signals | null]> };
}

const namesIn = (home: Home): string[] => loadBuddies(home).all.map(({ name }) => name);

describe('two processes that edit one buddy list', () => {
  const folder = tempFolder();

  it('lose no update of each other', async () => {
    const home = await homeOf(folder.at('both'), people.bob);
    const both = [adding(home, 'left', 20), adding(home, 'right', 20)];
    for (const { ended } of both) assert.deepEqual(await ended, [0, null]);
    const expected = ['left', 'right'].flatMap((who) => Array.from({ length: 20 }, (_, index) => `${who}-${index}`));
    assert.deepEqual(namesIn(home), expected.sort());
  });

  it('lose nothing that was said to be done when one is killed in the middle, and the other goes on', async () => {
    const home = await homeOf(folder.at('killed'), people.bob);
    const done: string[] = [];
    // Killed as it says so, it is in the middle of the next change; once per round a reader looks in too.
    for (let round = 0; round < 5; round += 1) {
      const victim = adding(home, `victim${round}`, 1_000, (name, process) => {
        if (name === `victim${round}-${round}`) process.kill('SIGKILL');
      });
      const other = adding(home, `other${round}`, 3);
      assert.deepEqual(await victim.ended, [null, 'SIGKILL']);
      assert.deepEqual(await other.ended, [0, null]);
      done.push(...victim.names, ...other.names);
      const found = namesIn(home);
      assert.deepEqual(done.filter((name) => !found.includes(name)), []);
    }
    // What is more than was said: at most a few changes a round between the last line and the kill, none of them half.
    for (const name of namesIn(home)) assert.match(name, /^(new )?(victim|other)\d-\d+$/);
    assert.deepEqual(await adding(home, 'last', 1).ended, [0, null]);
    assert.ok(namesIn(home).includes('last-0'));
    // The last one took over a dead lock, and swept what the dead had begun to write.
    assert.deepEqual(readdirSync(home.root).filter((name) => name.endsWith('.lock') || name.endsWith('.tmp')), []);
  });
});
