import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, describe, it } from 'node:test';
import { runGit } from '../../lib/files/git.ts';
import { listFiles, type ListOptions } from '../../lib/files/list-files.ts';

const base = mkdtempSync(path.join(tmpdir(), 'list-spec-'));
after(() => rmSync(base, { recursive: true, force: true }));
const env = { PATH: process.env['PATH'], HOME: base, GIT_DIR: '/nowhere', GIT_CONFIG_COUNT: 'x' };

/** A folder with files of one byte. */
function folderOf(name: string, files: readonly string[]): string {
  const root = path.join(base, name);
  for (const file of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), 'x');
  }
  return root;
}

const git = (root: string, ...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=s', '-c', 'user.email=s@example.invalid', ...words], { cwd: root, env: { PATH: env.PATH, HOME: base }, encoding: 'utf8' });
const list = async (root: string, options: Partial<ListOptions> = {}): Promise<{ names: string[]; skipped: object; git: boolean }> => {
  const { files, skipped, git: isGit } = await listFiles(root, { env, ...options });
  return { names: files.map((file) => file.path), skipped, git: isGit };
};

describe('listFiles in a git repository', () => {
  it('lists tracked and untracked files, not ignored ones, and counts what it leaves out', async () => {
    const root = folderOf('repository', [
      'a.py', 'sub/b.py', 'ünï code.py', 'new\nline.py', ' blank', 'ignored.log', 'build/made.js', 'dist/kept.js', 'node_modules/x/i.js', 'deep/vendor/v.go', 'gone.py', 'linked/inner.py',
    ]);
    git(root, 'init', '-q');
    writeFileSync(path.join(root, '.gitignore'), '*.log\n');
    git(root, 'add', 'a.py', 'dist', 'gone.py', 'node_modules', 'linked');
    rmSync(path.join(root, 'gone.py'));
    // A tracked folder gives way to a link out of the repository.
    rmSync(path.join(root, 'linked'), { recursive: true });
    symlinkSync(folderOf('outside', ['inner.py']), path.join(root, 'linked'));
    symlinkSync('a.py', path.join(root, 'link.py'));
    git(path.join(folderOf('repository/nested', ['n.py'])), 'init', '-q');
    execFileSync('mkfifo', [path.join(root, 'pipe')]);
    const { names, skipped, git: isGit } = await list(root);
    assert.deepEqual(names, [' blank', '.gitignore', 'a.py', 'dist/kept.js', 'new\nline.py', 'sub/b.py', 'ünï code.py']);
    assert.deepEqual(skipped, { vendored: 2, generated: 1, missing: 1, symlink: 3, submodule: 1 });
    assert.equal(isGit, true);
    const { files } = await listFiles(root, { env });
    assert.deepEqual(files.find((file) => file.path === 'a.py'), { path: 'a.py', size: 1, tracked: true });
    assert.equal(files.find((file) => file.path === 'sub/b.py')?.tracked, false);
  });

  it('lists a folder alone, and leaves out what the caller does not want', async () => {
    const root = folderOf('part', ['a.py', 'sub/b.py', 'sub/c.md', '*/d.py']);
    git(root, 'init', '-q');
    assert.deepEqual((await list(root, { under: 'sub' })).names, ['sub/b.py', 'sub/c.md']);
    assert.deepEqual((await list(root, { under: '*' })).names, ['*/d.py']);
    assert.deepEqual(await list(root, { under: 'sub', exclude: (file) => file.endsWith('.md') }), { names: ['sub/b.py'], skipped: { excluded: 1 }, git: true });
  });

  it('lists a file in conflict once, and a submodule not at all', async () => {
    const root = folderOf('conflict', ['a.py']);
    git(root, 'init', '-q', '-b', 'main');
    git(root, 'add', '.');
    git(root, 'commit', '-qm', '1');
    const inner = folderOf('inner', ['i.py']);
    git(inner, 'init', '-q');
    git(inner, 'add', '.');
    git(inner, 'commit', '-qm', '1');
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'mod');
    const blob = git(root, 'rev-parse', ':a.py').trim();
    git(root, 'rm', '--cached', '-q', 'a.py');
    execFileSync('git', ['update-index', '--index-info'], { cwd: root, input: `100644 ${blob} 1\ta.py\n100644 ${blob} 2\ta.py\n100644 ${blob} 3\ta.py\n` });
    assert.deepEqual(await list(root), { names: ['.gitmodules', 'a.py'], skipped: { submodule: 1 }, git: true });
  });

  it('runs nothing that the repository configures', async () => {
    const root = folderOf('hostile', ['a.py']);
    git(root, 'init', '-q');
    const mark = path.join(base, 'ran');
    const script = path.join(root, 'evil.sh');
    writeFileSync(script, `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(script, 0o755);
    for (const key of ['core.fsmonitor', 'core.hooksPath', 'core.sshCommand', 'gpg.program', 'filter.x.clean', 'diff.external']) git(root, 'config', key, script);
    writeFileSync(path.join(root, '.gitattributes'), '* filter=x diff=x\n');
    assert.equal((await list(root)).git, true);
    await runGit(['rev-parse', 'HEAD'], { cwd: root, env });
    assert.equal(existsSync(mark), false);
  });
});

describe('listFiles outside of git', () => {
  const files = ['a.py', 'b.log', 'keep.log', 'sub/c.py', 'sub/d.tmp', 'sub/deep/e.tmp', 'out/f.js', 'node_modules/g.js', 'gen/h.py', 'gen/i/j.py', 'sub/only.py'];

  it('walks, honouring each .gitignore', async () => {
    const root = folderOf('plain', files);
    writeFileSync(path.join(root, '.gitignore'), '*.log\n!keep.log\n/gen/\nonly.py\n');
    writeFileSync(path.join(root, 'sub/.gitignore'), '*.tmp\n!/deep/e.tmp\n!only.py\n');
    symlinkSync('sub', path.join(root, 'round'));
    const { names, skipped, git: isGit } = await list(root);
    assert.deepEqual(names, ['.gitignore', 'a.py', 'keep.log', 'sub/.gitignore', 'sub/c.py', 'sub/deep/e.tmp', 'sub/only.py']);
    assert.deepEqual(skipped, { ignored: 3, vendored: 1, symlink: 1, generated: 1 });
    assert.equal(isGit, false);
    assert.deepEqual((await list(root, { under: 'sub/deep' })).names, ['sub/deep/e.tmp']);
    assert.deepEqual((await list(root, { under: 'gen' })).names, []);
    assert.deepEqual((await list(root, { under: 'a.py' })).names, ['a.py']);
  });

  it('does without git, and where git refuses', async () => {
    const root = folderOf('broken', ['a.py']);
    writeFileSync(path.join(root, '.git'), 'gitdir: /nowhere/at/all\n');
    assert.deepEqual(await list(root), { names: ['a.py'], skipped: {}, git: false });
    assert.deepEqual(await list(root, { env: { PATH: '/nowhere' } }), { names: ['a.py'], skipped: {}, git: false });
  });

  it('tells why git refuses, but not that there is no repository', async () => {
    const root = folderOf('refused', ['a.py']);
    git(root, 'init', '-q');
    assert.equal((await listFiles(root, { env })).refusal, undefined);
    assert.equal((await listFiles(root, { env: { PATH: '/nowhere' } })).refusal, 'there is no git');
    writeFileSync(path.join(root, '.git/index'), 'no index');
    assert.match((await listFiles(root, { env })).refusal ?? '', /index/);
    assert.equal((await listFiles(folderOf('plainly', ['a.py']), { env })).refusal, undefined);
    // Another owner can be had only by a git that says so.
    const bin = folderOf('bin', ['git']);
    writeFileSync(path.join(bin, 'git'), '#!/bin/sh\necho "fatal: detected dubious ownership in repository at \'/x\'" >&2\necho "To add an exception" >&2\nexit 128\n');
    chmodSync(path.join(bin, 'git'), 0o755);
    assert.equal((await listFiles(root, { env: { PATH: `${bin}:${env.PATH ?? ''}` } })).refusal, "detected dubious ownership in repository at '/x'");
    writeFileSync(path.join(bin, 'git'), '#!/bin/sh\nexit 9\n');
    assert.equal((await listFiles(root, { env: { PATH: `${bin}:${env.PATH ?? ''}` } })).refusal, 'it ended with an error');
  });

  it('counts folders that git may not look into', async () => {
    const root = folderOf('closed', ['a.py']);
    mkdirSync(path.join(root, '.git'));
    const bin = folderOf('warning', ['git']);
    writeFileSync(path.join(bin, 'git'), '#!/bin/sh\necho "warning: could not open directory \'in/side/\': Permission denied" >&2\nprintf "H a.py\\0"\n');
    chmodSync(path.join(bin, 'git'), 0o755);
    const options = { env: { PATH: `${bin}:${env.PATH ?? ''}` } };
    assert.deepEqual(await list(root, options), { names: ['a.py'], skipped: { unreadable: 1 }, git: true });
    assert.deepEqual((await list(root, { ...options, counted: 'other' })).skipped, {});
  });

  it('counts in one folder alone, and never what is the caller\'s own', async () => {
    const root = folderOf('own', ['a.log', 'sub/b.log', 'sub/vendor/v.js', '.own/x', '.own/y', '.owner/z']);
    writeFileSync(path.join(root, '.gitignore'), '*.log\n');
    writeFileSync(path.join(root, '.own/.gitignore'), '*\n');
    const plain = { names: ['.gitignore', '.owner/z'], skipped: { ignored: 2, vendored: 1 } };
    assert.deepEqual(await list(root, { without: '.own' }), { ...plain, git: false });
    assert.deepEqual((await list(root, { counted: 'sub' })).skipped, { ignored: 1, vendored: 1 });
    git(root, 'init', '-q');
    git(root, 'add', '-f', '.own/x');
    assert.deepEqual(await list(root, { without: '.own' }), { names: plain.names, skipped: { vendored: 1 }, git: true });
  });

  it('names what is tracked and gone', async () => {
    const root = folderOf('lost', ['a.py', 'b.py']);
    git(root, 'init', '-q');
    git(root, 'add', '.');
    rmSync(path.join(root, 'b.py'));
    assert.deepEqual((await listFiles(root, { env })).missing, ['b.py']);
  });

  it('goes no deeper than 200 folders', async () => {
    const root = folderOf('deep', [`${'d/'.repeat(150)}a.py`, `${'e/'.repeat(210)}b.py`]);
    assert.deepEqual(await list(root), { names: [`${'d/'.repeat(150)}a.py`], skipped: { unreadable: 1 }, git: false });
  });

  it('ends at once where its caller wants no more', async () => {
    const root = folderOf('ended', ['a.py']);
    await assert.rejects(list(root, { signal: AbortSignal.abort(new Error('enough')) }), /enough/);
  });
});
