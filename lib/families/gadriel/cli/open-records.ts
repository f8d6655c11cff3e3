import path from 'node:path';
import { safeText } from '../../../text/safe-text.ts';
import type { Finding } from '../domain/finding.types.ts';
import { readFindings } from '../domain/records/findings-file.ts';
import { judge } from '../domain/records/judge.ts';
import { repoRootOf } from '../domain/records/repo-root.ts';
import { loadWaivers } from '../domain/records/waivers.ts';
import type { ReportMeta } from '../domain/report/report.types.ts';
import type { Surroundings } from '../../../domain/surroundings.types.ts';

/** The findings of the last scan with what was waived or learned since, and what a report needs beside them. */
export type OpenRecords = { readonly root: string; readonly findings: readonly Finding[]; readonly meta: ReportMeta };

/** Reads the records of the repository that holds `given`. Throws ToolFailed where there is no scan yet or a file is broken. */
export async function openRecords(given: string, surroundings: Surroundings): Promise<OpenRecords> {
  const root = await repoRootOf(given, surroundings.cwd);
  const findings = await judge(root, await readFindings(root), surroundings);
  const now = surroundings.now();
  const waivers = await loadWaivers(root, now);
  return { root, findings, meta: { root, now, waiverOf: (finding) => waivers.match(finding) } };
}

/** A path of a file as people read it: from the working folder where it is below, else whole. */
export function shownPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return safeText(relative.startsWith('..') ? file : relative);
}
