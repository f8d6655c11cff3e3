import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../../../support/project.ts';
import { found } from './rule-kit.ts';

const folder = path.join(projectRoot, 'spec/fixtures/gadriel/marked');

describe('files with marked lines', () => {
  for (const file of readdirSync(folder).sort()) {
    it(`${file} has findings on its marked lines and on no other`, () => {
      const text = readFileSync(path.join(folder, file), 'utf8');
      const marked = text.split('\n').flatMap((line, index) => (line.endsWith('# found') ? [index + 1] : []));
      const lines = [...new Set(found(text, 'default', `app/${file}`).map((entry) => Number.parseInt(entry, 10)))];
      assert.deepEqual(lines.sort((a, b) => a - b), marked);
    });
  }
});
