import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import os from 'node:os';
import { describe, it } from 'node:test';
import { markConfig } from '../../../../lib/families/gadriel/domain/campaign/config-mark.ts';
import { orderFindings } from '../../../../lib/families/gadriel/domain/campaign/order.ts';
import { applyFilter, parseFilter } from '../../../../lib/families/gadriel/domain/campaign/filter.ts';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import { makeFinding } from '../support/finding.ts';
import { campaignKit } from './campaign-kit.ts';

const named = (finding_id: string, members: Partial<Finding> = {}): Finding => makeFinding({ finding_id, ...members });
const ids = (findings: readonly Finding[]): string => findings.map(({ finding_id }) => finding_id).join(' ');

describe('orderFindings', () => {
  const cases: readonly (readonly [string, readonly Finding[], string])[] = [
    ['more risk first: a sure medium before an unsure low', [named('low', { severity: 'low' }), named('medium', { severity: 'medium', confidence: 'low' }), named('critical', { severity: 'critical', confidence: 'medium' })], 'critical medium low'],
    ['severity times confidence', [named('unsure', { severity: 'critical', confidence: 'low' }), named('sure', { severity: 'high' })], 'sure unsure'],
    ['an attack path first, then the shorter one', [named('none'), named('long', { attack_path_length: 5 }), named('short', { attack_path_length: 2 })], 'short long none'],
    ['then by path and line', [named('b1', { file: 'b.py' }), named('a9', { line: 9 }), named('a2', { line: 2 })], 'a2 a9 b1'],
    ['a file whole at the place of its first finding', [named('b', { severity: 'critical', file: 'b.py' }), named('a', { severity: 'high' }), named('b-low', { severity: 'low', file: 'b.py' }), named('c', { severity: 'medium', file: 'c.py' })], 'b b-low a c'],
    ['nothing at all', [], ''],
  ];
  for (const [what, findings, expected] of cases) {
    it(`puts ${what}`, () => {
      assert.equal(ids(orderFindings(findings)), expected);
      assert.equal(ids(orderFindings([...findings].reverse())), expected);
    });
  }
});

describe('a filter', () => {
  const findings = [
    named('A:1', { rule_id: 'A', severity: 'critical' }), named('A:2', { rule_id: 'A', severity: 'low', confidence: 'low', scan_type: 'secrets' }),
    named('B:1', { rule_id: 'B', severity: 'high', pillar: 'compliance', file: 'b.py' }), named('W:1', { rule_id: 'W', waived: true }),
    named('H:1', { rule_id: 'H', scan_type: 'secrets', tags: ['git-history', 'commit:0'] }),
  ];
  const cases: readonly (readonly [object, string])[] = [
    [{}, 'A:1 A:2 B:1'],
    [{ severity: [] }, 'A:1 A:2 B:1'],
    [{ severity: ['critical', 'high'] }, 'A:1 B:1'],
    [{ severity: ['critical', 'high'], pillar: ['security'] }, 'A:1'],
    [{ scan_type: ['secrets'] }, 'A:2'],
    [{ confidence_tier: ['low', 'medium'] }, 'A:2'],
    [{ rule_id: ['B', 'nothing'] }, 'B:1'],
    [{ finding_ids: ['A:2', 'B:1', 'B:1', 'nothing'] }, 'A:2 B:1'],
    [{ finding_ids: ['A'] }, 'A:1'],
    [{ finding_ids: ['nothing'] }, ''],
    [{ finding_ids: ['W:1'] }, ''],
    [{ finding_ids: ['H:1', 'H'] }, ''],
    [{ rule_id: ['H'] }, ''],
    [{ rule_id: ['a'], severity: ['low'] }, 'A:2'],
    [{ finding_ids: ['a', 'b:1'] }, 'A:1 B:1'],
    [{ finding_ids: ['A:2'], severity: ['high'] }, ''],
  ];
  for (const [filter, expected] of cases) {
    it(`admits ${expected === '' ? 'nothing' : expected} by ${JSON.stringify(filter)}`, () => assert.equal(ids(applyFilter(findings, parseFilter(filter))), expected));
  }

  for (const [key, word] of [['severity', 'High'], ['pillar', 'W1'], ['scan_type', 'secret'], ['confidence_tier', 'sure'], ['severity', '\u001b']] as const) {
    it(`refuses ${key} ${JSON.stringify(word)}`, () => {
      assert.throws(() => parseFilter({ [key]: [word] }), ({ name, message }: Error) => name === 'InvalidParams' && message.startsWith(`${key} has the unknown word `) && !message.includes('\u001b'));
    });
  }

  it('takes rules by their short ids', () => {
    const long = [named('CODE-W1-L3-002:0000000a', { rule_id: 'CODE-W1-L3-002' }), named('CODE-W2-CONFIG-MCP-001:0000000b', { rule_id: 'CODE-W2-CONFIG-MCP-001' }), named('CODE-W1-L3-0021:0000000c', { rule_id: 'CODE-W1-L3-0021' })];
    for (const [filter, admitted] of [
      [{ rule_id: ['L3-002'] }, '0'], [{ rule_id: ['config-mcp-001', 'L3-9'] }, '1'], [{ finding_ids: ['L3-002:0000000a', 'CONFIG-MCP-001'] }, '0 1'], [{ rule_id: ['L3-00'] }, ''],
    ] as const) {
      assert.equal(applyFilter(long, parseFilter(filter)).map((one) => long.indexOf(one)).join(' '), admitted, JSON.stringify(filter));
    }
  });

  it('keeps only the lists that restrict it', () => {
    assert.deepEqual(parseFilter({ severity: ['low'], pillar: [], odd: 1 } as object), { severity: ['low'] });
  });
});

