import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { foreignIds } from '../../../lib/families/gadriel/domain/foreign-ids.ts';
import { maxSourceBytes } from '../../../lib/families/gadriel/domain/decode-source.ts';
import { mcpRules } from '../../../lib/families/gadriel/domain/repository/mcp-rules.ts';
import { rules } from '../../../lib/families/gadriel/domain/rules/index.ts';
import { readSuppressions } from '../../../lib/families/gadriel/domain/suppressions.ts';
import { detectorTable } from '../../../lib/secrets/scan.ts';
import { projectRoot } from '../../support/project.ts';

type Generator = { fillMarkers(text: string, tables: Record<string, string>): string; tablesOf(sources: object): Record<string, string> };

const page = readFileSync(path.join(projectRoot, 'docs', 'gadriel.md'), 'utf8');
const generator = (await import(pathToFileURL(path.join(projectRoot, 'scripts', 'gadriel-docs.mjs')).href)) as Generator;

describe('docs/gadriel.md', () => {
  it('has the tables that the rules and detectors make (else run `npm run docs`)', () => {
    assert.equal(page, generator.fillMarkers(page, generator.tablesOf({ rules, mcpRules, detectorTable, foreignIds })));
  });

  it('names every rule and detector once in its tables', () => {
    for (const { id } of [...rules, ...mcpRules, ...detectorTable]) assert.equal(page.split(`\n| \`${id}\` |`).length, 2, id);
  });

  it('shows comments that silence what they say', () => {
    const shown = [...page.matchAll(/^\| (`#[^|]*) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, comment = '']) => comment));
    assert.ok(shown.length >= 6);
    for (const comment of shown) {
      const silences = (ruleId: string): boolean => readSuppressions(comment, [{ start: 0, end: comment.length }], () => 1).covers({ ruleId, firstLine: 1, lastLine: 1 });
      assert.ok(silences('CODE-W1-L3-017') || silences('CODE-W1-SECRET-075'), comment);
    }
  });

  it('states the limits that the code has', () => {
    assert.equal(maxSourceBytes, 5 * 1024 * 1024);
    for (const words of ['| file or buffer | 5 MiB |', '| a file that a fix is made for | 1 MiB of UTF-8', '100 KB of findings', '60 s and 1 GiB of heap']) assert.ok(page.includes(words), words);
  });
});

describe('fillMarkers', () => {
  it('replaces what stands between the markers alone', () => {
    assert.equal(generator.fillMarkers('a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb', { x: 'new' }), 'a\n<!-- x:begin -->\nnew\n<!-- x:end -->\nb');
  });

  it('refuses a page without the markers', () => {
    assert.throws(() => generator.fillMarkers('a', { x: 'new' }), /lacks the markers <!-- x:begin --> and <!-- x:end -->/);
  });
});
