import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { tempFolder } from '../../../support/temp-folder.ts';
import { places, project, scan } from './kit.ts';

const settings = '[[source]]\nname = "pkg.ask.user_input"\n[[sink]]\nname = "pkg.ask.danger"\nrule = "L3-017"\n[[sanitizer]]\nname = "pkg.ask.clean"\n';
const ask = 'def user_input():\n    return G\ndef danger(x):\n    print(x)\ndef clean(x):\n    return x\ndef inside():\n    danger(user_input())\n    danger(clean(user_input()))\n';

describe('names of .gadriel.toml in a repository', () => {
  const temp = tempFolder();
  const ways: readonly (readonly [imports: string, call: string])[] = [
    ['from pkg.ask import user_input as ui, danger, clean', 'danger(ui())\ndanger(clean(ui()))'], ['import pkg.ask', 'pkg.ask.danger(pkg.ask.user_input())\npkg.ask.danger(pkg.ask.clean(pkg.ask.user_input()))'],
    ['from .ask import *', 'danger(user_input())\ndanger(clean(user_input()))'], ['from . import ask as a', 'a.danger(a.user_input())\na.danger(a.clean(a.user_input()))'],
  ];
  for (const [at, [imports, call]] of ways.entries()) {
    it(`count whether their module is there or not: ${imports}`, async () => {
      const files = { '.gadriel.toml': settings, 'pkg/__init__.py': '', 'pkg/app.py': `${imports}\n${call}\n` };
      assert.deepEqual(places((await scan(project(temp, `without-${at}`, files))).findings), ['pkg/app.py:2 L3-017']);
      assert.deepEqual(places((await scan(project(temp, `with-${at}`, { ...files, 'pkg/ask.py': ask }))).findings), ['pkg/app.py:2 L3-017', 'pkg/ask.py:8 L3-017']);
    });
  }
});
