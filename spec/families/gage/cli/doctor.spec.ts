import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { checkGage } from '../../../../lib/families/gage/cli/doctor.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { person, type Person } from '../world.ts';

const posix = { skip: process.platform === 'win32' };
const noRoot = { skip: process.platform === 'win32' || process.getuid?.() === 0 ? 'root may write anywhere' : false };

describe('what doctor says of the home of gage', () => {
  const temp = tempFolder();
  const linesOf = ({ env }: Pick<Person, 'env'>): string[] => checkGage({ env } as never).map(({ state, subject, detail }) => `${state} ${subject}: ${detail}`);
  const places = ['inbox', 'inbox/incoming', 'inbox/pending', 'inbox/accepted', 'inbox/rejected', 'inbox/quarantine', 'outbox'] as const;
  const withFolders = async (name: string): Promise<Person> => {
    const who = await person(temp, name);
    for (const place of places) mkdirSync(who.home.path(place), { mode: 0o700 });
    return who;
  };

  it('says once that the home can not be used, and nothing of what is in it', posix, async () => {
    const who = await withFolders('open');
    chmodSync(who.home.path('outbox'), 0o777);
    assert.deepEqual(linesOf(who), ['broken gage home: outbox in the gage home can be written by others (mode 777): take that away with chmod go-w, and look whether it was changed']);
    assert.deepEqual(linesOf({ env: { GAGE_HOME: 'relative' } }), ['broken gage home: GAGE_HOME must be the absolute path of a folder: set it to one, or unset it to use ~/.gage']);
    assert.deepEqual(linesOf({ env: { GAGE_HOME: temp.write('a-file', '') } }), ['broken gage home: the gage home is no folder: set GAGE_HOME to one, or move away what is in its place']);
  });

  it('tells of inbox and outbox once they are there', async () => {
    const fresh = await person(temp, 'fresh');
    assert.deepEqual(linesOf(fresh).filter((line) => /box:/.test(line)), []);
    const used = await withFolders('used');
    assert.deepEqual(linesOf(used).slice(-2), [`ok gage inbox: ${used.home.path('inbox')}`, `ok gage outbox: ${used.home.path('outbox')}`]);
  });

  it('finds a folder of them that is none', async () => {
    const who = await withFolders('filed');
    for (const place of [...places].reverse()) {
      rmSync(who.home.path(place), { recursive: true });
      writeFileSync(who.home.path(place), '');
      const broken = linesOf(who).filter((line) => line.startsWith('broken'));
      // Without the folder of all others no command goes on.
      if (place === 'inbox') assert.deepEqual(broken, ['broken gage home: inbox in the gage home is no folder: move away what is in its place']);
      else assert.deepEqual(broken, [`broken gage ${place.split('/')[0]}: ${place} in the gage home is no folder: move away what is in its place`]);
      rmSync(who.home.path(place));
    }
  });

  it('finds a link to what is not there, and takes it for nothing that is missing', async () => {
    const who = await withFolders('unmounted');
    const dead = 'is a link to what is not there, such as a disk that is not mounted: bring that back, or take the link away';
    for (const place of [...places].reverse()) {
      rmSync(who.home.path(place), { recursive: true });
      symlinkSync('/nowhere/at/all', who.home.path(place));
      const lines = linesOf(who);
      const line = `broken gage ${place === 'inbox/incoming' ? 'inbox' : 'home'}: ${place} in the gage home ${dead}`;
      // Others may deliver to `incoming`, whoever they are, so that whose it is stops no other command.
      if (place === 'inbox/incoming') assert.deepEqual(lines.filter((each) => each.startsWith('broken')), [line]);
      else assert.deepEqual(lines, [line]);
      rmSync(who.home.path(place));
    }
    const link = temp.at('linked-home');
    symlinkSync('/nowhere/at/all', link);
    const env = { GAGE_HOME: link };
    assert.deepEqual(linesOf({ env }), [`broken gage home: the gage home ${dead}`]);
    for (const words of [['init', 'zed'], ['whoami'], ['inbox']]) {
      const run = await who.verb(words, { env });
      assert.deepEqual([run.code, run.stderr.includes(dead), /gage init/.test(run.stderr)], [1, true, false], run.stderr);
    }
  });

  it('finds a folder that this user may not write', noRoot, async () => {
    const who = await withFolders('closed');
    const well = linesOf(who);
    for (const [place, subject] of [['inbox/pending', 'inbox'], ['outbox', 'outbox'], ['.', 'home']] as const) {
      for (const [mode, what] of [[0o500, 'written'], [0o300, 'read']] as const) {
        chmodSync(who.home.path(place), mode);
        const shown = place === '.' ? 'the gage home' : `${place} in the gage home`;
        const line = `broken gage ${subject}: ${shown} can not be ${what}: permission denied; where it belongs to another user, take it back with chown`;
        const lines = linesOf(who);
        chmodSync(who.home.path(place), 0o700);
        // All that is well is said beside it.
        assert.deepEqual(lines, place === '.' ? [line, ...well] : well.map((each) => (each.startsWith(`ok gage ${subject}:`) ? line : each)));
      }
    }
  });
});
