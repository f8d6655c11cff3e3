import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadPlugin, locatePlugin } from '../../lib/cli/plugins.ts';
import { checkFamily } from '../../lib/mcp/dispatch-table.ts';
import { makeFolder } from './run-program.ts';

const load = (plugin: string, cwd: string): ReturnType<typeof loadPlugin> => loadPlugin(plugin, cwd, checkFamily);
const family = (name: string): string => `{ name: '${name}', apiVersion: 1, tools: () => [] }`;

function makePackage(t: TestContext, manifest: object, files: Readonly<Record<string, string>>): string {
  const cwd = makeFolder(t);
  const folder = path.join(cwd, 'node_modules', '@scope', 'plug');
  for (const [name, text] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return cwd;
}

test('a plugin exports a family, several, or functions that make them', async (t) => {
  const cases: [string, string[]][] = [
    [`export const family = ${family('one')};`, ['one']],
    [`export const families = [${family('one')}, ${family('two')}];`, ['one', 'two']],
    [`export const family = () => (${family('one')});`, ['one']],
    [`export async function families() { return [() => (${family('one')}), ${family('two')}]; }`, ['one', 'two']],
    [`export const families = ${family('one')};`, ['one']],
    [`export default { family: ${family('one')} };`, ['one']],
  ];
  for (const [index, [text, names]] of cases.entries()) {
    const cwd = makeFolder(t, { [`plugin-${index}.mjs`]: text });
    assert.deepEqual((await load(`./plugin-${index}.mjs`, cwd)).map(({ name }) => name), names, text);
    assert.equal((await load(path.join(cwd, `plugin-${index}.mjs`), '/')).length, names.length);
  }
});

test('a plugin that does not keep the contract is refused with the reason', async (t) => {
  const cases: [string, RegExp][] = [
    ['export const nothing = 1;', /exports neither family nor families/],
    ['export const families = [];', /exports no family/],
    ['export const family = null;', /a family must be an object/],
    [`export const family = { ...${family('one')}, apiVersion: 2 };`, /family one: apiVersion must be 1/],
    [`export const families = [${family('one')}, { name: 'Bad' }];`, /name of a family must match/],
    ["throw new Error('no luck');", /no luck/],
    ["export const family = () => { throw new Error('later'); };", /later/],
    ['export const family = {;', /Unexpected token/],
    ["import 'not-installed-anywhere';", /not-installed-anywhere/],
  ];
  for (const [text, reason] of cases) await assert.rejects(load('plugin.mjs', makeFolder(t, { 'plugin.mjs': text })), reason, text);
  const folder = makeFolder(t);
  await assert.rejects(load('./missing.mjs', folder), /^Error: there is no such file$/);
  await assert.rejects(load('missing-package', folder), /no package of this name is installed/);
});

test('a package is found from the working folder, by whichever entry it declares', async (t) => {
  const text = `export const family = ${family('pack')};`;
  const common = `exports.family = ${family('pack')};`;
  const cases: [string, object, Record<string, string>][] = [
    ['import alone', { type: 'module', exports: { '.': { types: './x.d.ts', import: './lib/main.js' } } }, { 'lib/main.js': text }],
    ['a plain exports text', { type: 'module', exports: './main.js' }, { 'main.js': text }],
    ['conditions without a dot', { type: 'module', exports: { browser: './no.js', node: { import: './main.js' } } }, { 'main.js': text }],
    ['CommonJS', { main: './main.js' }, { 'main.js': common }],
    ['index.js', {}, { 'index.js': common }],
  ];
  for (const [what, manifest, files] of cases) {
    const cwd = makePackage(t, { name: '@scope/plug', version: '1.0.0', ...manifest }, files);
    assert.deepEqual((await load('@scope/plug', cwd)).map(({ name }) => name), ['pack'], what);
  }
  const unusable = makePackage(t, { name: '@scope/plug', exports: { './other': './x.js', '.': null } }, {});
  assert.match(locatePlugin('@scope/plug', unusable), /index\.js$/);
});
