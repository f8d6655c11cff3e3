import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadCampaign } from '../../../../lib/families/gadriel/domain/campaign/campaign-file.ts';
import { openPriors } from '../../../../lib/families/gadriel/domain/records/priors.ts';
import { loadWaivers } from '../../../../lib/families/gadriel/domain/records/waivers.ts';
import { call, startServer, type ServerProcess } from '../../../support/server-process.ts';
import { campaignKit, proposed } from './campaign-kit.ts';

const child = fileURLToPath(new URL('./campaign-child.js', import.meta.url));
const lines = (count: number): string => `import sys\n${Array.from({ length: count }, (_, index) => `eval(sys.argv[${index}])\n`).join('')}`;

describe('two servers on one repository', () => {
  const kit = campaignKit();
  kit.write('a.py', lines(3));

  it('never hold one campaign together; the second one resumes it after the first was killed', async (test) => {
    await kit.scan(['a.py']);
    const servers = [startServer(['gadriel', 'mcp']), startServer(['gadriel', 'mcp'])] as const;
    test.after(() => servers.forEach((server) => server.child.kill('SIGKILL')));
    for (const server of servers) server.send(call('start', 'start_remediation_campaign', { repo_root: kit.root, runner_id: 'rules' }));
    const answers = await Promise.all(servers.map((server) => server.answer('start')));
    const won = answers.findIndex((answer) => answer['result'].isError === undefined);
    const [first, second] = (won === 0 ? servers : [servers[1], servers[0]]) as readonly [ServerProcess, ServerProcess];
    const refusal = answers[1 - won]?.['result'];
    assert.equal(refusal.isError, true);
    assert.match(refusal.structuredContent.reason, new RegExp(`^a campaign holds the repository: campaign-\\d+ \\(process ${first.child.pid} `));
    const { campaign_id, total } = answers[won]?.['result'].structuredContent;
    assert.equal(total, 3);
    const advance = { campaign_id, repo_root: kit.root };
    second.send(call('early', 'campaign_advance', advance));
    assert.match((await second.answer('early'))['result'].structuredContent.reason, new RegExp(`^another process works on this campaign: ${campaign_id} \\(process ${first.child.pid} `));
    first.child.kill('SIGKILL');
    await first.ended;
    second.send(call('late', 'campaign_advance', advance));
    assert.equal((await second.answer('late'))['result'].structuredContent.campaign_id, campaign_id);
    second.end();
    await second.ended;
  });
});

