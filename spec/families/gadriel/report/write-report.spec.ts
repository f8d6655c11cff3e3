import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { toHtml } from '../../../../lib/families/gadriel/domain/report/html.ts';
import { toSarif } from '../../../../lib/families/gadriel/domain/report/sarif.ts';
import { writeReport, type ReportKind } from '../../../../lib/families/gadriel/domain/report/write-report.ts';
import { isToolFailed } from '../../../../lib/families/gadriel/domain/tool-failed.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const refused = (reason: RegExp) => (error: unknown): boolean => isToolFailed(error) && reason.test(error.message) && !error.message.includes('/tmp');

describe('writeReport', () => {
  const temp = tempFolder();
  const root = temp.folder('repo');
  const meta = { root, now: 0 };
  const texts: Readonly<Record<ReportKind, string>> = { html: toHtml([], meta), sarif: JSON.stringify(toSarif([], meta)) };

  for (const kind of ['html', 'sarif'] as const) {
    it(`writes a new ${kind} file and replaces its own`, async () => {
      const file = temp.at(`repo/new.${kind}`);
      await writeReport(file, texts[kind], { root, kind });
      assert.equal(readFileSync(file, 'utf8'), texts[kind]);
      await writeReport(file, `${texts[kind]} `, { root, kind });
      assert.equal(readFileSync(file, 'utf8'), `${texts[kind]} `);
    });

    const others = ['print(1)\n', '', '{}', '{"runs":[]}', '{"runs":[{"tool":{"driver":{"name":"other"}}}]}', '<!doctype html>', texts[kind === 'html' ? 'sarif' : 'html']];
    for (const [index, content] of others.entries()) {
      it(`leaves a file of the repository alone that is no ${kind} report of this program (${index + 1})`, async () => {
        const file = temp.write(`repo/src/other${index}.py`, content);
        await assert.rejects(writeReport(file, texts[kind], { root, kind }), refused(/exists inside the repository and is no earlier/));
        assert.equal(readFileSync(file, 'utf8'), content);
      });
    }
  }

  it('follows a link before it decides', async () => {
    const source = temp.write('repo/src/real.py', 'x = 1\n');
    symlinkSync(source, temp.at('outside-link'));
    symlinkSync(temp.folder('repo/src'), temp.at('outside-folder'));
    for (const file of ['outside-link', 'outside-folder/real.py']) {
      await assert.rejects(writeReport(temp.at(file), texts.html, { root, kind: 'html' }), refused(/exists inside the repository/));
    }
    assert.equal(readFileSync(source, 'utf8'), 'x = 1\n');
  });

  it('replaces what its user names outside the repository', async () => {
    const file = temp.write('out.html', 'anything');
    await writeReport(file, texts.html, { root, kind: 'html' });
    assert.equal(readFileSync(file, 'utf8'), texts.html);
  });

  for (const name of ['.gadriel-waivers.toml', '.gadriel.toml', '.GADRIEL.TOML', '.security/findings.json', '.security/deep/x.html', 'sub/.gadriel.toml']) {
    it(`makes no ${name} out of a report, by whichever way it is named`, async () => {
      temp.folder('repo/.security/deep');
      temp.folder('repo/sub');
      symlinkSync(temp.at('repo'), temp.at(`alias-${name.replaceAll('/', '-')}`));
      for (const file of [temp.at(`repo/${name}`), path.join(temp.at(`alias-${name.replaceAll('/', '-')}`), name)]) {
        await assert.rejects(writeReport(file, texts.html, { root, kind: 'html' }), refused(/is not written: no report belongs into \.(?:security|gadriel)/i));
        assert.equal(existsSync(file), false);
      }
    });
  }

  it('writes nothing into .git, over a folder, or where no folder is', async () => {
    temp.folder('repo/.git/hooks');
    await assert.rejects(writeReport(temp.at('repo/.git/hooks/pre-commit'), texts.html, { root, kind: 'html' }), refused(/no report belongs into \.git/));
    temp.folder('repo/module/.GIT');
    await assert.rejects(writeReport(temp.at('repo/module/.GIT/x.html'), texts.html, { root, kind: 'html' }), refused(/no report belongs into \.GIT/));
    await assert.rejects(writeReport(temp.folder('repo/folder'), texts.html, { root, kind: 'html' }), refused(/exists inside/));
    await assert.rejects(writeReport(temp.folder('folder'), texts.html, { root, kind: 'html' }), (error) => isToolFailed(error) && error.message === `folder could not be written in ${temp.root}: it is a folder, a device or a pipe, no file`);
    await assert.rejects(writeReport(temp.at(`repo/src/${'n'.repeat(256)}`), texts.html, { root, kind: 'html' }), refused(/^n+ is not written|^n+ could not be written in src: the name is too long$/));
    await assert.rejects(writeReport(temp.at(`repo/${'n'.repeat(250)}/x.html`), texts.html, { root, kind: 'html' }), refused(/does not exist/));
    await assert.rejects(writeReport(temp.at('repo/none/x.html'), texts.html, { root, kind: 'html' }), refused(/^x\.html could not be written: its folder none does not exist$/));
    await assert.rejects(writeReport('/nonexist/a.html', texts.html, { root, kind: 'html' }), refused(/its folder \/nonexist does not exist/));
    await assert.rejects(writeReport(temp.at('repo/src/real.py/x.html'), texts.html, { root, kind: 'html' }), refused(/its folder src\/real\.py is a file/));
    symlinkSync(temp.at('nowhere'), temp.at('repo/dangling'));
    await assert.rejects(writeReport(temp.at('repo/dangling'), texts.html, { root, kind: 'html' }), refused(/it is a link that leads nowhere/));
  });
});
