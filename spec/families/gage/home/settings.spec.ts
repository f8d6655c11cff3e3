import assert from 'node:assert/strict';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { cli } from '../../../../lib/families/gage/cli.ts';
import { gage } from '../../../../lib/families/gage/index.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { servedFamily } from '../../../support/served.ts';
import { alice, bundleOf, mallory, reader, writeRaw } from '../verdict/kit.ts';

const id = bundleOf().id;

/** Arguments that a tool takes; what it does with them is beside the point. */
const tools: Readonly<Record<string, object>> = {
  gage_identity: {}, gage_buddies: {}, gage_pair_start: { key: alice.token }, gage_pair_confirm: { pairing_id: 'x', echo: 'y' }, gage_send: { to: 'alice', subject: 'x' },
  gage_push: { to: 'alice', dir: 'bundle', confirm: true }, gage_pull: {}, gage_inbox: {}, gage_open: { id },
};

/** Words of every verb, and the files that it goes on without; a question is answered with yes. */
const both = ['config.json', 'routes.json'] as const;
const verbs: readonly (readonly [words: readonly string[], goesOn?: readonly string[]])[] = [
  [['whoami']], [['pair', mallory.token, 'mal']], [['buddies']], [['buddies', 'block', 'alice']], [['buddies', 'unblock', 'alice']], [['buddies', 'remove', 'alice']], [['buddies', 'confirm', 'alice']],
  [['buddies', 'rename', 'alice', 'ally']], [['send', 'alice', '--subject', 'x']], [['push', 'alice', 'bundle', '--yes']], [['pull']], [['inbox']], [['inbox', '--quarantine']], [['open', 'bundle']], [['open', id]],
  [['open', 'ab'.repeat(32)]], [['verify', 'bundle']], [['verify', id]], [['accept', id, '--yes']], [['reject', id]], [['reject', 'README']], [['route']], [['route', 'remove', 'alice']], [['authority']], [['authority', 'show', id]],
  [['export-identity', 'file', '--passphrase-fd', '0']],
  // What shows and changes one file does not need the other one.
  [['config', 'show'], ['routes.json']], [['config', 'relay', '--unset'], ['routes.json']], [['config', 'send-roots', 'list'], ['routes.json']],
  // These look into no home.
  [['words', alice.token], both],
];

describe('broken settings of a home', () => {
  const temp = tempFolder();

  for (const name of both) {
    it(`${name}: every tool refuses and names the key, behind wrong arguments, reveal and a missing identity`, async () => {
      const who = await reader(temp);
      const { call, ask } = servedFamily(gage(), who.cwd, who.env);
      const listed = (await ask('tools/list')).result.tools.map((tool: { name: string }) => tool.name);
      assert.deepEqual(Object.keys(tools).sort(), listed.sort());
      who.write(name, { v: 1, bogus: 2 });
      for (const [tool, args] of Object.entries(tools)) {
        const { result } = await call(tool, args);
        assert.equal(result.isError, true, tool);
        assert.match(result.content[0].text, new RegExp(`^${name.replace('.', '\\.')} in the gage home can not be used: .*/bogus`), tool);
        assert.equal((await call(tool, { ...args, another: 1 })).error.code, -32602, tool);
      }
      assert.match((await call('gage_open', { id, reveal: true })).result.content[0].text, /gage open ID --reveal/);
      rmSync(who.home.path('identity.key'));
      assert.match((await call('gage_identity', {})).result.content[0].text, /gage init HANDLE/);
    });

    it(`${name}: every command refuses and names the key, but those that make an identity, repair, or look into no home`, async () => {
      const named = new Set(verbs.map(([[verb]]) => verb));
      assert.deepEqual(Object.keys(cli.verbs).filter((verb) => !named.has(verb)), ['init', 'restore-identity', 'relay serve']);
      for (const [words, goesOn = []] of verbs) {
        const who = await reader(temp);
        who.put('incoming', bundleOf());
        writeRaw(`${who.cwd}/bundle`, bundleOf());
        for (const content of ['{"v":1,"bogus":2}', '{', undefined]) {
          writeFileSync(who.home.path(name), content ?? '{"v":1}');
          chmodSync(who.home.path(name), content === undefined ? 0o666 : 0o600);
          const { code, stdout, stderr } = await who.verb(words, { answers: ['y'], stdin: 'a long passphrase\n' });
          const shown = `${words.join(' ')} with ${content}: ${code} ${stderr}`;
          if (goesOn.includes(name)) assert.equal(code, 0, shown);
          else {
            assert.deepEqual([code, stdout], [1, ''], shown);
            assert.match(stderr, new RegExp(`^gage: ${name.replace('.', '\\.')} in the gage home can (?:not be used: .*(?:/bogus|no JSON|not JSON)|be written by others)`), shown);
          }
        }
      }
    });

    it(`${name}: an identity is made and shown all the same`, async () => {
      const who = await reader(temp);
      rmSync(who.home.path('identity.key'));
      who.write(name, { v: 1, bogus: 2 });
      const made = await who.verb(['init', 'bob'], { random: (size) => new Uint8Array(size).fill(7) });
      assert.deepEqual([made.code, made.stdout.split('\n').length], [0, 3], made.stderr);
      assert.equal((await who.verb(['whoami'])).code, 1);
    });
  }
});
