import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { AdvanceRequest } from '../../../../lib/families/gadriel/domain/campaign/advance.ts';
import type { CampaignItem } from '../../../../lib/families/gadriel/domain/campaign/campaign.types.ts';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import { ToolFailed } from '../../../../lib/families/gadriel/domain/tool-failed.ts';
import { makeFinding } from '../support/finding.ts';
import { githubToken } from '../support/sample-secrets.ts';
import { campaignKit, proposed, type Answer, type Kit } from './campaign-kit.ts';

const flaw = 'import sys\neval(sys.argv[1])\n';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
/** A finding of a rule that no scan of ours has. */
const foreign = (members: Partial<Finding> = {}): Finding => makeFinding({ finding_id: 'CODE-W1-INJECT-SQL:1', rule_id: 'CODE-W1-INJECT-SQL', file: 'a.py', line: 2, end_line: 2, ...members });

async function begin(kit: Kit, content: string, { file = 'a.py', more = [] as readonly Finding[], clean = false } = {}): Promise<string> {
  kit.requests.length = 0;
  rmSync(kit.at('.gadriel-waivers.toml'), { force: true });
  rmSync(kit.at('.security/audit-log.jsonl'), { force: true });
  kit.write(file, content);
  await kit.scan(clean ? [] : [file], more);
  return (await kit.start({}, { force: true })).campaign_id;
}

const itemOf = (kit: Kit, id: string, index = 0): CampaignItem => kit.campaign(id).items[index] as CampaignItem;

