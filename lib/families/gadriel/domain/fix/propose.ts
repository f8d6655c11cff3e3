import type { Finding } from '../finding.types.ts';
import { readFindings } from '../records/findings-file.ts';
import { judge } from '../records/judge.ts';
import { findingsAbout, lookupFinding } from '../records/lookup.ts';
import { openPriors, priorMean } from '../records/priors.ts';
import { historyTag } from '../repository/history.ts';
import { rescanFile, type RescanFile } from '../repository/rescan-file.ts';
import { ToolFailed } from '../tool-failed.ts';
import { checkFix, type Rescan } from './check-fix.ts';
import { hashOf, readFixSource, type FixSource } from './fix-source.ts';
import type { FixProposal, FixRequest, FixStatus, FixSurroundings } from './fix.types.ts';
import { locateFresh, standsInText } from './locate.ts';
import { addCost } from './runners/model-dialogue.ts';
import { runners as builtInRunners } from './runners/runner-table.ts';
import type { Runner } from './runners/runner.types.ts';
import { whileWorking } from './while-working.ts';

export type { FixProposal, FixRequest, FixStatus, FixSurroundings } from './fix.types.ts';
export { rulesWithTemplate } from './templates/index.ts';

/** Who makes fixes and how they are scanned; specs bring their own. */
export type FixParts = { readonly runners: readonly Runner[]; readonly rescan: RescanFile };

/** The built-in runners, and scans of the repository. */
export const usualParts: FixParts = { runners: builtInRunners, rescan: rescanFile };

/** A finding and the file it is in, as both are now. */
export type Target = {
  readonly finding: Finding;
  readonly source: FixSource;
  readonly scan: readonly Finding[];
  readonly rescan: Rescan;
  /** Whether a scan of the file shows the finding; what another program found, it can't. */
  readonly scanned: boolean;
};

/**
 * Proposes a fix of one finding as a unified diff that has been applied in memory, parsed and scanned again; writes nothing.
 * Whatever the runner comes to is a status; throws ToolFailed when no finding has the id, and the signal's reason when cancelled.
 */
export async function proposeFix(request: FixRequest, surroundings: FixSurroundings, parts: FixParts = usualParts): Promise<FixProposal> {
  const { finding: known, ambiguous } = await findFinding(request, surroundings);
  const proposal = await proposeFor(known, request, surroundings, parts);
  return { ...proposal, ...(ambiguous !== undefined && { ambiguous }) };
}

/** The finding that a request means: of a rule's one that is not waived. Throws ToolFailed where there is none. */
export async function findFinding(
  { root, findingId, findings }: Pick<FixRequest, 'root' | 'findingId' | 'findings'>, surroundings: Parameters<typeof judge>[2],
): Promise<{ readonly finding: Finding; readonly ambiguous?: number }> {
  const about = findingsAbout(findings ?? (await readFindings(root)), findingId);
  const found = lookupFinding(await judge(root, about, surroundings), findingId);
  if (found === undefined) throw new ToolFailed('no finding of the last scan has this id: scan again, or look ids up with findings_for_path');
  return found;
}

async function proposeFor(known: Finding, request: FixRequest, surroundings: FixSurroundings, { runners, rescan }: FixParts): Promise<FixProposal> {
  const end = (status: FixStatus, rationale: string, more: Partial<FixProposal> = {}): FixProposal => ({
    status, runner_id: request.runnerId, finding_id: known.finding_id, diff: null, rationale, iterations_used: 0, tool_calls: [], cost_usd: 0, ...more,
  });
  surroundings.signal.throwIfAborted();
  const runner = runners.find(({ id }) => id === request.runnerId);
  if (runner === undefined) return end('no_agent', `There is no such runner: choose one of ${runners.map(({ id }) => id).join(', ')}.`);
  const missing = runner.unavailable(surroundings.env);
  if (missing !== undefined) return end('no_agent', `The runner ${runner.id} is not available: ${missing}.`);
  if (!runner.maySeeSource(surroundings.env)) {
    return end('consent_required', `${runner.id} sends source code to the model's provider: set GADRIEL_MCP_SOURCE_CONSENT=true to allow it.`);
  }
  const target = await openTarget(known, request.root, surroundings, rescan);
  if ('status' in target) return end(target.status, sentence(target.why));
  return whileWorking(surroundings, runner.id, (tell) => iterate(runner, target, request, surroundings, end, tell));
}

