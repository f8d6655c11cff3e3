import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { findingsPath, readFindings, updateFindings, writeFindings } from '../../../../lib/families/gadriel/domain/records/findings-file.ts';
import { makeFinding } from '../support/finding.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { assertFails, modesBind, noon } from './records-kit.ts';

describe('the file of findings', () => {
  const temp = tempFolder();
  const posix = process.platform !== 'win32';
  const a = makeFinding({ finding_id: 'R1:00000001', rule_id: 'R1', file: 'a.py', line: 5 });
  const b = makeFinding({ finding_id: 'R0:00000002', rule_id: 'R0', file: 'a.py', line: 5 });
  const c = makeFinding({ finding_id: 'R1:00000003', rule_id: 'R1', file: 'B.py', line: 90 });
  const withFile = (name: string, content: string | Uint8Array): string => {
    temp.write(`${name}/.security/findings.json`, content);
    return temp.at(name);
  };

  it('is written in the order of path, line and rule, the same for whatever order came in', async () => {
    const root = temp.folder('order');
    await writeFindings(root, [a, b, c], noon);
    const bytes = readFileSync(findingsPath(root));
    assert.deepEqual((await readFindings(root)).map((finding) => finding.finding_id), [c, b, a].map((finding) => finding.finding_id));
    await writeFindings(root, [c, a, b], noon);
    assert.deepEqual(readFileSync(findingsPath(root)), bytes);
    assert.ok(JSON.parse(bytes.toString()).every((event: { time: number }) => event.time === noon));
    assert.deepEqual(readdirSync(root), ['.security']);
  });

  it('is an empty array where nothing was found', async () => {
    const root = temp.folder('none');
    await writeFindings(root, [], noon);
    assert.equal(readFileSync(findingsPath(root), 'utf8'), '[]\n');
    assert.deepEqual(await readFindings(root), []);
  });

  it('loses nothing when two processes’ worth of scans change their parts at once', async () => {
    const root = temp.folder('parts');
    const ids = Array.from({ length: 20 }, (_, index) => `R1:${String(index).padStart(8, '0')}`);
    await Promise.all(ids.map((finding_id) => updateFindings(root, noon, (before = []) => [...before, makeFinding({ finding_id })])));
    assert.deepEqual((await readFindings(root)).map((finding) => finding.finding_id), ids);
  });

  it('is read from an object with findings as well, and with a byte order mark', async () => {
    await writeFindings(temp.folder('wrapped'), [a], noon);
    const events = readFileSync(findingsPath(temp.at('wrapped')), 'utf8');
    assert.deepEqual(await readFindings(withFile('wrapped', `\ufeff{"version": 1, "findings": ${events}}`)), [a]);
  });

  const broken: [title: string, content: string | Uint8Array, fault: string][] = [
    ['that is no JSON', '{"findings": [', 'is not valid OCSF: it is not JSON'],
    ['that is empty', '', 'is not valid OCSF: it is not JSON'],
    ['that is no list', '{"findings": {}}', 'is not valid OCSF: it must be an array, or an object with an array findings'],
    ['that is a number', '7', 'is not valid OCSF: it must be an array, or an object with an array findings'],
    ['with a broken element', '[{}]', 'is not valid OCSF: element 0: activity_id is missing'],
    ['that is not UTF-8', Uint8Array.of(0x5b, 0xff, 0x5d), 'is not UTF-8'],
  ];
  for (const [title, content, fault] of broken) {
    it(`is refused ${title}, and stays as it is when a part is changed`, async () => {
      const root = withFile(`broken-${title}`, content);
      await assertFails(readFindings(root), `.security/findings.json ${fault}`);
      await assertFails(updateFindings(root, noon, () => []), `.security/findings.json ${fault}`);
      assert.deepEqual(readFileSync(findingsPath(root)), Buffer.from(content));
    });
  }

  it('says what to do where it is missing', async () => {
    await assertFails(readFindings(temp.folder('missing')), 'there is no .security/findings.json: run gadriel code scan first');
  });

  it('is neither read nor written through a link, wherever on the way the link is', { skip: !posix }, async () => {
    const target = temp.write('victim/findings.json', 'print("source")\n');
    symlinkSync(temp.at('victim'), path.join(temp.folder('linked'), '.security'));
    symlinkSync(target, path.join(temp.folder('deep/.security'), 'findings.json'));
    for (const [root, link] of [['linked', '.security'], ['deep', '.security/findings.json']] as const) {
      const reason = `${link} is a symbolic link: it is neither read nor written through`;
      await assertFails(readFindings(temp.at(root)), reason);
      await assertFails(writeFindings(temp.at(root), [a], noon), reason);
    }
    assert.equal(readFileSync(target, 'utf8'), 'print("source")\n');
    assert.deepEqual(readdirSync(temp.at('victim')), ['findings.json']);
  });

  it('is told in plain words what stands in its place', { skip: !posix }, async () => {
    mkdirSync(path.join(temp.folder('folder/.security'), 'findings.json'));
    await assertFails(readFindings(temp.at('folder')), '.security/findings.json is no regular file');
    await assertFails(writeFindings(temp.at('folder'), [a], noon), '.security/findings.json can not be written: it is no regular file');
    assert.equal(spawnSync('mkfifo', [path.join(temp.folder('fifo/.security'), 'findings.json')]).status, 0);
    await assertFails(readFindings(temp.at('fifo')), '.security/findings.json is no regular file');
    writeFileSync(path.join(temp.folder('file'), '.security'), '');
    await assertFails(readFindings(temp.at('file')), '.security/findings.json can not be read: a part of its path is no folder');
    await assertFails(writeFindings(temp.at('file'), [a], noon), '.security can not be made: a file is in the place of its folder');
  });

  it('is refused in plain words in a folder that can not be written', { skip: !modesBind }, async () => {
    chmodSync(temp.folder('locked'), 0o555);
    await assertFails(writeFindings(temp.at('locked'), [a], noon), '.security can not be made: permission denied');
  });

  it('stays as it is when the disk is full', { skip: !posix }, async () => {
    const root = temp.folder('full');
    await writeFindings(root, [a], noon);
    const before = readFileSync(findingsPath(root));
    const module = new URL('../../../../lib/families/gadriel/domain/records/findings-file.js', import.meta.url).href;
    const program = `import { writeFindings } from '${module}';
      const finding = ${JSON.stringify(a)};
      await writeFindings(${JSON.stringify(root)}, Array.from({ length: 500 }, () => finding), 0).catch((error) => console.log(error.name, error.message));`;
    const { stdout, stderr } = spawnSync('sh', ['-c', 'trap "" XFSZ; ulimit -f 64; exec "$0" --input-type=module -e "$1"', process.execPath, program], {
      encoding: 'utf8', env: { ...process.env, NODE_V8_COVERAGE: '' },
    });
    assert.equal(`${stdout}${stderr}`, 'ToolFailed .security/findings.json can not be written: the limit for the size of files is reached\n');
    assert.deepEqual(readFileSync(findingsPath(root)), before);
    assert.deepEqual(readdirSync(path.join(root, '.security')).filter((name) => name.endsWith('.tmp')), []);
  });
});