describe('campaign_advance', () => {
  const kit = campaignKit();

  it('answers a proposal, again and again without a new run, until it is told what became of it', async () => {
    const id = await begin(kit, flaw);
    kit.runner = () => proposed;
    const first = await kit.advance(id);
    const { finding_id, before_hash } = itemOf(kit, id);
    assert.deepEqual(first, {
      campaign_id: id, finding_id, status: 'in_progress',
      proposed_fix: { status: 'proposed', runner_id: 'rules', finding_id, diff: proposed.diff, rationale: 'safer', iterations_used: 1, tool_calls: [], cost_usd: 0.25, before_hash: 'b'.repeat(64), after_hash: 'a'.repeat(64) },
    });
    assert.equal(before_hash, sha256(flaw));
    assert.deepEqual(await kit.advance(id), first);
    assert.equal(kit.requests.length, 1);
    kit.write('a.py', 'x = 1\n');
    const done = await kit.advance(id, { applied: true, afterHash: sha256('x = 1\n').toUpperCase() });
    const summary = { total: 1, cost_usd: 0.25, by_status: { verified: 1 }, regressed: [] };
    assert.deepEqual(done, { status: 'campaign_complete', campaign_id: id, summary });
    assert.deepEqual(kit.audit(), ['campaign_started:1 finding(s)', 'item_status:in_progress', 'item_status:verified', 'campaign_complete']);
    for (const report of [{}, { applied: true }, { applied: false, reason: 'r' }]) assert.deepEqual(await kit.advance(id, report), done);
    assert.deepEqual([kit.locked(), kit.audit().length, kit.campaign(id).status], [false, 4, 'complete']);
    const { proposal, baseline, after_hash } = itemOf(kit, id);
    assert.deepEqual([proposal, baseline, after_hash], [undefined, undefined, sha256('x = 1\n')]);
    // What was verified is a little more likely to be real the next time.
    const [store] = readFileSync(kit.at('.git/home/store/priors/' + sha256(kit.root).slice(0, 16) + '.json'), 'utf8').match(/"alpha": ?\d/) ?? [];
    assert.match(store ?? '', /2$/);
  });

  type Case = { readonly what: string; readonly before?: string; readonly after: string | undefined; readonly status: string; readonly file?: string; readonly only?: Finding; readonly reason?: RegExp };
  const applied: readonly Case[] = [
    { what: 'gone', after: 'import sys\nprint(sys.argv[1])\n', status: 'verified' },
    { what: 'gone, and less severe is new', after: 'import hashlib\nhashlib.md5(b"x")\n', status: 'verified' },
    { what: 'gone, and as severe is new', after: 'import sys, os\nos.system("ls " + sys.argv[1])\n', status: 'regressed', reason: /^new in the file: CODE-W1-L3-003$/ },
    { what: 'there, and as severe is new', after: `${flaw}import os\nos.system("ls " + sys.argv[1])\n`, status: 'regressed' },
    { what: 'there, and another one of its rule', after: `${flaw}eval(sys.argv[2])\n`, status: 'regressed', reason: /^new in the file: CODE-W1-L3-002$/ },
    { what: 'there', after: flaw, status: 'again' },
    { what: 'there on another line', after: `\n\n${flaw}`, status: 'again' },
    { what: 'there in other words', after: 'import sys\neval( str(sys.argv[1]) + "")\n', status: 'again' },
    { what: 'one of two equal lines', before: `${flaw}eval(sys.argv[1])\n`, after: flaw, status: 'verified' },
    { what: 'none of two equal lines', before: `${flaw}eval(sys.argv[1])\n`, after: `${flaw}eval(sys.argv[1])\nx = 1\n`, status: 'again' },
    { what: 'gone from a line with another finding', before: 'import sys\neval(sys.argv[1]); eval(sys.argv[2])\n', after: 'import sys\nprint(sys.argv[1]); eval(sys.argv[2])\n', status: 'verified' },
    { what: 'gone with the file', after: undefined, status: 'fixed', reason: /gone/ },
    { what: 'gone, and the file is binary now', after: 'x\0', status: 'fixed' },
    { what: 'a secret, gone', file: 'a.ini', before: `token = ${githubToken(1)}\n`, after: 'token = env\n', status: 'verified' },
    { what: 'a secret, there', file: 'a.ini', before: `token = ${githubToken(1)}\n`, after: `# token = ${githubToken(1)}\n`, status: 'again' },
    { what: 'one of two secrets on a line', file: 'a.ini', before: `t = "${githubToken(1)}", "${githubToken(2)}"\n`, after: `t = env, "${githubToken(2)}"\n`, status: 'verified' },
    { what: 'of a rule that a scan does not have', only: foreign(), after: 'x = 1\n', status: 'verified_partial' },
    { what: 'of another scan type', only: foreign({ scan_type: 'api' }), after: 'x = 1\n', status: 'verified_partial' },
    { what: 'of another scan type, and as severe is new', only: foreign({ scan_type: 'api' }), before: 'x = 1\n', after: flaw, status: 'regressed' },
  ];
  for (const { what, before = flaw, after, status, file = 'a.py', only, reason } of applied) {
    it(`ends as ${status} when the finding is ${what}`, async () => {
      const id = await begin(kit, before, { file, clean: only !== undefined, more: only === undefined ? [] : [only] });
      kit.runner = (_request, run) => (run === 1 ? proposed : { status: 'declined', rationale: 'not again' });
      await kit.advance(id);
      if (after === undefined) rmSync(kit.at(file));
      else kit.write(file, after);
      kit.runner = (_request, run) => (run === 2 ? proposed : { status: 'no_agent' });
      const answer = await kit.advance(id, { applied: true });
      const item = itemOf(kit, id);
      if (status === 'again') {
        assert.deepEqual([answer.status, item.status, item.attempts], ['in_progress', 'in_progress', 2]);
        assert.match(kit.requests[1]?.lastError ?? '', /still finds/);
      } else {
        assert.equal(item.status, status);
        if (reason !== undefined) assert.match(item.reason ?? '', reason);
      }
      assert.equal(item.diff === undefined, file.endsWith('.ini') && status !== 'again');
    });
  }

  it('gives up after the second proposal that does not do', async () => {
    const id = await begin(kit, flaw);
    kit.runner = () => proposed;
    await kit.advance(id);
    assert.equal((await kit.advance(id, { applied: true })).status, 'in_progress');
    const done = await kit.advance(id, { applied: true });
    const { finding_id, reason } = itemOf(kit, id);
    assert.ok(done.status === 'campaign_complete');
    assert.deepEqual([done.summary.by_status, done.summary.regressed, reason, done.summary.cost_usd], [{ regressed: 1 }, [finding_id], 'still found after 2 proposals', 0.5]);
  });

  it('calls it regressed when no second proposal is to be had', async () => {
    for (const second of [{ status: 'no_agent' }, { status: 'declined', rationale: 'no' }, { status: 'runner_failed' }] as Answer[]) {
      const id = await begin(kit, flaw);
      kit.runner = (_request, run) => (run === 1 ? proposed : second);
      await kit.advance(id);
      await kit.advance(id, { applied: true });
      const { status, reason } = itemOf(kit, id);
      assert.deepEqual([status, reason?.startsWith('still found after the fix, and no other was proposed')], ['regressed', true], second.status);
      assert.ok(!kit.audit().some((event) => event.startsWith('waiver_written')));
    }
  });

  it('waives what the host declines, for good', async () => {
    const id = await begin(kit, flaw);
    kit.runner = () => proposed;
    await kit.advance(id);
    const done = await kit.advance(id, { applied: false, reason: `breaks "the" api\n[[waiver]] ${githubToken(2)}` });
    assert.ok(done.status === 'campaign_complete');
    assert.deepEqual(done.summary.by_status, { waived: 1 });
    const waivers = readFileSync(kit.at('.gadriel-waivers.toml'), 'utf8');
    assert.equal(waivers.split('\n').filter((line) => line === '[[waiver]]').length, 1);
    assert.match(waivers, /kind = "mechanized"/);
    assert.match(waivers, /created_by = "campaign"/);
    assert.doesNotMatch(waivers, /expires_at|ghp_/);
    assert.deepEqual(kit.audit().map((event) => event.split(':')[0]), ['campaign_started', 'item_status', 'waiver_written', 'item_status', 'campaign_complete']);
  });

  const statuses: readonly (readonly [Answer, string, number, RegExp?])[] = [
    [{ status: 'runner_failed', error: { kind: 'parse', message: 'no JSON', retryable: true } }, 'waived', 2, /^runner_failed: no JSON$/],
    [{ status: 'runner_failed', error: { kind: 'refusal', message: 'no', retryable: false } }, 'waived', 2],
    [{ status: 'runner_failed', error: { kind: 'http', message: 'overloaded', retryable: true } }, 'skipped_no_agent', 2, /^runner_failed: overloaded$/],
    [{ status: 'runner_failed', error: { kind: 'timeout', message: 'too slow', retryable: true } }, 'skipped_no_agent', 2],
    [{ status: 'runner_failed', error: { kind: 'http', message: 'answered 401', retryable: false } }, 'skipped_no_agent', 1],
    [{ status: 'invalid_diff', rationale: 'does not apply' }, 'waived', 2, /^invalid_diff: does not apply$/],
    [{ status: 'declined', rationale: 'no safe fix' }, 'skipped_no_agent', 1, /^declined: no safe fix$/],
    [{ status: 'no_agent' }, 'skipped_no_agent', 1, /^no_agent$/],
    [{ status: 'consent_required' }, 'skipped_no_agent', 1],
    [{ status: 'not_fixable' }, 'skipped_no_agent', 1],
    [{ status: 'stale' }, 'skipped_no_agent', 1],
  ];
  for (const [answer, status, runs, reason] of statuses) {
    it(`ends an item as ${status} when its runner says ${answer.status}${answer.error === undefined ? '' : `: ${answer.error.message}`}`, async () => {
      const id = await begin(kit, flaw);
      kit.runner = () => ({ cost_usd: 0.1, ...answer });
      const done = await kit.advance(id);
      const item = itemOf(kit, id);
      assert.ok(done.status === 'campaign_complete');
      assert.deepEqual([item.status, kit.requests.length, done.summary.cost_usd, item.cost_usd], [status, runs, runs / 10, runs / 10]);
      if (reason !== undefined) assert.match(item.reason ?? '', reason);
      assert.equal(existsSync(kit.at('.gadriel-waivers.toml')), status === 'waived');
      if (status !== 'waived') return;
      assert.match(readFileSync(kit.at('.gadriel-waivers.toml'), 'utf8'), /expires_at = 2026-07-01T00:00:00\.000Z/);
    });
  }

  it('tells a runner that failed why, and takes its second answer', async () => {
    const id = await begin(kit, flaw);
    kit.runner = (_request, run) => (run === 1 ? { status: 'invalid_diff', rationale: 'does not apply', cost_usd: null } : proposed);
    assert.equal((await kit.advance(id)).status, 'in_progress');
    assert.equal(kit.requests[1]?.lastError, 'invalid_diff: does not apply');
    assert.deepEqual([kit.campaign(id).cost_usd, kit.campaign(id).cost_unknown], [0.25, 1]);
    kit.write('a.py', 'x = 1\n');
    const done = await kit.advance(id, { applied: true });
    assert.ok(done.status === 'campaign_complete');
    assert.equal(done.summary.cost_unknown, 1);
  });

  it('goes on over findings that are gone, waived or unknown by now', async () => {
    const content = 'import sys\neval(sys.argv[1])\nexec(sys.argv[2])\n';
    const id = await begin(kit, content, { more: [foreign({ file: 'gone.py' }), foreign({ finding_id: 'CODE-W1-INJECT-SQL:2', file: '' })] });
    assert.equal(kit.campaign(id).items.length, 4);
    kit.write('a.py', 'import sys\nexec(sys.argv[2])\n');
    const rule = kit.campaign(id).items.find(({ line, file }) => line === 3 && file === 'a.py')?.rule_id;
    const { rescanFile } = kit.parts;
    Object.assign(kit.parts, { rescanFile: async (root: string, file: string, text: string) => (await rescanFile(root, file, text)).map((finding) => ({ ...finding, waived: finding.rule_id === rule })) });
    kit.runner = () => {
      throw new ToolFailed('there is no finding of that id');
    };
    const done = await kit.advance(id);
    Object.assign(kit.parts, { rescanFile });
    assert.ok(done.status === 'campaign_complete');
    assert.deepEqual(done.summary.by_status, { fixed: 1, waived: 1, skipped_no_agent: 2 });
    assert.ok(!kit.audit().some((event) => event.startsWith('waiver_written')));
  });

  it('hands the runner the finding where it stands now', async () => {
    const id = await begin(kit, flaw);
    kit.write('a.py', `# moved\n\n${flaw}`);
    kit.runner = () => proposed;
    // With nothing in progress, `applied` is no report.
    assert.equal((await kit.advance(id, { applied: true })).status, 'in_progress');
    assert.deepEqual([kit.requests[0]?.findings?.[0]?.line, itemOf(kit, id).line], [4, 4]);
  });

  it('ends the rest when the budget is spent', async () => {
    const id = await begin(kit, `import sys\n${Array.from({ length: 4 }, (_, index) => `eval(sys.argv[${index}])\n`).join('')}`);
    kit.runner = () => ({ ...proposed, cost_usd: 3 });
    await kit.advance(id);
    await kit.advance(id, { applied: false, reason: 'no' });
    const done = await kit.advance(id, { applied: true });
    assert.ok(done.status === 'campaign_complete');
    assert.deepEqual([done.summary.by_status, done.summary.cost_usd], [{ regressed: 1, waived: 1, skipped_no_agent: 2 }, 6]);
    assert.deepEqual([itemOf(kit, id, 1).reason, itemOf(kit, id, 3).reason], ['the fix was applied, but a scan still finds the flaw, and the budget is spent', 'budget']);
  });

  it('works on no more items than the budget says', async () => {
    const id = await begin(kit, 'import sys\neval(sys.argv[1])\nexec(sys.argv[2])\n');
    kit.write(`.security/campaigns/${id}.json`, JSON.stringify({ ...kit.campaign(id), budget: { max_cost_usd: 5, max_items: 1, max_attempts: 2 } }));
    kit.runner = () => ({ status: 'not_fixable' });
    await kit.advance(id);
    assert.deepEqual([kit.requests.length, itemOf(kit, id, 0).reason, itemOf(kit, id, 1).reason], [1, 'not_fixable', 'budget']);
  });

  it('leaves an item as it was when the re-scan is cancelled', async () => {
    const id = await begin(kit, flaw);
    kit.runner = () => proposed;
    await kit.advance(id);
    const before = kit.campaign(id);
    const { rescanFile } = kit.parts;
    Object.assign(kit.parts, { rescanFile: () => Promise.reject(new DOMException('cancelled', 'AbortError')) });
    await assert.rejects(kit.advance(id, { applied: true }), { name: 'AbortError' });
    Object.assign(kit.parts, { rescanFile });
    assert.deepEqual(kit.campaign(id), before);
  });

  it('keeps no diff that quotes a secret once the item is through', async () => {
    const id = await begin(kit, flaw);
    kit.runner = () => ({ ...proposed, diff: `--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-token = "${githubToken(5)}"\n` });
    await kit.advance(id);
    assert.ok(itemOf(kit, id).diff !== undefined);
    await kit.advance(id, { applied: false, reason: 'no' });
    assert.equal(itemOf(kit, id).diff, undefined);
  });

  it('ends as fixed what a changed file no longer has before a fix was proposed', async () => {
    const id = await begin(kit, flaw);
    kit.write('a.py', 'x = 1\n');
    kit.runner = () => ({ status: 'stale' });
    await kit.advance(id);
    assert.deepEqual([itemOf(kit, id).status, itemOf(kit, id).reason], ['fixed', 'gone before a fix was proposed']);
  });

  const refused: readonly (readonly [string, Partial<AdvanceRequest>, object])[] = [
    ['applied false without a reason', { applied: false }, { name: 'InvalidParams', message: /^reason is needed/ }],
    ['applied false with an empty reason', { applied: false, reason: ' ' }, { name: 'InvalidParams' }],
    ['an after_hash of another file', { applied: true, afterHash: sha256('other') }, { name: 'ToolFailed', message: /^after_hash is not/ }],
    ['an after_hash that is none', { applied: true, afterHash: '' }, { name: 'ToolFailed' }],
    ['an unknown campaign', { campaignId: 'campaign-7' }, { name: 'ToolFailed', message: 'there is no campaign campaign-7 in .security/campaigns' }],
    ['a path for an id', { campaignId: '../../x' }, { name: 'ToolFailed', message: /^there is no campaign/ }],
  ];
  for (const [what, report, error] of refused) {
    it(`refuses ${what} and changes nothing`, async () => {
      const id = await begin(kit, flaw);
      kit.runner = () => proposed;
      await kit.advance(id);
      const before = readFileSync(kit.at(`.security/campaigns/${id}.json`), 'utf8');
      await assert.rejects(kit.advance(report.campaignId ?? id, report), error);
      assert.equal(readFileSync(kit.at(`.security/campaigns/${id}.json`), 'utf8'), before);
    });
  }

  const broken: readonly (readonly [string, (text: string) => string, RegExp])[] = [
    ['torn', (text) => text.slice(0, 90), /is no JSON/],
    ['of another shape', () => '[]', /is no campaign/],
    ['with an unknown status', (text) => text.replace('"pending"', '"done"'), /is no campaign: .*status/],
    ['in progress without a proposal', (text) => text.replace('"pending"', '"in_progress"'), /is no campaign: .*(?:diff|proposal|baseline)/],
    ['of another id', (text) => text.replace(/"campaign-\d+"/, '"campaign-1"'), /that of another one/],
    ['not UTF-8', () => 'é', /./],
  ];
  for (const [what, spoil, message] of broken) {
    it(`refuses a file that is ${what}`, async () => {
      const id = await begin(kit, flaw);
      const name = `.security/campaigns/${id}.json`;
      const text = spoil(readFileSync(kit.at(name), 'utf8'));
      kit.write(name, what === 'not UTF-8' ? Uint8Array.of(0xff, 0xfe) : text);
      await assert.rejects(kit.advance(id), { name: 'ToolFailed', message });
    });
  }

  it('neither reads nor writes a campaign through a link', async () => {
    const id = await begin(kit, flaw);
    rmSync(kit.at(`.security/campaigns/${id}.json`));
    symlinkSync('../../a.py', kit.at(`.security/campaigns/${id}.json`));
    await assert.rejects(kit.advance(id), { name: 'ToolFailed', message: /symbolic link/ });
  });
});

describe('an error of the program at one item', () => {
  const kit = campaignKit();
  it('is told in the log and skips the item, without a waiver', async () => {
    const id = await begin(kit, flaw);
    const logged: string[] = [];
    Object.assign(kit.parts, { log: (level: string, message: string, data: unknown) => void logged.push(`${level} ${message} ${String(data).split('\n', 1)[0]}`) });
    kit.runner = () => {
      throw new RangeError('Maximum call stack size exceeded');
    };
    const done = await kit.advance(id);
    assert.equal(done.status === 'campaign_complete' && done.summary.by_status['skipped_no_agent'], 1);
    assert.deepEqual(logged, ['error a fix could not be proposed RangeError: Maximum call stack size exceeded']);
    assert.ok(!existsSync(kit.at('.gadriel-waivers.toml')));
  });
});
