import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ErrorCode } from '../../lib/index.ts';
import { exitCodes } from '../../lib/terminal/exit-codes.ts';
import { projectRoot } from '../support/project.ts';
import { launcher } from './run-program.ts';

test('docs/tools.md says what the tool tables say', () => {
  const { status, stderr } = spawnSync(process.execPath, [path.join(projectRoot, 'scripts', 'docs.mjs'), '--check'], { encoding: 'utf8', env: { ...process.env, TOOLWIRE: launcher } });
  assert.deepEqual([status, stderr], [0, '']);
});

test('docs/errors.md has every error code and exit code', () => {
  const text = readFileSync(path.join(projectRoot, 'docs', 'errors.md'), 'utf8');
  for (const code of [...Object.values(ErrorCode), ...Object.values(exitCodes)]) assert.match(text, new RegExp(`^\\| ${code} \\|`, 'm'));
});