describe('startCampaign', () => {
  const kit = campaignKit();
  kit.write('a.py', 'import sys, os\nos.system("x " + sys.argv[1])\n');
  kit.write('b.py', 'import sys\neval(sys.argv[1])\nexec(sys.argv[2])\n');

  it('is refused without a scan', () => assert.rejects(kit.start(), { name: 'ToolFailed', message: /gadriel code scan/ }));

  it('writes the worklist and takes the lock', async () => {
    const found = await kit.scan(['a.py', 'b.py']);
    const started = await kit.start({ severity: ['critical'] });
    assert.deepEqual(started, { campaign_id: `campaign-${kit.clock}`, total: 3, first_batch: found.map(({ finding_id }) => finding_id) });
    const { items, ...campaign } = kit.campaign(started.campaign_id);
    const at = new Date(kit.clock).toISOString();
    assert.deepEqual(campaign, {
      schema: 1, campaign_id: started.campaign_id, repo_root: kit.root, runner_id: 'rules', filter: { severity: ['critical'] }, config: (await markConfig(kit.root)).mark, status: 'active', created_at: at, updated_at: at,
      cost_usd: 0, cost_unknown: 0, budget: { max_cost_usd: 5, max_items: 200, max_attempts: 2 },
    });
    const [{ finding_id, rule_id, fingerprint }] = found as [Finding];
    assert.deepEqual(items[0], {
      finding_id, rule_id, file: 'a.py', line: 2, scan_type: 'sast', severity: 'critical', confidence: 'medium', pillar: 'security', fingerprint, risk: 7, status: 'pending', attempts: 0, failures: 0, cost_usd: 0,
    });
    const lock = JSON.parse(readFileSync(kit.at('.security/campaigns/.lock'), 'utf8'));
    assert.deepEqual([lock.campaign_id, lock.pid, lock.host, lock.started_at], [started.campaign_id, process.pid, os.hostname(), at]);
    assert.deepEqual(kit.audit(), ['campaign_started:3 finding(s)']);
  });

  it('is refused while a campaign holds the repository, and names the holder', async () => {
    await assert.rejects(kit.start(), { name: 'ToolFailed', message: new RegExp(`^a campaign holds the repository: campaign-\\d+ \\(process ${process.pid} on host .* since 2026-06-01T00:00:00.000Z\\)`) });
  });

  it('ends the other campaign by force', async () => {
    const before = `campaign-${kit.clock}`;
    const logged: string[] = [];
    Object.assign(kit.parts, { log: (level: string, message: string) => void logged.push(`${level}: ${message}`) });
    const { campaign_id } = await kit.start({}, { force: true });
    Object.assign(kit.parts, { log: () => undefined });
    assert.deepEqual(logged, [`warning: ${before} was not finished and is ended: ${campaign_id} took its place`]);
    assert.equal(campaign_id, `campaign-${kit.clock + 1}`);
    assert.equal(kit.campaign(before).status, 'aborted');
    await assert.rejects(kit.advance(before), { name: 'ToolFailed', message: /was aborted/ });
  });

  const dead = { campaign_id: 'campaign-1', pid: 2 ** 22 + 12_345, host: os.hostname(), started_at: new Date(kit.clock).toISOString() };
  const alive = { ...dead, pid: process.ppid };
  const locks: readonly (readonly [string, string, boolean])[] = [
    ['of a dead process of this host', JSON.stringify(dead), true],
    ['of a living process', JSON.stringify(alive), false],
    ['of another host', JSON.stringify({ ...dead, host: 'elsewhere' }), false],
    ['of another host, a day old', JSON.stringify({ ...dead, host: 'elsewhere', started_at: new Date(kit.clock - 86_400_000).toISOString() }), true],
    ['of a living process, nearly a day old', JSON.stringify({ ...alive, started_at: new Date(kit.clock - 86_399_000).toISOString() }), false],
    ['of a living process, a day old', JSON.stringify({ ...alive, started_at: new Date(kit.clock - 86_400_000).toISOString() }), true],
    ['without a pid', JSON.stringify({ ...dead, pid: 'x' }), false],
    ['of a living process that starts in a minute', JSON.stringify({ ...alive, started_at: new Date(kit.clock + 60_000).toISOString() }), false],
    ['that says nothing', '', true],
    ['that is no object', '7', true],
  ];
  for (const [what, content, taken] of locks) {
    it(`${taken ? 'takes over' : 'leaves alone'} a lock ${what}`, async () => {
      kit.write('.security/campaigns/.lock', content);
      if (taken) assert.equal((await kit.start()).total, 3);
      else {
        await assert.rejects(kit.start(), { name: 'ToolFailed', message: /a campaign holds the repository: campaign-1 / });
        assert.equal(readFileSync(kit.at('.security/campaigns/.lock'), 'utf8'), content);
        assert.equal((await kit.start({}, { force: true })).total, 3);
      }
    });
  }

  it('goes by the age of the file where the lock says that it will start', async () => {
    const file = kit.write('.security/campaigns/.lock', JSON.stringify({ ...alive, started_at: '2099-01-01T00:00:00Z' }));
    const setAge = (ms: number): void => utimesSync(file, new Date(kit.clock - ms), new Date(kit.clock - ms));
    setAge(86_399_000);
    await assert.rejects(kit.start(), { name: 'ToolFailed', message: /a campaign holds the repository: campaign-1 / });
    setAge(86_400_000);
    assert.equal((await kit.start()).total, 3);
  });

  it('leaves one campaign active, whatever was left unfinished before', async () => {
    const { campaign_id: old } = await kit.start({}, { force: true });
    rmSync(kit.at('.security/campaigns/.lock'));
    kit.write('.security/campaigns/campaign-5.json', JSON.stringify({ ...kit.campaign(old), campaign_id: 'campaign-5' }));
    kit.write('.security/campaigns/campaign-6.json', '{');
    const logged: string[] = [];
    Object.assign(kit.parts, { log: (level: string, message: string) => void logged.push(`${level}: ${message}`) });
    const { campaign_id, note } = await kit.start();
    Object.assign(kit.parts, { log: () => undefined });
    const active = readdirSync(kit.at('.security/campaigns')).filter((name) => /^campaign-\d+\.json$/.test(name) && name !== 'campaign-6.json').map((name) => name.slice(0, -5)).filter((id) => kit.campaign(id).status === 'active');
    assert.deepEqual(active, [campaign_id]);
    assert.deepEqual(note?.split('; ').sort(), ['campaign-5', old].sort().map((id) => `${id} was not finished and is ended: ${campaign_id} took its place`));
    assert.deepEqual(logged.sort(), ['campaign-5', old].sort().map((id) => `warning: ${id} was not finished and is ended: ${campaign_id} took its place`));
    rmSync(kit.at('.security/campaigns/campaign-6.json'));
  });

  it('takes over the lock that a finished campaign left behind', async () => {
    const { campaign_id } = await kit.start({}, { force: true });
    kit.write(`.security/campaigns/${campaign_id}.json`, JSON.stringify({ ...kit.campaign(campaign_id), status: 'complete' }));
    assert.equal((await kit.start()).total, 3);
    assert.equal(kit.campaign(campaign_id).status, 'complete');
  });

  it('takes no lock and no place where nothing fits, and the campaign is complete', async () => {
    const before = await kit.start({}, { force: true });
    const started = await kit.start({ severity: ['info'] }, { force: true });
    assert.deepEqual([started.total, started.first_batch, started.note], [0, [], undefined]);
    assert.deepEqual([kit.campaign(before.campaign_id).status, (JSON.parse(readFileSync(kit.at('.security/campaigns/.lock'), 'utf8')) as { campaign_id: string }).campaign_id], ['active', before.campaign_id]);
    assert.deepEqual(await kit.advance(started.campaign_id), {
      status: 'campaign_complete', campaign_id: started.campaign_id, summary: { total: 0, cost_usd: 0, by_status: {}, regressed: [] },
    });
  });

  it('chooses the runner by the key when none is named', async () => {
    const env = kit.parts.env as Record<string, string>;
    const runnerOf = async (): Promise<string> => kit.campaign((await kit.start({}, { force: true, runnerId: undefined })).campaign_id).runner_id;
    assert.equal(await runnerOf(), 'rules');
    env['ANTHROPIC_API_KEY'] = 'k';
    assert.equal(await runnerOf(), 'claude');
    delete env['ANTHROPIC_API_KEY'];
  });

  it('leaves out what is waived by now, and previews five', async () => {
    kit.write('many.py', `import sys\n${Array.from({ length: 7 }, (_, index) => `eval(sys.argv[${index}])\n`).join('')}`);
    const [first] = await kit.scan(['many.py']);
    kit.write('.gadriel-waivers.toml', `[[waiver]]\nrule_id = "${first?.rule_id}"\npath = "many.py"\nline = 2\nreason = "r"\nkind = "accepted_risk"\ncreated_by = "human"\ncreated_at = "2026-01-01T00:00:00Z"\n`);
    const started = await kit.start({}, { force: true });
    assert.deepEqual([started.total, started.first_batch.length], [6, 5]);
    assert.ok(!started.first_batch.includes(first?.finding_id ?? ''));
  });

  it('never writes through a link in the place of its draft', async () => {
    symlinkSync('../../a.py', kit.at('.security/campaigns/.lock.draft'));
    const before = readFileSync(kit.at('a.py'), 'utf8');
    await kit.start({}, { force: true });
    assert.deepEqual([readFileSync(kit.at('a.py'), 'utf8'), readdirSync(kit.at('.security/campaigns')).filter((name) => name.endsWith('.draft'))], [before, []]);
  });

  it('leaves nothing where the log can not be written, and goes through once it can', async () => {
    for (const filter of [{}, { severity: ['info'] }]) {
      const other = campaignKit();
      other.write('a.py', 'import sys\neval(sys.argv[1])\n');
      await other.scan(['a.py']);
      other.folder('.security/audit-log.jsonl');
      for (let time = 0; time < 2; time++) await assert.rejects(other.start(filter), { name: 'ToolFailed', message: '.security/audit-log.jsonl can not be written: a folder is in its place' });
      assert.deepEqual(readdirSync(other.at('.security/campaigns')), []);
      rmSync(other.at('.security/audit-log.jsonl'), { recursive: true });
      await other.start(filter);
      assert.equal(other.locked(), !('severity' in filter));
    }
  });

  it('says what is in the place of its draft, ends no other campaign then, and marks its own as aborted', async () => {
    const other = campaignKit();
    other.write('a.py', 'import sys\neval(sys.argv[1])\n');
    await other.scan(['a.py']);
    const { campaign_id } = await other.start();
    const lock = readFileSync(other.at('.security/campaigns/.lock'), 'utf8');
    other.folder('.security/campaigns/.lock.draft');
    await assert.rejects(other.start({}, { force: true }), { name: 'ToolFailed', message: '.security/campaigns/.lock.draft can not be written: a folder is in its place' });
    assert.equal(readFileSync(other.at('.security/campaigns/.lock'), 'utf8'), lock);
    assert.deepEqual([other.campaign(campaign_id).status, other.campaign(`campaign-${other.clock + 1}`).status], ['active', 'aborted']);
    assert.equal((await other.advance(campaign_id)).status, 'in_progress');
  });

  it('leaves out what names no file inside the repository', async () => {
    const other = campaignKit();
    other.write('a.py', 'import sys\neval(sys.argv[1])\n');
    await other.scan(['a.py'], ['/etc/passwd', '../a.py', 'b/../../a.py', 'C:\\a.py'].map((file, index) => named(`X:${index}`, { file })));
    const logged: string[] = [];
    Object.assign(other.parts, { log: (_level: string, message: string) => void logged.push(message) });
    assert.equal((await other.start()).total, 1);
    assert.deepEqual(logged, ['4 finding(s) are left out: they name no file inside the repository']);
  });

  it('is refused at once, with the file to delete, where something else is in the place of the lock', async () => {
    const other = campaignKit();
    other.write('a.py', 'import sys\neval(sys.argv[1])\n');
    await other.scan(['a.py']);
    other.write('.security/campaigns.lock', 'came with the repository');
    const started = performance.now();
    await assert.rejects(other.start(), { name: 'ToolFailed', message: /^\.security\/campaigns can not be written: its lock \.security\/campaigns\.lock is held by something that is no toolwire process: delete that file if nothing uses it$/ });
    assert.ok(performance.now() - started < 3_000);
    assert.equal(readFileSync(other.at('.security/campaigns.lock'), 'utf8'), 'came with the repository');
  });

  it('never writes through a link in the place of its folder', async () => {
    const other = campaignKit();
    other.write('a.py', 'import sys\neval(sys.argv[1])\n');
    await other.scan(['a.py']);
    other.folder('src');
    symlinkSync('../src', other.at('.security/campaigns'));
    await assert.rejects(other.start(), { name: 'ToolFailed', message: /symbolic link/ });
  });
});
