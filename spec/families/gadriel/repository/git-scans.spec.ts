import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readFindings } from '../../../../lib/families/gadriel/domain/records/findings-file.ts';
import { git } from '../support/repository.ts';
import { runVerb } from '../support/run-verb.ts';
import { githubToken } from '../support/sample-secrets.ts';
import { launcher } from '../../../support/server-process.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { scanRepository } from '../../../../lib/families/gadriel/domain/repository/scan-repository.ts';
import { places, project, scan, surroundings } from './kit.ts';

const temp = tempFolder();
const commit = (root: string, message: string): void => {
  git(root, ['add', '-A']);
  git(root, ['commit', '-qm', message, '--allow-empty']);
};

describe('a scan since a revision', () => {
  it('looks at what differs from it: changed, new and staged files, also against more than one commit', async () => {
    const root = project(temp, 'since', { 'a.py': 'eval(input())\n', 'b.py': 'exec(input())\n', 'c/d.py': 'pass\n', 'gone.py': 'eval(input())\n', 'crlf.py': 'pass\r\n' });
    await scan(root);
    temp.write('since/c/d.py', 'eval(input())\n');
    commit(root, 'second');
    temp.write('since/b.py', 'pass\n');
    temp.write('since/new.py', 'exec(input())\n');
    rmSync(path.join(root, 'gone.py'));
    const head = await scan(root, { since: 'HEAD' });
    assert.deepEqual([head.files, places(head.findings)], [2, ['new.py:1 L3-001']]);
    // What was looked at is replaced, gone files among it; the rest stays.
    assert.deepEqual(places(await readFindings(root)), ['a.py:1 L3-002', 'new.py:1 L3-001']);
    const first = await scan(root, { since: 'HEAD~1' });
    assert.deepEqual([first.files, places(first.findings)], [3, ['c/d.py:1 L3-002', 'new.py:1 L3-001']]);
    assert.deepEqual(places((await scan(root, { since: 'main~1', path: 'c' })).findings), ['c/d.py:1 L3-002']);
  });

  it('takes a revision for nothing else, and refuses one that is not there', async () => {
    const root = project(temp, 'revision', { 'a.py': '' });
    for (const since of ['nowhere', '--help', '--all', '', 'HEAD:a.py']) await assert.rejects(scan(root, { since }), /there is no revision/, since);
    await assert.rejects(scan(project(temp, 'ungit', { 'a.py': '' }, false), { since: 'HEAD' }), /there is no revision/);
  });
});

