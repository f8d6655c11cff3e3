import type { CliContext } from '../../../mcp/family.types.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { createProgress } from '../../../terminal/progress.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { safeText } from '../../../text/safe-text.ts';
import { proposeFix, usualParts } from '../domain/fix/propose.ts';
import { defaultRunnerId } from '../domain/fix/runners/runner-table.ts';
import { recordDismissal, type Dismissed } from '../domain/records/dismiss.ts';
import { toolRoot } from '../domain/records/repo-root.ts';
import { Rescans } from '../domain/repository/rescan-file.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';
import { writeDiff } from './write-diff.ts';

const help = 'gadriel code fix --help';

/** `gadriel code fix`: prints a diff, or dismisses a finding. Returns the exit code; wrong usage throws a UsageError. */
export async function runFix(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { 'false-positive': 'value', runner: 'value', json: 'switch' }, help);
  const [id, extra] = rest;
  const reason = flags['false-positive'];
  if (extra !== undefined) throw new UsageError('code fix takes one id', { help });
  if (id === undefined || id === '') throw new UsageError('code fix needs the id of a finding or of a rule', { help });
  if (reason !== undefined && flags.runner !== undefined) throw new UsageError('--false-positive dismisses a finding, so it takes no --runner', { help });
  try {
    return reason === undefined ? await propose(id, flags.runner, flags.json === true, terminal) : await dismiss(id, reason, flags.json === true, terminal);
  } catch (error) {
    // Whoever stops it needs no word about it.
    if (terminal.signal.aborted) return exitCodes.refused;
    return reportFailure(error, terminal, help);
  }
}

async function dismiss(id: string, reason: string, json: boolean, terminal: CliContext): Promise<number> {
  const root = await toolRoot(undefined, terminal.cwd);
  const { logged, audit_log_path, ...dismissed } = await recordDismissal({ finding_id: id, reason, root, by: 'cli' }, surroundingsOf(terminal));
  terminal.stdout.write(json ? toJsonLine({ logged, audit_log_path }) : `${describeDismissal({ ...dismissed, id })}\n`);
  return exitCodes.done;
}

function describeDismissal({ id, finding, rule_id, outcome, open }: Pick<Dismissed, 'finding' | 'rule_id' | 'outcome' | 'open'> & { readonly id: string }): string {
  const what = finding !== undefined ? safeText(`${finding.finding_id} at ${finding.file}:${finding.line}`)
    : id.includes(':') ? `${safeText(id)}, which no scan has found so far` : `${safeText(rule_id)} in the whole repository`;
  const waiver = outcome === 'added' ? '.gadriel-waivers.toml has a waiver for it' : 'it had a waiver already';
  const more = open === 0 ? '' : `; ${open} more of this rule ${open === 1 ? 'is' : 'are'} open`;
  return `dismissed ${what}: ${waiver}${more}`;
}

async function propose(id: string, runner: string | undefined, json: boolean, terminal: CliContext): Promise<number> {
  const root = await toolRoot(undefined, terminal.cwd);
  const shown = createProgress({ stream: terminal.stderr, label: 'seconds:' });
  const progress = (done: number, _total?: number, message?: string): void => shown.update(Math.floor(done), message);
  const request = { root, findingId: id, runnerId: runner ?? defaultRunnerId(terminal.env) };
  const rescans = new Rescans();
  const parts = { ...usualParts, rescan: rescans.rescanFile };
  const proposal = await proposeFix(request, { ...surroundingsOf(terminal), signal: terminal.signal, progress }, parts).finally(() => {
    shown.end();
    return rescans.close();
  });
  const { diff, status, rationale } = proposal;
  if (json) terminal.stdout.write(toJsonLine(proposal));
  else {
    if (diff !== null) writeDiff(diff, terminal.stdout);
    terminal.stderr.write(diff === null ? `gadriel: ${status}: ${safeText(rationale)}\n` : `${safeText(rationale)}\n`);
  }
  return diff === null ? exitCodes.refused : exitCodes.done;
}
