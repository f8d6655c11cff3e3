import path from 'node:path';
import { decodeSource } from '../decode-source.ts';
import type { Finding } from '../finding.types.ts';
import { readSource } from '../read-source.ts';
import { displayPath, forwardSlashes } from '../source-path.ts';
import { aiFindingSchema } from './ai-findings.ts';
import { sessionSeconds, type Sessions } from './sessions.ts';

/** What an answer asks of the host's model when Tier 2 is on. The keys are wire words. */
export type Tier2Request = {
  readonly session_id: string;
  readonly expires_in_s: number;
  readonly candidate_files: readonly string[];
  readonly deterministic: readonly Pick<Finding, 'finding_id' | 'cwe' | 'file' | 'line' | 'severity'>[];
  readonly submit_tool: 'submit_ai_findings';
  readonly schema: typeof aiFindingSchema;
};

/** What was scanned: a file on disk, or a text with its label. */
export type ScannedSource = { readonly file: string } & ({ readonly cwd: string } | { readonly content: string });

/** Opens a session for a scan and puts its request into the answer. Throws ToolFailed where the file is gone by now. */
export function offerTier2<Report extends { readonly findings: readonly Finding[] }>(
  report: Report, source: ScannedSource, sessions: Sessions, now: number,
): Omit<Report, 'tier2_request'> & { readonly tier2_request: Tier2Request } {
  const { name, lines } = 'content' in source ? { name: forwardSlashes(source.file), lines: countLines(source.content) } : fileOf(source.file, source.cwd);
  const { findings } = report;
  const request: Tier2Request = {
    session_id: sessions.open({ findings, lineCounts: new Map([[name, lines]]) }, now),
    expires_in_s: sessionSeconds,
    candidate_files: [name],
    deterministic: findings.map(({ finding_id, cwe, file, line, severity }) => ({ finding_id, cwe, file, line, severity })),
    submit_tool: 'submit_ai_findings',
    schema: aiFindingSchema,
  };
  return { ...report, tier2_request: request };
}

/** How findings name a file on disk, and how many lines it has. Throws ToolFailed where it can not be read. */
export function fileOf(file: string, cwd: string): { readonly name: string; readonly lines: number } {
  return { name: displayPath(file, cwd), lines: countLines(decodeSource(readSource(path.resolve(cwd, file)), file)) };
}

/** Lines of a text; what ends with a line end has no empty line behind it. */
function countLines(text: string): number {
  let count = 0;
  let at = 0;
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) {
    count++;
    at = index + end.length;
  }
  return at < text.length ? count + 1 : count;
}