describe('a scan of what is staged', () => {
  it('reads the index, not the disk, and writes nothing', async () => {
    const root = project(temp, 'staged', { 'a.py': 'eval(input())\n', 'b.py': 'pass\n', 'ü\n.py': 'pass\n' });
    temp.write('staged/b.py', 'exec(input())\n');
    temp.write('staged/ü\n.py', 'exec(input())\n');
    temp.write('staged/bin.dat', Uint8Array.of(0, 1));
    git(root, ['add', '-A']);
    temp.write('staged/b.py', 'pass\n');
    temp.write('staged/unstaged.py', 'eval(input())\n');
    const { findings, files } = await scan(root, { staged: true });
    assert.deepEqual([files, places(findings)], [2, ['b.py:1 L3-001', 'ü\n.py:1 L3-001']]);
    assert.equal(existsSync(path.join(root, '.security')), false);
    assert.equal((await scan(root, { staged: true, path: 'b.py' })).files, 1);
  });

  it('takes what the index holds, whatever became of it on the disk, and names the code that it can not read', async () => {
    const root = project(temp, 'index', { '.gadriel.toml': 'exclude = ["docs/"]\n' });
    const bad = 'eval(input())\n';
    const large = `${bad}#${'x'.repeat(5 * 1024 * 1024)}`;
    for (const file of ['gone.py', 'link.py', 'folder.py', 'docs/out.py', 'vendor/v.py', '.security/s.py']) temp.write(`index/${file}`, bad);
    for (const [file, content] of [['large.py', large], ['large.txt', large], ['large.ipynb', large], ['deploy', Buffer.from(`#!/usr/bin/env python3\n# caf\xe9\nkey = '${githubToken(5)}'\n`, 'latin1')], ['bytes.py', Uint8Array.of(0x61, 0xff)], ['wide.py', '# coding: made-up\n'], ['bin.dat', Uint8Array.of(0, 1)]] as const) temp.write(`index/${file}`, content);
    git(root, ['add', '-A', '-f']);
    for (const file of ['gone.py', 'link.py', 'folder.py']) rmSync(path.join(root, file));
    symlinkSync('docs/out.py', path.join(root, 'link.py'));
    mkdirSync(path.join(root, 'folder.py'));
    const { findings, files, incomplete, skipped } = await scan(root, { staged: true });
    assert.deepEqual([files, places(findings)], [6, ['deploy:3 SECRET-004', 'folder.py:1 L3-002', 'gone.py:1 L3-002', 'link.py:1 L3-002']]);
    assert.deepEqual(incomplete.map(({ file, failed, undecoded }) => [file, failed ?? undecoded === true]), [['bytes.py', true], ['deploy', true], ['large.ipynb', true], ['large.py', true], ['wide.py', true]]);
    assert.equal((await runVerb(['code', 'scan', '--staged', 'wide.py'], { cwd: root, env: { PATH: process.env['PATH'] ?? '' } })).code, 1);
    assert.deepEqual(skipped, { binary: 1, large: 1 });
  });

  it('looks in a hook at the commit that is being made: all changes, or some files alone', async () => {
    const root = project(temp, 'hooked', { 'a.py': 'pass\n', 'b.py': 'pass\n' });
    const program = [process.execPath, ...launcher].map((word) => `'${word}'`).join(' ');
    temp.write('hooked/.git/hooks/pre-commit', `#!/bin/sh\nexec ${program} gadriel code scan --staged\n`);
    chmodSync(path.join(root, '.git/hooks/pre-commit'), 0o755);
    const tryCommit = (...words: string[]): number | null => spawnSync('git', ['commit', '-qm', 'x', ...words], { cwd: root, env: { ...process.env, GADRIEL_HOME: temp.at('hook-home') } }).status;
    temp.write('hooked/a.py', 'eval(input())\n');
    assert.equal(tryCommit('-a'), 1);
    assert.equal(tryCommit('a.py'), 1);
    git(root, ['add', 'a.py']);
    temp.write('hooked/b.py', 'pass  # good\n');
    assert.equal(tryCommit('b.py'), 0, 'what is staged beside it is not in this commit');
    assert.equal(tryCommit(), 1);
    // An index of elsewhere says nothing about this repository, and its own one nothing about the commit that is made by another.
    temp.write('elsewhere/index', '');
    for (const index of [temp.at('elsewhere/index'), temp.at('nowhere/index'), '.git/none', 'a.py']) {
      await assert.rejects(scan(root, { staged: true }, { env: { PATH: process.env['PATH'], GIT_INDEX_FILE: index } }), /GIT_INDEX_FILE names another file/);
    }
  });

  it('is not led past code by entries without a file, without content, or under names that are no UTF-8', { skip: process.platform !== 'linux' }, async () => {
    const root = project(temp, 'entries', { 'a.py': 'pass\n' });
    temp.write('entries/gone.py', 'eval(input())\n');
    temp.write('entries/z.py', 'eval(input())\n');
    for (const byte of [0xfe, 0xff]) writeFileSync(Buffer.concat([Buffer.from(`${root}/odd`), Buffer.of(byte), Buffer.from('.py')]), byte === 0xfe ? 'eval(input())\n' : 'pass\n');
    writeFileSync(Buffer.concat([Buffer.from(`${root}/odd`), Buffer.of(0xff), Buffer.from('.txt')]), 'x');
    temp.write('entries/real\ufffd.py', 'eval(input())\n');
    git(root, ['add', '-A']);
    git(root, ['update-index', '--add', '--cacheinfo', `100644,${git(root, ['rev-parse', 'HEAD^{tree}']).trim()},b.py`]);
    const blob = git(root, ['rev-parse', ':gone.py']).trim();
    temp.write('entries/gone.py', 'eval(input())#\n');
    git(root, ['add', 'gone.py']);
    const lost = git(root, ['rev-parse', ':gone.py']).trim();
    assert.notEqual(lost, blob);
    rmSync(path.join(root, '.git/objects', lost.slice(0, 2), lost.slice(2)));
    const { findings, incomplete, skipped } = await scan(root, { staged: true });
    assert.deepEqual(places(findings), ['real\ufffd.py:1 L3-002', 'z.py:1 L3-002']);
    const unreadable = 'its name is no UTF-8, so that it can not be opened: rename it';
    assert.deepEqual(incomplete.map(({ file, reason }) => [file, reason]), [
      ['b.py', 'its content is no file for git'], ['gone.py', 'git does not have its content'], ['odd\ufffd.py', unreadable], ['odd\ufffd.py', unreadable],
    ]);
    assert.deepEqual(skipped, { name: 1 });
    // Once it is in the commit it is no news; and another name than theirs is not theirs.
    git(root, ['rm', '-q', '--cached', 'b.py', 'gone.py', 'real\ufffd.py', 'z.py']);
    git(root, ['commit', '-qm', 'odd']);
    rmSync(path.join(root, 'gone.py'));
    temp.write('entries/good.py', 'pass\n');
    temp.write('entries/odd\ufffd.py', 'eval(input())\n');
    git(root, ['add', 'good.py', 'odd\ufffd.py']);
    const next = await scan(root, { staged: true });
    assert.deepEqual([places(next.findings), next.incomplete, next.files], [['odd\ufffd.py:1 L3-002'], [], 2]);
    assert.ok(places((await scan(root, { since: 'HEAD' })).findings).includes('odd\ufffd.py:1 L3-002'));
  });

  it('finds secrets of the history behind an entry without a file, and says what is missing', async () => {
    const root = project(temp, 'hidden', { 'a.txt': 'a\n' });
    git(root, ['update-index', '--add', '--cacheinfo', `100644,${git(root, ['rev-parse', 'HEAD^{tree}']).trim()},aa.txt`]);
    temp.write('hidden/z.txt', `key ${githubToken(6)}\n`);
    git(root, ['add', 'z.txt']);
    git(root, ['commit', '-qm', 'hidden']);
    git(root, ['rm', '-q', '--cached', 'aa.txt', 'z.txt']);
    git(root, ['commit', '-qm', 'gone']);
    rmSync(path.join(root, 'z.txt'));
    const told = surroundings(root);
    assert.deepEqual(places((await scanRepository({ history: true }, told)).findings), ['z.txt:1 SECRET-004']);
    const lost = git(root, ['rev-parse', 'HEAD~1:z.txt']).trim();
    rmSync(path.join(root, '.git/objects', lost.slice(0, 2), lost.slice(2)));
    assert.deepEqual(places((await scanRepository({ history: true }, told)).findings), []);
    assert.deepEqual(told.lines, ['warning 1 content(s) of the history are not in this clone and were not searched']);
  });

  it('works before the first commit, and needs git', async () => {
    const root = project(temp, 'unborn', { 'a.py': 'eval(input())\n' }, false);
    await assert.rejects(scan(root, { staged: true }), /needs a git repository/);
    git(root, ['init', '-q']);
    git(root, ['add', '.']);
    assert.deepEqual(places((await scan(root, { staged: true })).findings), ['a.py:1 L3-002']);
  });
});

