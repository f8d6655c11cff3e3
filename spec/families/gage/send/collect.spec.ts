import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { collectItems, type SendLists } from '../../../../lib/families/gage/domain/send/collect.ts';
import type { SendRoots } from '../../../../lib/families/gage/domain/roots/send-roots.ts';
import { walkFolder } from '../../../../lib/families/gage/domain/send/walk.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { identityFile, refusal } from '../world.ts';

describe('collecting items', () => {
  const temp = tempFolder();
  const root = temp.folder('root');
  const roots: SendRoots = { folders: [root], homes: [], why: 'it is outside' };
  const collect = (lists: SendLists, cwd = root, namesFrom: 'root' | 'cwd' = 'root'): ReturnType<typeof collectItems> => collectItems(lists, { roots, cwd, namesFrom });
  for (const name of ['a.txt', 'sub/b.txt', 'sub/deep/c.txt', 'sub/A.txt', 'sub/deep.txt', 'ask.md', 'why.md', 'memo.md']) temp.write(`root/${name}`, `text of ${name}`);

  it('keeps the order files, dirs, prompts, decisions, memories, each as given, and names them from the send root', () => {
    const { items, warnings } = collect({ memories: ['memo.md'], decisions: ['why.md'], prompts: ['ask.md'], dirs: ['sub'], files: ['a.txt'] });
    assert.deepEqual(items.map(({ name, kind }) => [name, kind]), [
      ['a.txt', 'file'], ['sub/A.txt', 'file'], ['sub/b.txt', 'file'], ['sub/deep.txt', 'file'], ['sub/deep/c.txt', 'file'],
      ['ask.md', 'prompt'], ['why.md', 'decision'], ['memo.md', 'memory'],
    ]);
    assert.deepEqual(warnings, []);
    assert.equal(Buffer.from(items[1]?.bytes ?? []).toString(), 'text of sub/A.txt');
  });

  it('names files from the working folder at a shell, and by their own name outside of it', () => {
    const { items } = collect({ files: ['deep/c.txt', '../a.txt', path.join(root, 'sub/b.txt')] }, path.join(root, 'sub'), 'cwd');
    assert.deepEqual(items.map(({ name }) => name), ['deep/c.txt', 'a.txt', 'b.txt']);
    assert.equal(collect({ files: ['deep/c.txt'] }, path.join(root, 'sub')).items[0]?.name, 'sub/deep/c.txt');
  });

  it('refuses two items of one name, naming both paths', async () => {
    temp.write('root/SUB/b.TXT', '');
    assert.match(await refusal(() => collect({ files: ['sub/b.txt', 'SUB/b.TXT'] })), /sub\/b\.txt" and .*SUB\/b\.TXT" would both be the item/);
    assert.match(await refusal(() => collect({ files: ['a.txt'], prompts: ['a.txt'] })), /would both be the item "a\.txt"; send/);
    for (const form of ['NFC', 'NFD']) temp.write(`root/forms/${'ä'.normalize(form)}.txt`, form);
    assert.match(await refusal(() => collect({ files: ['NFC', 'NFD'].map((form) => `forms/${'ä'.normalize(form)}.txt`) })), /would both be the item .*, as they differ in their Unicode form alone; send/);
  });

  it('refuses names that no bundle can hold', { skip: process.platform === 'win32' }, async () => {
    for (const name of ['a:b', 'a\\b', 'line\nbreak', 'rtl\u202e', 'zero\u200bwidth']) {
      temp.write(`root/bad/${name}`, '');
      assert.match(await refusal(() => collect({ files: [`bad/${name}`] })), /rename it/, JSON.stringify(name));
    }
  });

  it('leaves out of folders dot-names, names of keys, links and homes, and lists them', () => {
    for (const name of ['ok.txt', '.env', '.git/config', 'a.pem', 'b.p12', 'c.KEY', 'id_ed25519', 'person/notes.txt']) temp.write(`root/mixed/${name}`, 'x');
    temp.write('root/mixed/person/identity.key', identityFile);
    temp.write('root/mixed/other/identity.key', 'no identity');
    symlinkSync('/etc/hostname', temp.at('root/mixed/link'));
    symlinkSync('/etc', temp.at('root/mixed/etc'));
    const { items, warnings } = collect({ dirs: ['mixed'] });
    assert.deepEqual(items.map(({ name }) => name), ['mixed/ok.txt']);
    assert.deepEqual(warnings.map((warning) => /: "([^"]+)", as /.exec(warning)?.[1]), ['.env', '.git', 'a.pem', 'b.p12', 'c.KEY', 'etc', 'id_ed25519', 'link', 'other/identity.key', 'person']);
    assert.ok(warnings.every((warning) => warning.startsWith('left out of "mixed"')));
    for (const why of ['".env", as its name begins with a dot', '"etc", as it is a link', '"a.pem", as its name is that of a key', '"person", as it is a home of gage']) assert.ok(warnings.join('\n').includes(why), why);
  });

  it('counts skipped names beyond twenty, and says when a folder gives nothing', () => {
    for (let index = 0; index < 23; index++) temp.write(`root/dots/.file${index}`, '');
    const { items, warnings } = collect({ dirs: ['dots'] });
    assert.equal(items.length, 0);
    assert.equal(warnings.length, 22);
    assert.deepEqual(warnings.slice(-2), ['left out of "dots": 3 more', 'nothing in "dots" is to be sent']);
  });

  it('refuses folders that are links, missing or outside, and files among them as files', async () => {
    symlinkSync(temp.folder('root/sub'), temp.at('root/way'));
    for (const dir of ['way', 'missing', '..']) assert.match(await refusal(() => collect({ dirs: [dir] })), /folder|link/);
    assert.equal(await refusal(() => collect({ dirs: ['a.txt'] })), '"a.txt" is no folder; name it as a file');
    assert.equal(await refusal(() => collect({ files: ['sub'] })), '"sub" is no regular file; a folder is sent as dir (--dir at the command line)');
  });

  it('refuses a folder with more entries than it may have, sent or not', async () => {
    for (let index = 0; index < 4; index++) temp.write(`root/entries/.${index}`, '');
    assert.equal(walkFolder(temp.at('root/entries'), { maxFiles: 1, maxEntries: 4 }).skipped.length, 4);
    assert.match(await refusal(() => walkFolder(temp.at('root/entries'), { maxFiles: 1, maxEntries: 3 })), /more than 3 entries/);
  });

  it('refuses where the working folder is gone, and shows a name in quotes that it can not close', { skip: process.platform === 'win32' }, async () => {
    assert.match(await refusal(() => collect({ files: ['a.txt'] }, temp.at('gone'), 'cwd')), /"a\.txt" can not be read: it does not exist/);
    assert.match(await refusal(() => collect({ files: ['a" and \\b'] })), /^the file "a\\" and \\\\b" can not be read/);
  });

  it('refuses more than 256 items, 8 MiB for one and 16 MiB together, naming the limit', async () => {
    temp.write('root/big/fits', Buffer.alloc(8 * 1024 * 1024));
    temp.write('root/big/more', Buffer.alloc(8 * 1024 * 1024));
    temp.write('root/big/one', 'x');
    temp.write('root/over', Buffer.alloc(8 * 1024 * 1024 + 1));
    assert.equal(collect({ files: ['big/fits', 'big/more'] }).items.length, 2);
    assert.match(await refusal(() => collect({ dirs: ['big'] })), /16777216/);
    assert.match(await refusal(() => collect({ files: ['over'] })), /8388609 bytes; an item may have 8388608/);
    mkdirSync(temp.at('root/many'));
    for (let index = 0; index < 257; index++) temp.write(`root/many/${index}`, '');
    assert.match(await refusal(() => collect({ dirs: ['many'] })), /256/);
    assert.match(await refusal(() => collect({ files: Array.from({ length: 257 }, (_, index) => `many/${index}`) })), /257 items; a bundle may have 256/);
    assert.match(await refusal(() => walkFolder(temp.at('root/many'), { maxFiles: 10 })), /more than 10 files/);
    assert.match(await refusal(() => collect({ dirs: Array.from({ length: 257 }, () => 'sub') })), /257 folders; a bundle may have 256 items/);
  });
});
