import type { Finding, Pillar } from '../finding.types.ts';
import { InvalidParams } from '../invalid-params.ts';
import type { Surroundings } from '../surroundings.types.ts';
import { isToolFailed, ToolFailed } from '../tool-failed.ts';
import { appendAudit, auditLogPath } from './audit-log.ts';
import { readFindings } from './findings-file.ts';
import { lookupFinding } from './lookup.ts';
import { maskSecrets } from '../../../../secrets/mask-secrets.ts';
import { openPriors } from './priors.ts';
import { appendWaiver } from './waivers.ts';
import type { NewWaiver } from './waivers.types.ts';

/** A decision that a finding is no real issue. */
export type Dismissal = {
  /** The id of a finding, or of its rule. */
  readonly finding_id: string;
  readonly reason: string;
  /** As `repoRootOf` gives it. */
  readonly root: string;
  /** A person at the command line counts in full; a caller of the tool may be a model, and counts half. */
  readonly by: 'tool' | 'cli';
};

/** The answer of dismiss_false_positive. */
export type DismissalReport = { readonly logged: true; readonly audit_log_path: string };

/** Words that accept a risk rather than deny it; found anywhere in a reason, in any case. The apostrophe may be a typographic one. */
const acceptsRisk = /accepted risk|wontfix|won['’]t fix|acceptable for now/i;

/**
 * Waives a finding, tells the audit log and teaches the priors, in this order.
 *
 * Where the finding is not known (no file of findings, or not in it) the waiver is for its rule. A waiver or an event that
 * can't be written is a ToolFailed; a prior that can't is logged. Done twice, there is one waiver, one lesson and two events.
 */
export async function dismissFalsePositive({ finding_id, reason, root, by }: Dismissal, surroundings: Surroundings): Promise<DismissalReport> {
  if (finding_id.trim() === '') throw new InvalidParams('finding_id is empty: give the id of a finding or of a rule');
  if (reason.trim() === '') throw new InvalidParams('reason is empty: say why it is no real issue');
  const finding = await find(root, finding_id, surroundings);
  const rule_id = finding?.rule_id ?? ruleOf(finding_id);
  const ts = new Date(surroundings.now()).toISOString();
  const accepted = acceptsRisk.test(reason);
  const outcome = await appendWaiver(root, {
    rule_id,
    ...placeOf(finding, finding_id),
    reason: maskSecrets(reason),
    kind: accepted ? 'accepted_risk' : 'false_positive',
    created_by: by === 'cli' ? 'cli' : 'human',
    created_at: ts,
  });
  const place = { path: finding?.file ?? null, line: finding?.line ?? null };
  const id = finding?.finding_id ?? finding_id;
  const event = { ts, event: 'confirmed_false_positive', finding_id: id, rule_id, ...place, agent_runner: 'human', notes: reason } as const;
  await appendAudit(root, [event]).catch((error: unknown) => {
    if (!isToolFailed(error)) throw error;
    throw new ToolFailed(`the waiver is written, but not the audit event: ${error.message}`, { cause: error });
  });
  if (outcome === 'added') {
    const beta = by === 'cli' ? 1 : accepted ? 0.3 : 0.5;
    await openPriors(root, surroundings.env, surroundings.log).update(rule_id, finding?.pillar ?? pillarOf(rule_id), { beta });
  }
  return { logged: true, audit_log_path: auditLogPath(root) };
}

/** A dismissal is never dropped for want of findings; but a reason that isn't just "none yet" is worth a line in the log. */
async function find(root: string, id: string, { log }: Surroundings): Promise<Finding | undefined> {
  try {
    return lookupFinding(await readFindings(root), id)?.finding;
  } catch (error) {
    if (!isToolFailed(error)) throw error;
    log('warning', `the dismissal is kept by rule alone: ${error.message}`);
    return undefined;
  }
}

function placeOf(finding: Finding | undefined, id: string): Pick<NewWaiver, 'path' | 'line' | 'fingerprint' | 'finding_id'> {
  if (finding === undefined) return isUid(id) ? { finding_id: id } : {};
  const { file, line, fingerprint, finding_id } = finding;
  // Another program's finding may have no place: then its id says which one is meant.
  return file === '' ? { finding_id } : { path: file, line, fingerprint, finding_id };
}

/** `<rule id>:<8 hex digits>`. */
const isUid = (id: string): boolean => /.:[0-9a-f]{8}$/.test(id);
const ruleOf = (id: string): string => (isUid(id) ? id.slice(0, -9) : id);

const pillarsByNumber: readonly Pillar[] = ['security', 'compliance', 'safety', 'operational', 'finops', 'coherence', 'teamwork', 'bias'];

/** The pillar that a rule id names: `CODE-W2-…` is compliance. */
const pillarOf = (ruleId: string): Pillar => pillarsByNumber[Number(/^CODE-W([1-8])-/.exec(ruleId)?.[1] ?? 1) - 1] as Pillar;
