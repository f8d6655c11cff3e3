import type { Finding } from '../finding.types.ts';
import { ToolFailed } from '../tool-failed.ts';
import { fuse, fusionMode, type FusionReport, type ScannedFiles } from './fuse.ts';
import type { Sessions } from './sessions.ts';

/** The answer of submit_ai_findings. */
export type Submitted = { readonly findings: readonly Finding[]; readonly tier2_applied: true; readonly report: FusionReport };

/** The arguments of submit_ai_findings; the keys are wire words. */
export type Submission = { readonly session_id: string; readonly ai_findings: readonly unknown[]; readonly mode?: string };

/**
 * Joins a model's findings with those of its session, which is over then, whatever comes of it. Throws InvalidParams for a
 * session that is not open and for an unknown mode.
 */
export function submitAiFindings({ session_id, ai_findings, mode }: Submission, sessions: Sessions, now: number): Submitted {
  return fuseSubmission(sessions.take(session_id, now), ai_findings, mode);
}

/** The same for a scan that was just made, without a session. */
export function fuseSubmission(scanned: ScannedFiles, submitted: readonly unknown[], mode = 'advisory'): Submitted {
  const { findings, report } = fuse(scanned, submitted, fusionMode(mode));
  return { findings, tier2_applied: true, report };
}

/**
 * A submission out of a file: a list of findings, or an object with `ai_findings` and maybe `mode`. Throws ToolFailed for
 * anything else.
 */
export function parseSubmissionFile(bytes: Uint8Array): Omit<Submission, 'session_id'> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ToolFailed('the file is no JSON in UTF-8', { cause });
  }
  if (Array.isArray(value)) return { ai_findings: value };
  const { ai_findings, mode } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  if (!Array.isArray(ai_findings)) throw new ToolFailed('the file is neither a list of findings nor an object with ai_findings');
  if (mode !== undefined && typeof mode !== 'string') throw new ToolFailed('mode is no text');
  return { ai_findings, ...(mode !== undefined && { mode }) };
}
