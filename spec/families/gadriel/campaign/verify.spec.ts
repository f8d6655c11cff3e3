import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { CampaignItem } from '../../../../lib/families/gadriel/domain/campaign/campaign.types.ts';
import { rescanFile } from '../../../../lib/families/gadriel/domain/repository/rescan-file.ts';
import { campaignKit, proposed, type Answer, type Kit } from './campaign-kit.ts';

async function begin(kit: Kit, content: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  kit.requests.length = 0;
  for (const name of ['.gadriel-waivers.toml', '.gadriel.toml', '.security/audit-log.jsonl']) rmSync(kit.at(name), { force: true });
  Object.assign(kit.parts, { env: { GADRIEL_HOME: kit.at('.git/home'), ...env } });
  kit.write('a.py', content);
  await kit.scan(['a.py']);
  return (await kit.start({}, { force: true })).campaign_id;
}

const itemsOf = (kit: Kit, id: string): readonly CampaignItem[] => kit.campaign(id).items;
const priorsOf = (kit: Kit): string => (existsSync(kit.at('.git/home/store')) ? 'learned' : 'nothing');

describe('a fix that mends something else', () => {
  const kit = campaignKit();
  const head = 'import subprocess\nfrom flask import request\n\n\ndef f(cur):\n    a = request.args["a"]\n    b = request.args["b"]\n';
  const one = '    cur.execute("SELECT * FROM t WHERE a = \'" + a + "\'")\n';
  const two = '    cur.execute("DELETE FROM u WHERE b = \'" + b + "\'")\n';
  const [oneFixed, twoFixed] = ['    cur.execute("SELECT * FROM t WHERE a = ?", (a,))\n', '    cur.execute("DELETE FROM u WHERE b = ?", (b,))\n'];
  const shell = '    subprocess.run("ls " + a, shell=True)\n';

  for (const [what, before, after, status] of [
    ['only the other one is mended', one + two, one + twoFixed, 'in_progress'],
    ['the other one is mended and its own line is reworded', one + two, one.replace('t WHERE', 'tt WHERE') + twoFixed, 'in_progress'],
    ['the other one is taken away and its own text moves into a variable', one + two, one.replace('cur.execute(', 'q = (') + '    cur.execute(q)\n', 'in_progress'],
    ['the other one, with which it shares its text, is mended', one + one, one + oneFixed, 'verified'],
    ['it is mended', one + two, oneFixed + two, 'verified'],
    ['both are', one + two, oneFixed + twoFixed, 'verified'],
    ['it goes by another rule of its family', shell, '    subprocess.run(["bash", "-c", "ls " + a])\n', 'in_progress'],
    ['it is gone', shell, '    subprocess.run(["ls", a], check=True)\n', 'verified'],
  ] as const) {
    it(`is told when ${what}: ${status}`, async () => {
      rmSync(kit.at('.git/home'), { recursive: true, force: true });
      const id = await begin(kit, head + before);
      kit.runner = () => proposed;
      const first = await kit.advance(id);
      assert.ok(first.status === 'in_progress');
      kit.write('a.py', head + after);
      await kit.advance(id, { applied: true });
      const { status: now, attempts } = itemsOf(kit, id)[0] as CampaignItem;
      assert.deepEqual([now, attempts, priorsOf(kit)], status === 'verified' ? ['verified', 1, 'learned'] : ['in_progress', 2, 'nothing']);
    });
  }
});

describe('a file that is broken afterwards', () => {
  const kit = campaignKit();
  const flaw = 'import sys\neval(sys.argv[1])\n';
  for (const [what, before, after, status] of [
    ['does not parse', flaw, 'import sys\nx = (sys.argv[1\n', 'verified_partial'], ['is empty', flaw, '', 'verified'],
    ['has the syntax error that it had', `${flaw}x = = 1\n`, 'import sys\nx = = 1\n', 'verified'],
  ] as const) {
    it(`is ${status} where it ${what}`, async () => {
      const id = await begin(kit, before);
      kit.runner = () => proposed;
      await kit.advance(id);
      kit.write('a.py', after);
      await kit.advance(id, { applied: true });
      const { status: now, reason } = itemsOf(kit, id)[0] as CampaignItem;
      assert.equal(now, status);
      if (status === 'verified_partial') assert.match(reason ?? '', /syntax errors/);
    });
  }
});