describe('a scan of the history', () => {
  it('finds each secret that is gone once, with its first commit, path and line', async () => {
    const [still, gone, merged] = [githubToken(1), githubToken(2), githubToken(3)];
    const root = project(temp, 'history', { 'keep.txt': `key ${still}\n`, 'old name.txt': `\nkey ${gone}\n` });
    const first = git(root, ['rev-parse', 'HEAD']).trim();
    git(root, ['mv', 'old name.txt', 'moved.txt']);
    commit(root, 'moved');
    rmSync(path.join(root, 'moved.txt'));
    temp.write('history/keep.txt', `\n\nkey ${still}\n`);
    commit(root, 'removed');
    git(root, ['checkout', '-q', '-b', 'side']);
    temp.write('history/side.txt', `x = ${merged}\nagain ${gone}\n`);
    commit(root, 'side');
    git(root, ['checkout', '-q', 'main']);
    git(root, ['branch', '-q', 'other', 'side']);
    const { findings, commits } = await scan(root, { history: true });
    assert.deepEqual(places(findings), ['keep.txt:3 SECRET-004', 'old name.txt:2 SECRET-004', 'side.txt:1 SECRET-004']);
    assert.equal(commits, 4);
    assert.ok(findings[1]?.tags.includes(`commit:${first}`) && findings[1].tags.includes('git-history'));
    assert.match(findings[1]?.message ?? '', new RegExp(`in commit ${first.slice(0, 12)}`));
    assert.ok(!JSON.stringify(findings).includes(gone));
    // A later scan has not looked at the history: what was found there stays.
    await scan(root);
    assert.equal((await readFindings(root)).length, 3);
    git(root, ['branch', '-qD', 'side', 'other']);
    await scan(root, { history: true });
    assert.equal((await readFindings(root)).length, 2);
  });

  it('warns of a shallow clone, whose earlier commits are not there', async () => {
    const root = project(temp, 'whole', { 'a.txt': 'a\n' });
    commit(root, 'second');
    git(temp.root, ['clone', '-q', '--depth', '1', `file://${root}`, 'shallow']);
    const told = surroundings(temp.at('shallow'));
    assert.equal((await scanRepository({ history: true }, told)).commits, 1);
    assert.match(told.lines.join(), /^warning this clone is shallow.*git fetch --unshallow/);
    const other = surroundings(root);
    await scanRepository({ history: true }, other);
    assert.deepEqual(other.lines, []);
  });

  it('passes over what is large or no text, takes many contents, and needs git', async () => {
    const root = project(temp, 'contents', { blob: Uint8Array.of(0, ...Buffer.from(githubToken(1))), 'b.txt': `${githubToken(2)}${'\n'.repeat(5 * 1024 * 1024)}`, 'p.lock/package-lock.json': githubToken(4) });
    for (let index = 0; index < 4; index++) temp.write(`contents/n${index}.txt`, `${'line\n'.repeat(250_000)}${index === 3 ? githubToken(3) : index}\n`);
    commit(root, 'more');
    for (const name of ['blob', 'b.txt', 'p.lock', 'n0.txt', 'n1.txt', 'n2.txt', 'n3.txt']) rmSync(path.join(root, name), { recursive: true });
    commit(root, 'gone');
    assert.deepEqual(places((await scan(root, { history: true })).findings), ['n3.txt:250001 SECRET-004']);
    await assert.rejects(scan(project(temp, 'bare', { 'a.py': '' }, false), { history: true }), /needs a git repository/);
  });

  it('says so where a commit is broken', async () => {
    const root = project(temp, 'corrupt', { 'a.txt': 'one\n' });
    const tree = git(root, ['rev-parse', 'HEAD^{tree}']).trim();
    rmSync(path.join(root, '.git/objects', tree.slice(0, 2), tree.slice(2)));
    await assert.rejects(scan(root, { history: true }), /the history can not be read/);
  });
});

