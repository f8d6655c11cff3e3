import path from 'node:path';
import { appendJsonLines } from '../../../../store/jsonl.ts';
import { maskSecrets } from '../../../../secrets/mask-secrets.ts';
import { plainPath, withRecordLock } from './record-files.ts';

/** What the log can tell (design of gadriel, section 1.5). */
export type AuditEventName =
  | 'confirmed_real' | 'suppressed_by_agent' | 'surfaced' | 'fix_proposed' | 'confirmed_false_positive'
  | 'campaign_started' | 'item_status' | 'waiver_written' | 'campaign_complete';

/** One event; members that do not apply are left out and written as null (the last ones, from before_hash on, not at all). */
export type AuditEvent = {
  /** When, in ISO 8601. */
  readonly ts: string;
  readonly event: AuditEventName;
  readonly finding_id?: string | null;
  readonly rule_id?: string | null;
  /** Relative to the root of the repository. */
  readonly path?: string | null;
  /** 1-based. */
  readonly line?: number | null;
  /** Who decided: `human`, or the id of a runner. */
  readonly agent_runner?: string | null;
  readonly notes?: string | null;
  /** SHA-256 of the file before and after a fix, hex. */
  readonly before_hash?: string;
  readonly after_hash?: string;
  readonly campaign_id?: string;
  readonly prior?: { readonly alpha: number; readonly beta: number };
  readonly cost_usd?: number | null;
};

const name = '.security/audit-log.jsonl';

/** Absolute path of the log of a repository. */
export const auditLogPath = (root: string): string => path.join(root, '.security', 'audit-log.jsonl');

/**
 * Appends events to the log as lines of JSON, synced, under the lock of the log; `.security` is made where it is missing.
 * Secrets in notes are masked. Throws ToolFailed where the log can not be written; then no event is in it.
 */
export async function appendAudit(root: string, events: readonly AuditEvent[]): Promise<void> {
  if (events.length === 0) return;
  await withRecordLock(root, name, async () => appendJsonLines(await plainPath(root, name), events.map(toLine)));
}

/** The members in the order of the log, whatever order they came in. */
function toLine(event: AuditEvent): Record<string, unknown> {
  const { ts, finding_id = null, rule_id = null, path = null, line = null, agent_runner = null, notes = null } = event;
  const { before_hash, after_hash, campaign_id, prior, cost_usd } = event;
  const masked = notes === null ? null : maskSecrets(notes);
  // JSON leaves out what is undefined.
  return { ts, event: event.event, finding_id, rule_id, path, line, agent_runner, notes: masked, before_hash, after_hash, campaign_id, prior, cost_usd };
}
