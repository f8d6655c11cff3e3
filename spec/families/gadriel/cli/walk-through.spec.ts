import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../../support/project.ts';
import { sarifFault } from '../report/sarif-schema.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const page = readFileSync(path.join(projectRoot, 'docs', 'gadriel.md'), 'utf8');
const [, part = ''] = /<!-- walk-through:begin -->\n([^]*)<!-- walk-through:end -->/.exec(page) ?? [];
const blocks = [...part.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text = '']) => text);

/** A block as a script that ends at the first command with another exit code than the page says. */
const asScript = (block: string): string => block.replace(/^(.*\S) +# exits with (\d+)$/gm, 'code=0; $1 || code=$?; [ $code -eq $2 ]');

describe('the remediation walk-through of docs/gadriel.md', () => {
  const temp = tempFolder();
  const work = temp.folder('work');
  const bin = temp.folder('bin');
  const launch = fileURLToPath(new URL('../../../cli/launch.js', import.meta.url));
  temp.write('bin/gadriel', `#!/bin/sh\nTOOLWIRE_FAMILY=gadriel exec '${process.execPath}' '${launch}' "$@"\n`);
  chmodSync(temp.at('bin/gadriel'), 0o755);
  const env = {
    ...process.env, PATH: `${bin}:${process.env['PATH']}`, HOME: temp.folder('home'), GADRIEL_HOME: temp.folder('home/.gadriel'), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'spec', GIT_AUTHOR_EMAIL: 'spec@example.invalid', GIT_COMMITTER_NAME: 'spec', GIT_COMMITTER_EMAIL: 'spec@example.invalid', ANTHROPIC_API_KEY: '',
  };

  it('works as it is written, command by command', { timeout: 120_000 }, () => {
    assert.equal(blocks.length, 6);
    const script = `set -eo pipefail\n${blocks.map(asScript).join('\n')}`;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: work, env, encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    assert.match(stdout, /^\+ {4}return yaml\.load\(request\.data, Loader=yaml\.SafeLoader\)$/m);
    assert.match(stderr, /is complete: 2 finding\(s\)[^\n]*\n {2}2 verified\n/);
    assert.match(stdout, /\nno open findings\n\n1 waived\n/);
    assert.match(`${stdout}${stderr}`, /src\/new\.py:1:1 {2}critical|src\/new\.py:1:1 {2}high/);
  });

  it('leaves fixed code, a page and a log that are valid, and nothing else', () => {
    const app = readFileSync(path.join(work, 'src/app.py'), 'utf8');
    assert.doesNotMatch(app, /shell=True|yaml\.Loader|md5\(body\)/);
    const log = JSON.parse(readFileSync(path.join(work, 'report.sarif'), 'utf8'));
    assert.equal(sarifFault(log), undefined);
    assert.equal(log.runs[0].results[0].suppressions[0].justification, 'legitimate filesystem MCP with allow-list');
    assert.match(readFileSync(path.join(work, 'report.html'), 'utf8'), /<b>No real issue:<\/b> legitimate filesystem MCP with allow-list</);
    const { stdout } = spawnSync('git', ['status', '--short'], { cwd: work, env, encoding: 'utf8' });
    assert.equal(stdout, 'A  src/new.py\n?? report.html\n?? report.sarif\n');
  });
});
