import { confine, findRoot, isPathRefusedError } from '../../../../store/root.ts';
import { isToolFailed } from '../tool-failed.ts';
import { Scans, type ScanSurroundings } from '../validate.ts';
import type { Finding } from '../finding.types.ts';
import { parseAiFindings } from './ai-findings.ts';
import type { ScannedFiles } from './fuse.ts';
import { fileOf } from './offer.ts';

/** Files to scan: `sources` relative to the working folder, each of which must be there; `named` as findings name them, which may be anything. */
export type Wanted = { readonly sources: readonly string[] } | { readonly named: readonly string[] };

/** A model that names more files than findings are taken of means no scan. */
const maxNamed = 50;

/** The files that well-formed findings of a model name, at most 50 of them. */
export const namedFiles = (submitted: readonly unknown[]): string[] => [...new Set(parseAiFindings(submitted).items.map(({ file }) => file))].slice(0, maxNamed);

/** Scans files for a fusion without a session. Rejects with ToolFailed for a source that can not be scanned; a named file that can not is left out. */
export async function scanSources(wanted: Wanted, surroundings: ScanSurroundings, signal: AbortSignal): Promise<ScannedFiles> {
  const { cwd } = surroundings;
  const scans = new Scans();
  const findings: Finding[] = [];
  const lineCounts = new Map<string, number>();
  try {
    // Else each named file would be left out because of them, and nobody told.
    await scans.checkSettings(surroundings);
    for (const source of 'sources' in wanted ? wanted.sources : wanted.named) {
      try {
        const file = 'sources' in wanted ? source : confine(findRoot(cwd) ?? cwd, source);
        const report = await scans.validateFile(file, surroundings, signal);
        const { name, lines } = fileOf(file, cwd);
        if (lineCounts.has(name)) continue;
        findings.push(...report.findings);
        lineCounts.set(name, lines);
      } catch (error) {
        if ('sources' in wanted || !(isToolFailed(error) || isPathRefusedError(error))) throw error;
      }
    }
  } finally {
    await scans.close();
  }
  return { findings, lineCounts };
}
