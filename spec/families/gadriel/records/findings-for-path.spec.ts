import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import { writeFindings } from '../../../../lib/families/gadriel/domain/records/findings-file.ts';
import { toOcsf } from '../../../../lib/families/gadriel/domain/records/ocsf.ts';
import { makeFinding } from '../support/finding.ts';
import { served } from '../support/served.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { gitInit, noon } from './records-kit.ts';

describe('findings_for_path', () => {
  const temp = tempFolder();
  const repo_root = temp.folder('repo');
  gitInit(repo_root);
  temp.write('repo/src/a.py', '');
  const { call } = served(temp.at('repo/src'));
  const findings = ['src/a.py', 'src/a.py', 'src/sub/b.py', 'srcx.py', 'src/ü ñ.py'].map((file, index) => makeFinding({ file, line: index + 1, finding_id: `R:0000000${index}`, waived: index === 1, tags: index === 1 ? ['suppressed:insource'] : [] }));
  const write = (): Promise<void> => writeFindings(repo_root, findings, noon);
  const lines = async (path: string): Promise<number[]> => {
    const { result } = await call('findings_for_path', { path, repo_root });
    return result.structuredContent.findings.map((finding: { line: number }) => finding.line);
  };

  it('answers what the last scan found in the file, waived findings too', async () => {
    await write();
    const { result } = await call('findings_for_path', { path: 'src/a.py', repo_root });
    assert.deepEqual(result.structuredContent, { findings: findings.slice(0, 2), count: 2, source: '.security/findings.json' });
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  });

  it('marks what was dismissed since the scan', async () => {
    await write();
    const { finding_id } = findings[2] as { finding_id: string };
    await call('dismiss_false_positive', { finding_id, reason: 'fine here', repo_root });
    const { result } = await call('findings_for_path', { path: 'src/sub/b.py', repo_root });
    assert.deepEqual(result.structuredContent.findings.map(({ waived }: { waived: boolean }) => waived), [true]);
  });

  it('takes the repository of the working folder where none is named', async () => {
    assert.equal((await call('findings_for_path', { path: 'srcx.py' })).result.structuredContent.count, 1);
  });

  const cases: [title: string, path: string, lines: number[]][] = [
    ['a path with dots in it', './src/../src/sub/./b.py', [3]],
    ['an absolute path inside the root', `${repo_root}/src/sub/b.py`, [3]],
    ['a folder, with all below it', 'src', [1, 2, 3, 5]],
    ['a folder with a slash behind it', 'src/sub/', [3]],
    ['the root', '.', [1, 2, 3, 5, 4]],
    ['letters beyond ASCII and blanks', 'src/ü ñ.py', [5]],
    ['backslashes', 'src\\sub\\b.py', [3]],
    ['a file without findings, which need not exist', 'src/none.py', []],
    ['a part of a name', 'src/a', []],
  ];
  for (const [title, path, expected] of cases) {
    it(`takes ${title}`, async () => {
      await write();
      assert.deepEqual(await lines(path), expected);
    });
  }

  it('follows links to the file that was scanned', { skip: process.platform === 'win32' }, async () => {
    await write();
    symlinkSync('src/a.py', temp.at('repo/link.py'));
    symlinkSync(repo_root, temp.at('alias'));
    assert.deepEqual(await lines('link.py'), [1, 2]);
    assert.deepEqual(await lines(`${temp.at('alias')}/src/sub/b.py`), [3]);
  });

  it('leaves out the least severe where all would be too much, and counts them', async () => {
    const many = Array.from({ length: 400 }, (_, index) => makeFinding({ line: index + 1, severity: index === 399 ? 'critical' : 'low' }));
    await writeFindings(repo_root, many, noon);
    const { findings: shown, count, truncated } = (await call('findings_for_path', { path: 'a.py', repo_root })).result.structuredContent;
    assert.deepEqual([count, shown.length + truncated, shown.at(-1).severity], [400, 400, 'critical']);
    assert.ok(truncated > 0 && JSON.stringify(shown).length <= 100 * 1024);
  });

  const failures: [title: string, path: string, root: string, reason: string][] = [
    ['a path above the root', '../other.py', 'repo', 'the path is outside the repository: give one relative to its root, or absolute inside it'],
    ['an absolute path elsewhere', '/etc/passwd', 'repo', 'the path is outside the repository: give one relative to its root, or absolute inside it'],
    ['a path longer than any', 'a/'.repeat(300_000), 'repo', 'the path is too long'],
    ['a NUL', 'a\0b', 'repo', 'the path holds a NUL character'],
    ['a repository that was never scanned', 'a.py', 'bare', 'there is no .security/findings.json: run gadriel code scan first'],
    ['a repository that is not there', 'a.py', 'nowhere', 'the repository does not exist'],
    ['a broken file', 'a.py', 'broken', '.security/findings.json is not valid OCSF: element 1: it must be an object'],
  ];
  temp.folder('bare');
  temp.write('broken/.security/findings.json', JSON.stringify([toOcsf(makeFinding(), noon), 7]));
  for (const [title, path, root, reason] of failures) {
    it(`fails for ${title}`, async () => {
      await write();
      const { result } = await call('findings_for_path', { path, repo_root: temp.at(root) });
      assert.deepEqual([result.isError, result.structuredContent], [true, { error: 'ToolFailed', tool: 'findings_for_path', reason }]);
    });
  }

  it('is no valid call without a path, or with one of another type', async () => {
    for (const args of [{}, { path: '' }, { path: 4 }, { path: 'a', repo_root: '' }, { path: 'a', repo_root: [] }]) {
      assert.equal((await call('findings_for_path', args)).error.code, -32602, JSON.stringify(args));
    }
  });
});
