import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { afterEach, before, describe, it } from 'node:test';
import { readForSending } from '../../../../lib/families/gage/domain/send/read-file.ts';
import type { SendRoots } from '../../../../lib/families/gage/domain/roots/send-roots.ts';
import { send } from '../../../../lib/families/gage/domain/send/send.ts';
import { walkFolder } from '../../../../lib/families/gage/domain/send/walk.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { friends, refusal, type Person } from '../world.ts';

type Call = (...args: unknown[]) => unknown;
const undo: (() => void)[] = [];

/** Does something right before or after a call of node:fs, as another process might; put back after each spec. */
function meanwhile(name: 'openSync' | 'readlinkSync' | 'readSync' | 'mkdirSync', when: 'before' | 'after', act: () => void): void {
  const target = fs as unknown as Record<string, Call>;
  const real = target[name] as Call;
  const put = (call: Call): void => {
    target[name] = call;
    syncBuiltinESMExports();
  };
  undo.push(() => put(real));
  put((...args) => {
    if (when === 'before') act();
    const result = real(...args);
    if (when === 'after') {
      put(real);
      act();
    }
    return result;
  });
}

describe('files that change while they are read', () => {
  const temp = tempFolder();
  const root = temp.folder('root');
  const roots: SendRoots = { folders: [root], homes: [], why: 'it is outside' };
  const file = path.join(root, 'sub', 'a.txt');
  const read = (): string => Buffer.from(readForSending(file, root, roots, 1_000).bytes).toString();
  const fresh = (): void => {
    fs.rmSync(path.join(root, 'sub'), { recursive: true, force: true });
    fs.rmSync(temp.at('aside'), { recursive: true, force: true });
    temp.write('root/sub/a.txt', 'ours');
    temp.write('outer/a.txt', 'secret');
  };
  before(fresh);
  afterEach(() => {
    for (const put of undo.splice(0)) put();
    fresh();
  });

  it('are refused when they are gone or replaced once they are open', async () => {
    for (const act of [(): void => fs.unlinkSync(file), (): void => fs.renameSync(temp.write('root/other', 'other'), file)]) {
      meanwhile('openSync', 'after', act);
      assert.match(await refusal(read), /changed while it was read/);
      fresh();
    }
  });

  it('are taken for where they went, when a folder above was moved out of the root', async () => {
    meanwhile('openSync', 'after', () => fs.renameSync(path.join(root, 'sub'), temp.at('aside')));
    assert.match(await refusal(read), /it is outside|changed while/);
  });

  it('are refused when a folder on the way is swapped for a link to the outside', async () => {
    meanwhile('openSync', 'before', () => {
      if (!fs.existsSync(temp.at('aside'))) {
        fs.renameSync(path.join(root, 'sub'), temp.at('aside'));
        fs.symlinkSync(temp.at('outer'), path.join(root, 'sub'));
      }
    });
    assert.match(await refusal(read), /it is outside/);
  });

  it('are refused when they grow or shrink', async () => {
    for (const change of [(): void => fs.appendFileSync(file, 'more'), (): void => fs.truncateSync(file, 1)]) {
      meanwhile('readlinkSync', 'after', change);
      assert.match(await refusal(read), /changed while it was read/);
      fresh();
    }
  });

  it('are found by their path where the system does not tell that of an open file', async () => {
    const none = (): void => {
      throw new Error('there is no /proc');
    };
    meanwhile('readlinkSync', 'before', none);
    assert.equal(read(), 'ours');
    meanwhile('openSync', 'after', () => fs.renameSync(temp.write('root/other', 'other'), file));
    assert.match(await refusal(read), /changed while it was read/);
  });

  it('a folder that is gone before it is walked is a refusal', async () => {
    assert.match(await refusal(() => walkFolder(temp.at('gone'), { maxFiles: 10 })), /does not exist/);
  });
});

describe('a folder for out', () => {
  const temp = tempFolder();
  let alice: Person;
  afterEach(() => {
    for (const put of undo.splice(0)) put();
  });
  before(async () => {
    [alice] = (await friends(temp, 'alice', 'bob')) as [Person];
  });

  it('below one that is swapped for a link is refused, and nothing is written behind the link', async () => {
    temp.folder('outer');
    meanwhile('mkdirSync', 'after', () => {
      fs.rmdirSync(path.join(alice.work, 'new'));
      fs.symlinkSync(temp.at('outer'), path.join(alice.work, 'new'));
    });
    assert.match(await refusal(() => send({ to: 'bob', subject: 'x', out: 'new/bundle' }, alice.surroundings, { namesFrom: 'root' })), /changed meanwhile/);
    assert.deepEqual(fs.readdirSync(temp.at('outer')), []);
  });

  it('that somebody else fills first is left as it is', async () => {
    temp.folder('alice-work/filled');
    meanwhile('mkdirSync', 'before', () => fs.writeFileSync(path.join(alice.work, 'filled', 'theirs'), 'x'));
    assert.match(await refusal(() => send({ to: 'bob', subject: 'x', out: 'filled' }, alice.surroundings, { namesFrom: 'root' })), /the folder of out can not be written: something else is in its place/);
    assert.deepEqual(fs.readdirSync(path.join(alice.work, 'filled')), ['theirs']);
  });
});
