import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { ruleById } from '../../../../lib/families/gadriel/domain/rules/index.ts';
import { parsePython } from '../../../../lib/syntax/python.ts';
import { projectRoot } from '../../../support/project.ts';
import { findingsOf } from './rule-kit.ts';

type Case = { readonly file: string; readonly expect: readonly { readonly line: number; readonly cwe: string }[]; readonly why: string };

const folder = path.join(projectRoot, 'spec/fixtures/gadriel/py');
const cases = JSON.parse(readFileSync(path.join(folder, 'index.json'), 'utf8')) as readonly Case[];

describe('Python cases', () => {
  it('are 14 with a flaw and 13 without', () => {
    assert.equal(cases.filter(({ expect }) => expect.length > 0).length, 14);
    assert.equal(cases.length, 27);
  });

  for (const { file, expect, why } of cases) {
    it(`${expect.length > 0 ? 'finds the flaw' : 'finds nothing'} in ${file}: ${why}`, () => {
      const text = readFileSync(path.join(folder, file), 'utf8');
      const module = parsePython(text);
      const lines = findingsOf(text, 'default', `app/${file}`).map((finding) => ({ line: module.lineAt(finding.start), cwe: finding.cwe ?? ruleById(finding.ruleId)?.cwe }));
      assert.deepEqual(lines, expect);
    });
  }
});
