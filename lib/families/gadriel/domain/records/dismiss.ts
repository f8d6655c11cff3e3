import { maskSecrets } from '../../../../secrets/mask-secrets.ts';
import { safeText } from '../../../../text/safe-text.ts';
import type { Finding, Pillar } from '../finding.types.ts';
import { InvalidParams } from '../../../../domain/invalid-params.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { isToolFailed, ToolFailed } from '../tool-failed.ts';
import { appendAudit, auditLogPath } from './audit-log.ts';
import { findFindings } from './findings-file.ts';
import { judge } from './judge.ts';
import { knownRule } from './known-rules.ts';
import { findingsAbout, lookupFinding } from './lookup.ts';
import { findingsName } from './ocsf-fields.ts';
import { openPriors } from './priors.ts';
import { isUid, ruleOf } from './rule-ids.ts';
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

/** A dismissal for people: what it came to beside the answer of the tool. */
export type Dismissed = DismissalReport & {
  /** `present` when the same was waived before. */
  readonly outcome: 'added' | 'present';
  readonly rule_id: string;
  /** What is waived now; absent where no finding was known, and the waiver is for the rule, or for an id alone. */
  readonly finding?: Finding;
  /** Findings of the rule that are not waived after this. */
  readonly open: number;
};

/** Words that accept a risk rather than deny it; found anywhere in a reason, in any case. The apostrophe may be a typographic one. */
const acceptsRisk = /accepted risk|wontfix|won['’]t fix|acceptable for now/i;

/** As `recordDismissal`, with exactly the answer of the tool. */
export async function dismissFalsePositive(dismissal: Dismissal, surroundings: Surroundings): Promise<DismissalReport> {
  const { logged, audit_log_path } = await recordDismissal(dismissal, surroundings);
  return { logged, audit_log_path };
}

/**
 * Waives a finding, tells the audit log and teaches the priors, in this order. A rule id stands for its first finding that
 * is not waived yet.
 *
 * Where the finding is not known (no file of findings, or not in it) the waiver is for its rule, as the seed wants it of
 * the tool; at the command line an id that says nothing is a mistyped one, and a ToolFailed. So is a waiver or an event
 * that can't be written; a prior that can't is logged. Done twice, or again after it was stopped anywhere, there is one
 * waiver, one lesson, and an event each time.
 */
export async function recordDismissal({ finding_id, reason, root, by }: Dismissal, surroundings: Surroundings): Promise<Dismissed> {
  if (finding_id.trim() === '') throw new InvalidParams('finding_id is empty: give the id of a finding or of a rule');
  if (reason.trim() === '') throw new InvalidParams('reason is empty: say why it is no real issue');
  const scanned = await lastScan(root, by, surroundings);
  const judged = (id: string): Promise<Finding[]> => judge(root, findingsAbout(scanned ?? [], id), surroundings);
  const finding = lookupFinding(await judged(finding_id), finding_id)?.finding;
  if (finding === undefined && scanned !== undefined) checkUnknown(finding_id, by, surroundings);
  const { finding_id: id, rule_id } = finding ?? fullIds(finding_id);
  const ts = new Date(surroundings.now()).toISOString();
  const accepted = acceptsRisk.test(reason);
  const outcome = await appendWaiver(root, {
    rule_id,
    ...placeOf(finding, id),
    reason: maskSecrets(reason),
    kind: accepted ? 'accepted_risk' : 'false_positive',
    created_by: by === 'cli' ? 'cli' : 'human',
    created_at: ts,
  });
  const place = { path: finding?.file ?? null, line: finding?.line ?? null };
  const event = { ts, event: 'confirmed_false_positive', finding_id: id, rule_id, ...place, agent_runner: 'human', notes: reason } as const;
  await appendAudit(root, [event]).catch((error: unknown) => {
    if (!isToolFailed(error)) throw error;
    throw new ToolFailed(`the waiver is written, but not the audit event: ${error.message}`, { cause: error });
  });
  const beta = by === 'cli' ? 1 : accepted ? 0.3 : 0.5;
  const priors = openPriors(root, surroundings.env, surroundings.log);
  await priors.update(rule_id, finding?.pillar ?? pillarOf(rule_id), { beta }, `dismissed ${id}`);
  const open = (await judged(rule_id)).filter(({ waived }) => !waived).length;
  return { logged: true, audit_log_path: auditLogPath(root), outcome, rule_id, ...(finding !== undefined && { finding }), open };
}

/**
 * The findings of the last scan, undefined where they are not to be had. The tool's dismissals are never dropped for want
 * of them, which is worth a line in the log; a person can mend a broken file first.
 */
async function lastScan(root: string, by: Dismissal['by'], { log }: Surroundings): Promise<readonly Finding[] | undefined> {
  let missing = `there is no ${findingsName}`;
  try {
    const findings = await findFindings(root);
    if (findings !== undefined) return findings;
  } catch (error) {
    if (!isToolFailed(error) || by === 'cli') throw error;
    missing = error.message;
  }
  log('warning', `the dismissal is kept by rule alone: ${missing}`);
  return undefined;
}

function checkUnknown(id: string, by: Dismissal['by'], { log }: Surroundings): void {
  if (!isUid(id) && knownRule(id) !== undefined) return;
  const fault = `${JSON.stringify(safeText(id, 80))} is no finding of the last scan${isUid(id) ? '' : ', and no rule'}`;
  if (by === 'cli') throw new ToolFailed(`${fault}: gadriel code findings shows the ids of findings, gadriel code rules those of rules`);
  log('warning', `${fault}; the dismissal is kept all the same`);
}

/** What is meant by an id that no finding has. */
function fullIds(id: string): Pick<Finding, 'finding_id' | 'rule_id'> {
  const rule = ruleOf(id);
  const rule_id = knownRule(rule);
  return rule_id === undefined ? { finding_id: id, rule_id: rule } : { finding_id: rule_id + id.slice(rule.length).toLowerCase(), rule_id };
}

function placeOf(finding: Finding | undefined, id: string): Pick<NewWaiver, 'path' | 'line' | 'fingerprint' | 'finding_id'> {
  if (finding === undefined) return isUid(id) ? { finding_id: id } : {};
  const { file, line, fingerprint, finding_id } = finding;
  // Another program's finding may have no place: then its id says which one is meant.
  return file === '' ? { finding_id } : { path: file, line, fingerprint, finding_id };
}

const pillarsByNumber: readonly Pillar[] = ['security', 'compliance', 'safety', 'operational', 'finops', 'coherence', 'teamwork', 'bias'];

/** The pillar that a rule id names: `CODE-W2-…` is compliance. */
const pillarOf = (ruleId: string): Pillar => pillarsByNumber[Number(/^CODE-W([1-8])-/.exec(ruleId)?.[1] ?? 1) - 1] as Pillar;
