import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from './support/project.ts';

const filesBelow = (folder: string): string[] =>
  readdirSync(path.join(projectRoot, folder), { recursive: true })
    .map((name) => `${folder}/${String(name).replaceAll(path.sep, '/')}`)
    .filter((name) => name.endsWith('.ts'));
const read = (file: string): string => readFileSync(path.join(projectRoot, file), 'utf8');
const lib = filesBelow('lib');

/** Which layers of ours each layer may import; a family's parts have rules of their own. */
const mayImport: Record<string, string[]> = {
  jsonrpc: [], schema: [], store: [], text: [], syntax: ['text'], files: [],
  secrets: ['text'],
  terminal: ['text'],
  mcp: ['jsonrpc', 'schema', 'text'],
  domain: ['schema', 'store', 'text', 'syntax', 'files', 'secrets'],
  door: ['mcp', 'schema', 'text', 'domain'],
  cli: ['mcp', 'schema', 'text', 'domain', 'door', 'terminal'],
  index: ['mcp', 'schema', 'text', 'domain', 'door', 'cli'],
};
const bundled = /^(?:@babel\/parser|@lezer\/(?:common|lr|highlight|python|rust|java)|yaml|smol-toml|diff|aws4fetch)$/;

/** The layer of a file of lib: `domain`, `index`, `cli` or `door` (tools) in a family, undefined for the root, else its folder. */
function layerOf(file: string): string | undefined {
  const [, layer, , part] = file.split('/');
  if (layer === undefined || layer.endsWith('.ts') || layer === 'cli') return undefined;
  if (layer !== 'families') return layer;
  return /^(?:domain|index|cli)(?=$|[.-])/.exec(part ?? '')?.[0] ?? 'door';
}

const familyOf = (file: string): string | undefined => /^lib\/families\/([^/]+)/.exec(file)?.[1];

/** What a file imports: names of packages, and files of ours as paths from the root. */
function importsOf(file: string): string[] {
  const pattern = /^(?:import|export)\s(?:[^'";]*\sfrom\s)?'([^']+)'|\bimport\('([^']+)'\)/gm;
  const names = [...read(file).matchAll(pattern)].map(([, fixed, lazy]) => fixed ?? lazy ?? '');
  return names.map((name) => (name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name));
}

describe('the architecture', () => {
  for (const file of lib) {
    it(`holds for ${file}`, () => {
      const layer = layerOf(file);
      for (const name of importsOf(file)) {
        if (!name.startsWith('lib/')) {
          assert.ok(name.startsWith('node:') || (bundled.test(name) && (layer === 'syntax' || layer === 'domain')), `it imports ${name}`);
        } else if (layer !== undefined) {
          const other = layerOf(name);
          const foreign = familyOf(name) !== undefined && familyOf(name) !== familyOf(file);
          assert.ok(!foreign && (other === layer || (other !== undefined && mayImport[layer]?.includes(other))), `layer ${layer} may not import ${name}`);
        }
      }
      const lines = read(file).split('\n').length - 1;
      // Tables of rules and types are as long as their subject.
      assert.ok(lines <= 400 || /\.types\.ts$|table|rules|detectors/.test(file), `it has ${lines} lines`);
      assert.ok(!/^export default/m.test(read(file)), 'it has a default export');
    });
  }

  it('has specs of 400 lines at most, without default exports', () => {
    for (const file of filesBelow('spec')) {
      assert.ok(read(file).split('\n').length <= 401 || file.includes('/rules/'), file);
      assert.ok(!/^export default/m.test(read(file)), file);
    }
  });

  it('has no runtime dependencies', () => {
    assert.deepEqual(Object.keys((JSON.parse(read('package.json')) as { dependencies?: object }).dependencies ?? {}), []);
  });
});