type End = (status: FixStatus, rationale: string, more?: Partial<FixProposal>) => FixProposal;

async function iterate(
  runner: Runner, target: Target, { root, lastError: earlier }: FixRequest, surroundings: FixSurroundings, end: End, tell: (message: string) => void,
): Promise<FixProposal> {
  const { finding, source, scan, rescan, scanned } = target;
  const prior = priorMean(openPriors(root, surroundings.env, surroundings.log).get(finding.rule_id, finding.pillar));
  let cost_usd: number | null = 0;
  let lastError = earlier;
  for (let attempt = 1; attempt <= runner.maxAttempts; attempt += 1) {
    tell(`attempt ${attempt} of ${runner.maxAttempts}`);
    const answer = await runner.propose({ finding, text: source.text, scan, attempt, prior, surroundings, ...(lastError !== undefined && { lastError }) });
    surroundings.signal.throwIfAborted();
    cost_usd = addCost(cost_usd, answer.cost_usd);
    const used = { iterations_used: attempt, cost_usd };
    if (answer.kind === 'failed') return end('runner_failed', sentence(answer.error.message), { ...used, error: answer.error });
    if (answer.kind === 'declined' || answer.kind === 'not_fixable') return end(answer.kind, answer.rationale, used);
    if (answer.kind === 'invalid') {
      lastError = answer.wrong;
      continue;
    }
    const check = await checkFix(source, answer.text, finding, scan, rescan, scanned);
    if ('diff' in check) {
      return end('proposed', answer.rationale + lighterNote(check.lighter), { ...used, diff: check.diff, before_hash: source.hash, after_hash: hashOf(check.after) });
    }
    lastError = check.wrong;
  }
  // Its only answer is the one that it would give again: that is no failure to count, it has no safe fix.
  if (runner.maxAttempts === 1) return end('declined', `The template does not fit this code: ${lastError}.`, { iterations_used: 1, cost_usd });
  return end('invalid_diff', `No proposal passed the checks: ${lastError}.`, { iterations_used: runner.maxAttempts, cost_usd });
}

/** What is better than before and not yet good. */
const lighterNote = (rules: readonly string[]): string =>
  (rules.length === 0 ? '' : ` Review: the new lines still have ${rules.join(', ')}, a lighter flaw of the same kind.`);

/** Reads the file of a finding and scans it, so that the finding has its place of now; or says why there is nothing to work on. */
export async function openTarget(
  known: Finding, root: string, surroundings: FixSurroundings, rescanOf: FixParts['rescan'],
): Promise<Target | { readonly status: 'stale' | 'not_fixable'; readonly why: string }> {
  if (known.tags.includes(historyTag)) return { status: 'not_fixable', why: 'the secret is in the history of the repository alone, where no diff reaches it: revoke it, and issue a new one' };
  const source = readFixSource(root, known.file);
  if ('status' in source) return source;
  const rescan: Rescan = (text) => rescanOf(root, known.file, text, surroundings, surroundings.signal);
  const scan = await rescan(source.text);
  const fresh = locateFresh(known, scan, source.text);
  if (fresh !== undefined) return { finding: fresh, source, scan, rescan, scanned: true };
  // No scan of this program shows what another one found; its line must still be there.
  if (isForeign(known) && standsInText(known, source.text)) return { finding: known, source, scan, rescan, scanned: false };
  return { status: 'stale', why: 'the code at this place is no longer what was scanned: scan again' };
}

const isForeign = ({ scan_type, source }: Finding): boolean => source === 'ai' || !['sast', 'secrets', 'config'].includes(scan_type);

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
