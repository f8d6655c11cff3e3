import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import { findFindings, readFindings, updateFindings, writeFindings } from '../../../../lib/families/gadriel/domain/records/findings-file.ts';
import { judge, markWaived } from '../../../../lib/families/gadriel/domain/records/judge.ts';
import { toOcsf } from '../../../../lib/families/gadriel/domain/records/ocsf.ts';
import { loadWaivers } from '../../../../lib/families/gadriel/domain/records/waivers.ts';
import { makeFinding } from '../support/finding.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { noon, surroundings } from './records-kit.ts';

describe('whether a finding is waived', () => {
  const temp = tempFolder();
  const dayMs = 86_400_000;
  const around = (day: number): ReturnType<typeof surroundings> => surroundings({ env: { GADRIEL_HOME: temp.at('home') }, now: () => noon + day * dayMs });
  const finding = makeFinding({ rule_id: 'R', file: 'a.py', line: 3 });
  const waiver = '[[waiver]]\nrule_id = "R"\npath = "a.py"\nline = 3\n';

  const cases: [title: string, toml: string, found: Finding, day: number, expected: boolean][] = [
    ['says the waiver of today', waiver, finding, 0, true],
    ['is no more once the waiver is taken back, whatever the last scan wrote', '', { ...finding, waived: true }, 0, false],
    ['is so until the waiver ends', `${waiver}expires_at = 2026-06-02\n`, { ...finding, waived: true }, 1, true],
    ['is no more after its end', `${waiver}expires_at = 2026-06-02\n`, { ...finding, waived: true }, 2, false],
    ['says a comment in the source', '', { ...finding, waived: true, tags: ['suppressed:insource'] }, 0, true],
    ['says nobody', '', finding, 0, false],
  ];
  for (const [title, toml, found, day, expected] of cases) {
    it(title, async () => {
      temp.write('.gadriel-waivers.toml', toml);
      assert.deepEqual((await judge(temp.root, [found], around(day))).map(({ waived }) => waived), [expected]);
      assert.deepEqual(markWaived([found], await loadWaivers(temp.root, noon + day * dayMs)), [{ ...found, waived: expected }]);
    });
  }

  it('is kept of another program’s finding, also after the file was written anew', async () => {
    temp.write('.gadriel-waivers.toml', '');
    const { unmapped: _, ...event } = toOcsf(finding, noon);
    temp.write('.security/findings.json', JSON.stringify([{ ...event, status_id: 3 }, { ...event, status_id: 1 }]));
    const waivedNow = async (): Promise<boolean[]> => (await judge(temp.root, await readFindings(temp.root), around(0))).map(({ waived }) => waived);
    assert.deepEqual(await waivedNow(), [true, false]);
    await updateFindings(temp.root, noon, (before = []) => before);
    assert.deepEqual(await waivedNow(), [true, false]);
  });

  it('is not believed of a file that says so of a finding of ours', async () => {
    await writeFindings(temp.root, [{ ...finding, waived: true }], noon);
    assert.deepEqual((await judge(temp.root, (await findFindings(temp.root)) ?? [], around(0))).map(({ waived }) => waived), [false]);
  });
});
