import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { git } from '../support/repository.ts';
import { runVerb, type VerbRun } from '../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

describe('a campaign with the offline runner', () => {
  const temp = tempFolder();
  const commands = ['"nslookup " + request.args["x"]', '"host " + request.args["x"]', '"ping -c 1 " + request.args["x"]', '"ls | grep " + request.args["x"]'];
  const source = `import subprocess\nfrom flask import request\n\n${commands.map((command, index) => `\ndef f${index}():\n    return subprocess.check_output(${command}, shell=True)\n`).join('\n')}`;
  temp.write('repo/a.py', source);
  temp.write('repo/tab\tand\nline.py', 'from flask import request\nimport yaml\n\n\ndef f():\n    return yaml.load(request.data, Loader=yaml.Loader)\n');
  const cwd = temp.folder('repo');
  git(cwd, ['init', '-q']);
  const verb = (...words: string[]): Promise<VerbRun> => runVerb(words, { cwd, env: { PATH: process.env['PATH'] ?? '', GADRIEL_HOME: temp.at('home') } });

  it('waives nothing by itself, takes a list for a shell as done, and leaves the gate closed for what it can not mend', async () => {
    assert.equal((await verb('code', 'scan')).code, 1);
    const id = /^(campaign-\d+): 5 findings/.exec((await verb('code', 'campaign', 'start', '--severity', 'critical', '--runner', 'rules')).stdout)?.[1] ?? '';
    let step = await verb('code', 'campaign', 'advance', id);
    let diffs = 0;
    for (; step.stdout !== ''; diffs++) {
      git(cwd, ['apply', '-'], step.stdout);
      step = await verb('code', 'campaign', 'advance', id, '--applied');
    }
    assert.equal(diffs, 4);
    assert.match(step.stderr, /is complete: 5 finding\(s\), \$0\n {2}4 verified\n {2}1 skipped_no_agent\n {2}skipped_no_agent: CODE-W1-L3-017:/);
    assert.ok(!existsSync(temp.at('repo/.gadriel-waivers.toml')));
    const rest = await verb('code', 'scan', '--json');
    assert.equal(rest.code, 1);
    const left = (JSON.parse(rest.stdout) as { findings: { rule_id: string; severity: string }[] }).findings;
    assert.deepEqual(left.filter(({ severity }) => severity === 'critical').map(({ rule_id }) => rule_id), ['CODE-W1-L3-017']);
  });

  it('is not ended by another start, unless that is forced', async () => {
    const first = /^(campaign-\d+):/.exec((await verb('code', 'campaign', 'start', '--runner', 'rules')).stdout)?.[1];
    const second = await verb('code', 'campaign', 'start', '--runner', 'rules');
    assert.deepEqual([second.code, second.stdout], [1, '']);
    assert.match(second.stderr, new RegExp(`^gadriel: ${first} is not finished: go on with gadriel code campaign advance ${first}, or end it with --force\n$`));
    assert.equal((await verb('code', 'campaign', 'start', '--runner', 'rules', '--force')).code, 0);
  });
});