describe('a scan under other settings', () => {
  const kit = campaignKit();
  // The scans of the repository itself: they go by its settings.
  Object.assign(kit.parts, { rescanFile: (root: string, file: string, text: string) => rescanFile(root, file, text, kit.parts, kit.parts.signal) });
  const flaw = 'import sys\neval(sys.argv[1])\n';

  for (const [what, settings] of [['the rule is switched off', '[rules]\nL3-002 = "off"\n'], ['its severity changes', '[rules]\nL3-002 = "low"\n'], ['what clears values changes', '[[sanitizer]]\nname = "str"\n']] as const) {
    it(`verifies nothing when ${what} before the fix is looked at`, async () => {
      const id = await begin(kit, flaw);
      kit.runner = () => proposed;
      await kit.advance(id);
      kit.write('.gadriel.toml', settings);
      kit.write('a.py', 'import sys\nprint(sys.argv[1])\n');
      await kit.advance(id, { applied: true });
      const [item] = itemsOf(kit, id);
      assert.deepEqual([item?.status, /\.gadriel\.toml was changed/.test(item?.reason ?? '')], ['verified_partial', true]);
    });
  }

  it('takes a file of settings that says the same as the same', async () => {
    const id = await begin(kit, flaw);
    kit.runner = () => proposed;
    await kit.advance(id);
    kit.write('.gadriel.toml', '# nothing yet\n');
    kit.write('a.py', 'import sys\nprint(sys.argv[1])\n');
    await kit.advance(id, { applied: true });
    assert.equal(itemsOf(kit, id)[0]?.status, 'verified');
  });

  it('refuses to judge under broken settings, and changes nothing', async () => {
    const id = await begin(kit, flaw);
    kit.runner = () => proposed;
    await kit.advance(id);
    kit.write('.gadriel.toml', 'rules = 7\n');
    kit.write('a.py', 'x = 1\n');
    await assert.rejects(kit.advance(id, { applied: true }), { name: 'ToolFailed', message: /\.gadriel\.toml, line 1/ });
    assert.equal(itemsOf(kit, id)[0]?.status, 'in_progress');
  });

  for (const [what, settings, content, reason] of [
    ['the rule is off', '[rules]\nL3-002 = "off"\n', flaw, /switches the rule off/],
    ['the settings changed', '[[sanitizer]]\nname = "str"\n', 'import sys\neval(str(sys.argv[1]))\n', /was changed since the campaign started/],
  ] as const) {
    it(`calls nothing fixed that is not found because ${what}`, async () => {
      const id = await begin(kit, flaw);
      kit.write('.gadriel.toml', settings);
      kit.write('a.py', content);
      kit.runner = () => ({ status: 'stale' });
      await kit.advance(id);
      const [item] = itemsOf(kit, id);
      assert.equal(item?.status, 'skipped_no_agent');
      assert.match(item?.reason ?? '', reason);
    });
  }

  it('calls nothing fixed whose line stands as it did: another profile may have found it', async () => {
    const id = await begin(kit, flaw);
    const { rescanFile: usual } = kit.parts;
    Object.assign(kit.parts, { rescanFile: async () => [] });
    kit.runner = () => ({ status: 'stale' });
    await kit.advance(id);
    Object.assign(kit.parts, { rescanFile: usual });
    const [item] = itemsOf(kit, id);
    assert.equal(item?.status, 'skipped_no_agent');
    assert.match(item?.reason ?? '', /its line is as it was/);
  });
});

describe('a runner that can not be reached', () => {
  const kit = campaignKit();
  const failed = (kind: 'http' | 'parse', retryable = true): Answer => ({ status: 'runner_failed', error: { kind, message: kind, retryable } });

  for (const [what, answers, status, runs] of [
    ['once, and then answers', [failed('http'), proposed], 'in_progress', 2],
    ['once, and then answers nothing of use twice', [failed('http'), failed('parse'), failed('parse')], 'waived', 3],
    ['after an answer of no use', [failed('parse'), failed('http'), failed('http')], 'skipped_no_agent', 3],
    ['and is not worth another try, after an answer of no use', [failed('parse'), failed('http', false)], 'skipped_no_agent', 2],
  ] as const) {
    it(`${what}: ${status}`, async () => {
      const id = await begin(kit, 'import sys\neval(sys.argv[1])\n');
      kit.runner = (_request, run) => answers[run - 1] as Answer;
      await kit.advance(id);
      assert.deepEqual([itemsOf(kit, id)[0]?.status, kit.requests.length], [status, runs]);
      assert.equal(existsSync(kit.at('.gadriel-waivers.toml')), status === 'waived');
      // An outage is nothing that the model can mend.
      if (status === 'in_progress') assert.equal(kit.requests[1]?.lastError, undefined);
    });
  }
});

describe('the costs of a campaign', () => {
  const kit = campaignKit();
  for (const [what, runnerId, env, told] of [
    ['the model has no price', 'claude', {}, true], ['the model has one', 'claude', { GADRIEL_PRICES: '{"claude-sonnet-5":{"in":3,"out":15}}' }, false],
    ['nothing is paid for', 'rules', {}, false],
  ] as const) {
    it(`are ${told ? '' : 'not '}called unknown at its start when ${what}`, async () => {
      await begin(kit, 'import sys\neval(sys.argv[1])\n', env);
      const logged: string[] = [];
      Object.assign(kit.parts, { log: (_level: string, message: string) => void logged.push(message) });
      const { note } = await kit.start({}, { force: true, runnerId });
      assert.deepEqual([note?.includes('GADRIEL_PRICES'), logged.filter((line) => line.includes('GADRIEL_PRICES')).length], [told, told ? 1 : 0]);
    });
  }
});
