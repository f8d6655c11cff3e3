import type { Finding } from '../finding.types.ts';
import { appendAudit, type AuditEvent } from '../records/audit-log.ts';
import { bandOf, openPriors, priorMean } from '../records/priors.ts';
import type { FixProposal, FixRequest, FixSurroundings, RunnerError } from './fix.types.ts';
import { findFinding, openTarget, proposeFix, usualParts, type FixParts } from './propose.ts';
import { addCost } from './runners/model-dialogue.ts';
import { defaultRunnerId } from './runners/runner-table.ts';
import type { Confirmation, Effort, Opinion, RunnerOpinion } from './runners/runner.types.ts';
import { whileWorking } from './while-working.ts';

/** The answer of fix_finding without a runner. The keys are wire words. */
export type AgentVerdict = {
  readonly finding_id: string;
  readonly runner: string;
  readonly confirmation: Confirmation;
  /** At most 280 characters. */
  readonly confirmation_rationale: string;
  readonly explanation: string;
  readonly effort: Effort;
  readonly fix: { readonly diff: string; readonly rationale: string } | null;
  readonly compliance_controls: readonly string[];
  readonly additional_actions: readonly string[];
  /** What was learned of the rule before this verdict. */
  readonly prior: { readonly mean: number; readonly band: ReturnType<typeof bandOf> };
  /** How likely the finding is real, this verdict included, 0 to 1. */
  readonly posterior: number;
  readonly cost_usd: number | null;
  /** Only where the runner was not allowed to see the code: what it says is a guess by rule, CWE and place. */
  readonly judged_by?: 'metadata';
  readonly confidence?: 'low';
  readonly ambiguous?: number;
};

/** Surroundings of a verdict: the audit log is written in the family's queue. */
export type VerdictSurroundings = FixSurroundings & { exclusive<T>(fn: () => Promise<T>): Promise<T> };

/** How much a model's word teaches the prior (design of gadriel, section 1.6). */
const modelWeight = 0.25;

/** The event that a confirmation is logged as; what was not looked at is surfaced, whatever was said of it. */
const eventOf = { real_risk: 'confirmed_real', false_positive: 'suppressed_by_agent', uncertain: 'surfaced' } as const;

/**
 * Confirms, explains and where it can fixes a finding, and logs what it came to; the runner is `claude` where a key is set,
 * else `rules`. Throws ToolFailed when no finding has the id or the log can not be written.
 */
export async function confirmFinding(
  request: Omit<FixRequest, 'runnerId' | 'lastError'>, surroundings: VerdictSurroundings, parts: FixParts = usualParts,
): Promise<AgentVerdict> {
  const { root } = request;
  const { finding: known, ambiguous } = await findFinding(request, surroundings);
  const runner = parts.runners.find(({ id }) => id === defaultRunnerId(surroundings.env))!;
  const priors = openPriors(root, surroundings.env, surroundings.log);
  const prior = priors.get(known.rule_id, known.pillar);
  const target = await openTarget(known, root, surroundings, parts.rescan);
  const answer: RunnerOpinion = 'status' in target
    ? { kind: 'opinion', cost_usd: 0, opinion: uncertain(known, `No second look was possible: ${target.why}.`) }
    : await whileWorking(surroundings, runner.id, (tell) => {
      tell('judging');
      return runner.confirm({ finding: target.finding, text: target.source.text, scan: target.scan, attempt: 1, prior: priorMean(prior), surroundings });
    });
  surroundings.signal.throwIfAborted();
  const guess = answer.kind === 'opinion' && !('status' in target) && !runner.maySeeSource(surroundings.env);
  const opinion = answer.kind !== 'opinion' ? uncertain(known, failedText(answer.error)) : guess ? capped(answer.opinion) : answer.opinion;
  const proposal = 'status' in target || opinion.confirmation === 'false_positive' || answer.kind === 'failed' ? undefined
    : await proposeFix({ ...request, runnerId: runner.id, findings: [known], findingId: known.finding_id }, surroundings, parts);
  const cost_usd = addCost(answer.cost_usd, proposal?.cost_usd ?? 0);
  const learned = runner.id === 'rules' || guess ? undefined : await learn(priors, known, opinion.confirmation);
  await surroundings.exclusive(() => appendAudit(root, eventsOf(known, runner.id, { opinion, guess, cost_usd }, proposal, surroundings.now())));
  return {
    finding_id: known.finding_id,
    runner: runner.id,
    confirmation: opinion.confirmation,
    confirmation_rationale: opinion.confirmation_rationale,
    explanation: opinion.explanation,
    effort: opinion.effort,
    fix: proposal === undefined || proposal.diff === null ? null : { diff: proposal.diff, rationale: proposal.rationale },
    compliance_controls: known.owasp,
    additional_actions: opinion.additional_actions,
    prior: { mean: round(priorMean(prior)), band: bandOf(prior) },
    posterior: round(priorMean(learned ?? prior)),
    cost_usd,
    ...(guess && { judged_by: 'metadata', confidence: 'low' }),
    ...(ambiguous !== undefined && { ambiguous }),
  };
}

/** Rules that judge their own findings would only ever agree with themselves: a model's word counts, theirs does not. */
async function learn(
  priors: ReturnType<typeof openPriors>, { rule_id, pillar }: Finding, confirmation: Confirmation,
): ReturnType<typeof priors.update> {
  if (confirmation === 'uncertain') return undefined;
  return priors.update(rule_id, pillar, confirmation === 'real_risk' ? { alpha: modelWeight } : { beta: modelWeight });
}

type Judged = { readonly opinion: Opinion; readonly guess: boolean; readonly cost_usd: number | null };

function eventsOf(finding: Finding, runner: string, { opinion, guess, cost_usd }: Judged, proposal: FixProposal | undefined, now: number): AuditEvent[] {
  const { finding_id, rule_id, file: path, line } = finding;
  const about = { ts: new Date(now).toISOString(), finding_id, rule_id, path, line, agent_runner: runner };
  const events: AuditEvent[] = [{ ...about, event: guess ? 'surfaced' : eventOf[opinion.confirmation], notes: opinion.confirmation_rationale, cost_usd }];
  if (proposal?.before_hash !== undefined) {
    events.push({ ...about, event: 'fix_proposed', notes: proposal.rationale, before_hash: proposal.before_hash });
  }
  return events;
}

const uncertain = (finding: Finding, why: string): Opinion => ({
  confirmation: 'uncertain', confirmation_rationale: why.slice(0, 280), explanation: finding.message, effort: 'medium', additional_actions: [finding.remediation],
});

/** Who has not seen the code can't clear it of a finding, and whoever reads the verdict or the log has to know. */
const capped = (opinion: Opinion): Opinion => ({
  ...opinion,
  confirmation: opinion.confirmation === 'false_positive' ? 'uncertain' : opinion.confirmation,
  confirmation_rationale: `Judged by metadata alone: ${opinion.confirmation_rationale}`.slice(0, 280),
});

const failedText = ({ message }: RunnerError): string => `The runner could not judge it: ${message}.`;
const round = (value: number): number => Math.round(value * 1e4) / 1e4;