describe('a repository that means harm', () => {
  it('gets nothing run that it configures, in any kind of scan', async () => {
    const root = project(temp, 'hostile', { 'a.py': 'eval(input())\n', '.gitattributes': '* filter=x diff=x text=auto\n' });
    const mark = temp.at('ran');
    const script = path.join(root, 'evil.sh');
    writeFileSync(script, `#!/bin/sh\ntouch '${mark}'\n`);
    chmodSync(script, 0o755);
    for (const hook of ['post-index-change', 'fsmonitor-watchman', 'pre-commit']) {
      writeFileSync(path.join(root, '.git/hooks', hook), `#!/bin/sh\ntouch '${mark}'\n`);
      chmodSync(path.join(root, '.git/hooks', hook), 0o755);
    }
    for (const key of ['core.fsmonitor', 'core.sshCommand', 'gpg.program', 'filter.x.clean', 'filter.x.smudge', 'diff.external', 'diff.x.command', 'diff.x.textconv', 'core.pager', 'core.editor', 'remote.origin.uploadpack']) {
      git(root, ['config', key, script]);
    }
    for (const [key, value] of [['log.showSignature', 'true'], ['remote.origin.url', 'ext::sh -c evil'], ['remote.origin.promisor', 'true'], ['extensions.partialClone', 'origin'], ['core.repositoryformatversion', '1']] as const) git(root, ['config', key, value]);
    temp.write('hostile/a.py', 'exec(input())\n');
    for (const options of [{}, { since: 'HEAD' }, { staged: true }, { history: true }]) await scan(root, options);
    assert.equal(existsSync(mark), false);
    // A missing object is fetched from nowhere.
    const blob = git(root, ['-c', 'core.fsmonitor=false', 'rev-parse', 'HEAD:a.py']).trim();
    rmSync(path.join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    await scan(root, { history: true });
    assert.equal(existsSync(mark), false);
  });
});