describe('a campaign', () => {
  const kit = campaignKit();
  kit.write('a.py', lines(24));

  it('that is killed at any point loads, goes on where it was, and doubles nothing', async () => {
    await kit.scan(['a.py']);
    const { campaign_id } = await kit.start();
    const total = kit.campaign(campaign_id).items.length;
    const ends = (): number => kit.campaign(campaign_id).items.filter(({ status }) => status === 'waived').length;
    for (let delay = 3; delay < 90 && kit.campaign(campaign_id).status === 'active'; delay += 12) {
      const before = ends();
      const running = spawn(process.execPath, [child, kit.root, campaign_id], { stdio: ['ignore', 'pipe', 'inherit'] });
      // From here on the process takes its steps: it has held the lock of the parent's dead hands at most for a moment.
      await once(running.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, delay));
      running.kill('SIGKILL');
      await once(running, 'close');
      const { items } = await loadCampaign(kit.root, campaign_id);
      assert.equal(items.length, total);
      assert.ok(ends() >= before);
      await loadWaivers(kit.root, kit.clock);
    }
    kit.runner = () => ({ status: 'runner_failed', rationale: 'no', cost_usd: 0 });
    const done = await kit.advance(campaign_id);
    assert.ok(done.status === 'campaign_complete');
    assert.deepEqual(done.summary.by_status, { waived: total });
    const waivers = readFileSync(kit.at('.gadriel-waivers.toml'), 'utf8').match(/^\[\[waiver\]\]$/gm) ?? [];
    assert.equal(waivers.length, total);
    assert.ok(!kit.locked());
  });

  it('is not gone on with by a process whose campaign was taken over while its runner worked', async () => {
    const other = campaignKit();
    other.write('a.py', lines(1));
    await other.scan(['a.py']);
    const { campaign_id } = await other.start();
    other.runner = async () => {
      await other.start({}, { force: true });
      return proposed;
    };
    await assert.rejects(other.advance(campaign_id), { name: 'ToolFailed', message: 'the campaign was taken over by another process meanwhile' });
    assert.equal(other.campaign(campaign_id).status, 'aborted');
  });

  it('is advanced by one call at a time', async () => {
    const other = campaignKit();
    other.write('a.py', lines(2));
    await other.scan(['a.py']);
    const { campaign_id } = await other.start();
    let running = 0;
    other.runner = async () => {
      assert.equal(++running, 1);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return proposed;
    };
    const [one, two, three] = await Promise.all([other.advance(campaign_id), other.advance(campaign_id), other.advance(campaign_id)]);
    assert.deepEqual([one, three], [two, two]);
    assert.equal(other.requests.length, 1);
  });

  it('stays as it was when a call is cancelled while the runner works', async () => {
    const other = campaignKit();
    other.write('a.py', lines(1));
    await other.scan(['a.py']);
    const { campaign_id } = await other.start();
    const ending = new AbortController();
    const { signal } = other.parts;
    Object.assign(other.parts, { signal: ending.signal });
    other.runner = () => {
      ending.abort();
      ending.signal.throwIfAborted();
      return proposed;
    };
    const before = other.campaign(campaign_id);
    await assert.rejects(other.advance(campaign_id), { name: 'AbortError' });
    await assert.rejects(other.advance(campaign_id), { name: 'AbortError' });
    assert.deepEqual(other.campaign(campaign_id), before);
    Object.assign(other.parts, { signal });
    other.runner = () => proposed;
    assert.equal((await other.advance(campaign_id)).status, 'in_progress');
  });

  it('removes the lock that a process left which was killed after the last step', async () => {
    const other = campaignKit();
    other.write('a.py', lines(1));
    await other.scan(['a.py']);
    const { campaign_id } = await other.start();
    other.write(`.security/campaigns/${campaign_id}.json`, JSON.stringify({ ...other.campaign(campaign_id), status: 'complete' }));
    assert.ok(other.locked());
    assert.equal((await other.advance(campaign_id)).status, 'campaign_complete');
    assert.ok(!other.locked());
  });

  it('goes on without its lock, as after a process that was killed while it started', async () => {
    const other = campaignKit();
    other.write('a.py', lines(1));
    await other.scan(['a.py']);
    const { campaign_id } = await other.start();
    rmSync(other.at('.security/campaigns/.lock'));
    assert.equal((await other.advance(campaign_id)).status, 'in_progress');
    assert.ok(other.locked());
  });

  it('is not advanced while another one holds the repository', async () => {
    const other = campaignKit();
    other.write('a.py', lines(1));
    await other.scan(['a.py']);
    const { campaign_id } = await other.start();
    const lock = JSON.parse(readFileSync(other.at('.security/campaigns/.lock'), 'utf8')) as object;
    other.write('.security/campaigns/.lock', JSON.stringify({ ...lock, campaign_id: 'campaign-1' }));
    await assert.rejects(other.advance(campaign_id), { name: 'ToolFailed', message: /^another campaign holds the repository: campaign-1 / });
  });

  it('is not advanced in the place of a newer one whose process is gone', async () => {
    const other = campaignKit();
    other.write('a.py', lines(1));
    await other.scan(['a.py']);
    const { campaign_id } = await other.start();
    const lock = { ...(JSON.parse(readFileSync(other.at('.security/campaigns/.lock'), 'utf8')) as object), campaign_id: 'campaign-9', pid: 2 ** 22 + 12_345, random: '0'.repeat(24) };
    other.write('.security/campaigns/.lock', JSON.stringify(lock));
    const newer = { ...other.campaign(campaign_id), campaign_id: 'campaign-9' };
    other.write('.security/campaigns/campaign-9.json', JSON.stringify(newer));
    await assert.rejects(other.advance(campaign_id), { name: 'ToolFailed', message: 'another campaign was left unfinished: campaign-9; finish that one with campaign_advance, or start a new one' });
    assert.deepEqual(JSON.parse(readFileSync(other.at('.security/campaigns/.lock'), 'utf8')), lock);
    assert.equal((await other.advance('campaign-9')).status, 'in_progress');
    other.write('.security/campaigns/.lock', JSON.stringify(lock));
    other.write('.security/campaigns/campaign-9.json', JSON.stringify({ ...newer, status: 'aborted' }));
    assert.equal((await other.advance(campaign_id)).status, 'in_progress');
  });

  it('teaches the priors once, however often the step that verified it failed', async () => {
    const other = campaignKit();
    other.write('a.py', lines(1));
    const [found] = await other.scan(['a.py']);
    const { campaign_id } = await other.start();
    other.runner = () => proposed;
    await other.advance(campaign_id);
    other.write('a.py', 'import sys\n');
    rmSync(other.at('.security/audit-log.jsonl'));
    other.folder('.security/audit-log.jsonl');
    const alpha = (): number => openPriors(other.root, other.parts.env).get(found!.rule_id, found!.pillar).alpha;
    for (let time = 0; time < 3; time++) await assert.rejects(other.advance(campaign_id, { applied: true }), { name: 'ToolFailed' });
    assert.equal(alpha(), 1);
    rmSync(other.at('.security/audit-log.jsonl'), { recursive: true });
    assert.equal((await other.advance(campaign_id, { applied: true })).status, 'campaign_complete');
    assert.deepEqual([other.campaign(campaign_id).items[0]?.status, alpha()], ['verified', 2]);
  });

  it('is no campaign where an item names no file inside the repository, or says not where it stands', async () => {
    const other = campaignKit();
    other.write('a.py', lines(1));
    await other.scan(['a.py']);
    const { campaign_id } = await other.start();
    const campaign = other.campaign(campaign_id);
    const [item] = campaign.items;
    const { status: _, ...standless } = item!;
    const broken: (readonly [object, string])[] = [
      ...['../a.py', '/a.py', 'b/../../a.py', 'C:\\a.py', 'a\u0000.py'].map((file) => [{ ...item, file }, '/items/0/file: it must be a path inside the repository'] as const),
      [standless, '/items/0/status: '],
    ];
    for (const [odd, problem] of broken) {
      other.write(`.security/campaigns/${campaign_id}.json`, JSON.stringify({ ...campaign, items: [odd] }));
      await assert.rejects(other.advance(campaign_id), ({ name, message }: Error) => name === 'ToolFailed' && message.startsWith(`.security/campaigns/${campaign_id}.json is no campaign: ${problem}`));
    }
  });

  it('writes only below .security and the file of waivers', async () => {
    const other = campaignKit();
    other.write('a.py', lines(2));
    await other.scan(['a.py']);
    const { campaign_id } = await other.start();
    other.runner = () => proposed;
    await other.advance(campaign_id);
    await other.advance(campaign_id, { applied: false, reason: 'no' });
    await other.advance(campaign_id, { applied: true });
    assert.deepEqual(readdirSync(other.root).sort(), ['.gadriel-waivers.toml', '.git', '.security', 'a.py']);
    assert.equal(readFileSync(other.at('a.py'), 'utf8'), lines(2));
  });

  it('keeps the old state when a waiver can not be written', async () => {
    const other = campaignKit();
    other.write('a.py', lines(1));
    await other.scan(['a.py']);
    const { campaign_id } = await other.start();
    other.runner = () => proposed;
    await other.advance(campaign_id);
    const before = other.campaign(campaign_id);
    other.write('.gadriel-waivers.toml', '[[waiver]\nbroken');
    await assert.rejects(other.advance(campaign_id, { applied: false, reason: 'no' }), { name: 'ToolFailed' });
    assert.deepEqual(other.campaign(campaign_id), before);
    assert.equal(readFileSync(other.at('.gadriel-waivers.toml'), 'utf8'), '[[waiver]\nbroken');
    assert.ok(existsSync(other.at('.security/campaigns/.lock')));
  });
});
