import type { CliContext } from '../../../mcp/family.types.ts';
import { createColours, type Colours } from '../../../terminal/colour.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { createProgress } from '../../../terminal/progress.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { safeText } from '../../../text/safe-text.ts';
import type { Advanced } from '../domain/campaign/advance.ts';
import { loadCampaign } from '../domain/campaign/campaign-file.ts';
import type { CampaignItem, CampaignSummary } from '../domain/campaign/campaign.types.ts';
import { advance } from '../domain/campaign/run.ts';
import { startCampaign, type Started } from '../domain/campaign/start.ts';
import { readFindings } from '../domain/records/findings-file.ts';
import { isKnownId, unknownRules } from '../domain/records/known-rules.ts';
import { toolRoot } from '../domain/records/repo-root.ts';
import { Rescans } from '../domain/repository/rescan-file.ts';
import { reportFailure } from './failed.ts';
import { writeDiff } from './write-diff.ts';
import { surroundingsOf } from './surroundings.ts';

const startFlags = {
  severity: 'values', pillar: 'values', 'scan-type': 'values', rule: 'values', confidence: 'values', finding: 'values',
  repo: 'value', runner: 'value', force: 'switch', json: 'switch',
} as const;
const startHelp = 'gadriel code campaign start --help';

/** `gadriel code campaign start`: the tool's twin. Returns the exit code; wrong usage throws a UsageError. */
export async function runCampaignStart(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, startFlags, startHelp);
  if (rest.length > 0) throw new UsageError('code campaign start takes no words: restrict it by flags', { help: startHelp });
  const { severity = [], pillar = [], 'scan-type': scan_type = [], rule = [], confidence = [], finding = [] } = flags;
  const filter = { severity, pillar, scan_type, rule_id: rule, confidence_tier: confidence, finding_ids: finding };
  try {
    const root = await toolRoot(flags.repo, terminal.cwd);
    const findings = await readFindings(root);
    const [unknown] = [...unknownRules(rule, findings), ...finding.filter((id) => !isKnownId(id, findings))];
    if (unknown !== undefined) throw new UsageError(`${JSON.stringify(unknown)} is no finding of the last scan and no rule; gadriel code rules lists those`, { help: startHelp });
    const started = await startCampaign({ root, filter, runnerId: flags.runner, force: flags.force === true, keepUnfinished: true }, surroundingsOf(terminal));
    terminal.stdout.write(flags.json === true ? toJsonLine(started) : describeStart(started, createColours(terminal.stdout, terminal.env)));
    return exitCodes.done;
  } catch (error) {
    return reportFailure(error, terminal, startHelp);
  }
}

function describeStart({ campaign_id, total, first_batch, note }: Started, colours: Colours): string {
  if (total === 0) return `${campaign_id}: ${colours.green('no finding fits, nothing to do')}\n`;
  const first = first_batch.map((id) => `  ${safeText(id)}\n`).join('');
  const more = total > first_batch.length ? `  … and ${total - first_batch.length} more\n` : '';
  return `${colours.bold(campaign_id)}: ${total} finding${total === 1 ? '' : 's'}\n${first}${more}${note === undefined ? '' : `Note: ${note}\n`}Next: gadriel code campaign advance ${campaign_id}\n`;
}

const advanceFlags = { applied: 'switch', 'after-hash': 'value', declined: 'value', repo: 'value', json: 'switch' } as const;
const advanceHelp = 'gadriel code campaign advance --help';

/** `gadriel code campaign advance`: the tool's twin; prints the diff alone on stdout. Returns the exit code; wrong usage throws a UsageError. */
export async function runCampaignAdvance(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, advanceFlags, advanceHelp);
  const [campaignId, extra] = rest;
  if (campaignId === undefined || extra !== undefined) throw new UsageError('code campaign advance needs one id of a campaign', { help: advanceHelp });
  if (flags.applied === true && flags.declined !== undefined) throw new UsageError('--applied and --declined can not both be', { help: advanceHelp });
  if (flags['after-hash'] !== undefined && flags.applied !== true) throw new UsageError('--after-hash needs --applied', { help: advanceHelp });
  const applied = flags.applied ?? (flags.declined === undefined ? undefined : false);
  const progress = createProgress({ stream: terminal.stderr, label: 'looking for a fix' });
  const rescans = new Rescans();
  try {
    const answer = await advance(
      { campaignId, repoRoot: flags.repo, applied, afterHash: flags['after-hash'], reason: flags.declined },
      { ...surroundingsOf(terminal), signal: terminal.signal, exclusive: (work) => work(), progress: (done, _total, message) => progress.update(done, message) },
      rescans,
    );
    progress.end();
    if (flags.json === true) terminal.stdout.write(toJsonLine(answer));
    else if (answer.status === 'campaign_complete') terminal.stderr.write(describeSummary(answer, await unmended(campaignId, flags.repo, terminal), createColours(terminal.stderr, terminal.env)));
    else show(answer, terminal);
    return exitCodes.done;
  } catch (error) {
    return reportFailure(error, terminal, advanceHelp);
  } finally {
    progress.end();
    await rescans.close();
  }
}

function show(answer: Extract<Advanced, { status: 'in_progress' }>, { stdout, stderr, env }: CliContext): void {
  const colours = createColours(stderr, env);
  const { diff, rationale } = answer.proposed_fix;
  stderr.write(`${colours.bold(safeText(answer.finding_id))}: ${safeText(rationale)}\n`);
  stderr.write(`Apply the diff, then: gadriel code campaign advance ${answer.campaign_id} --applied\n`);
  writeDiff(diff ?? '', stdout);
}

/** The items of a campaign whose findings stand or were waived, with the reasons. */
async function unmended(campaignId: string, repo: string | undefined, { cwd }: CliContext): Promise<readonly CampaignItem[]> {
  const { items } = await loadCampaign(await toolRoot(repo, cwd), campaignId);
  return items.filter(({ status, reason }) => status !== 'verified' && status !== 'fixed' && reason !== undefined);
}

function describeSummary({ campaign_id: id, summary }: { readonly campaign_id: string; readonly summary: CampaignSummary }, items: readonly CampaignItem[], colours: Colours): string {
  const counts = Object.entries(summary.by_status).map(([status, count]) => `  ${count} ${status}\n`).join('');
  const regressed = summary.regressed.map((finding) => `  ${colours.red(`regressed: ${safeText(finding)}`)}\n`).join('');
  const note = summary.verified_partial_note === undefined ? '' : `  ${summary.verified_partial_note}\n`;
  const reasons = items.map(({ status, finding_id, file, line, reason }) => colours.dim(`  ${status}: ${safeText(`${finding_id} at ${file}:${line}: ${reason}`, 400)}\n`)).join('');
  const unknown = summary.cost_unknown === undefined ? '' : `, and ${summary.cost_unknown} run(s) of unknown cost`;
  return `${colours.bold(id)} is complete: ${summary.total} finding(s), $${summary.cost_usd}${unknown}\n${counts}${regressed}${note}${reasons}`;
}
