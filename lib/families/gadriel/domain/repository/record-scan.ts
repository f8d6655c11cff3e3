import type { Finding } from '../finding.types.ts';
import { updateFindings, writeFindings } from '../records/findings-file.ts';
import { markWaived } from '../records/judge.ts';
import { fromOcsf } from '../records/ocsf.ts';
import { findingsName } from '../records/ocsf-fields.ts';
import { decodeRecord, readRecord, replaceRecord, withRecordLock } from '../records/record-files.ts';
import { loadWaivers } from '../records/waivers.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { isToolFailed } from '../tool-failed.ts';
import { historyTag } from './history.ts';
import { isGone } from './scan-scope.ts';

/** What a scan has looked at: which earlier findings are replaced by what it found. */
export type Extent = {
  readonly isWhole: boolean;
  /** Whether git's history was searched too. */
  readonly history: boolean;
  /** Whether a file was looked at. */
  looked(file: string): boolean;
  /** Files that could not be scanned: nothing is known of what they hold now. */
  readonly failed: ReadonlySet<string>;
};

/** Copies of what was no findings.json are kept under this name; they may hold what other programs wrote. */
const brokenName = `${findingsName}.broken`;
const maxBrokenBytes = 384 * 1024 * 1024;

/**
 * Puts the findings of a scan in the place of earlier ones in findings.json, and returns all that it holds then. What other
 * programs and other kinds of scan found stays. Throws ToolFailed where it can not be written, or, for a scan of a part,
 * where it can not be read: a scan of everything makes a new one then, with what is left of the old.
 */
export async function recordScan(root: string, findings: readonly Finding[], extent: Extent, { now, log }: Surroundings): Promise<readonly Finding[]> {
  const time = now();
  const waivers = await loadWaivers(root, time);
  let all: readonly Finding[] = findings;
  const merge = (before: readonly Finding[] = []): readonly Finding[] => {
    const kept = before.filter((finding) => !isReplaced(root, finding, extent));
    return (all = [...markWaived(kept, waivers), ...findings]);
  };
  try {
    await updateFindings(root, time, merge);
  } catch (error) {
    if (!extent.isWhole || !isToolFailed(error) || !/ is not valid OCSF|is not UTF-8/.test(error.message)) throw error;
    const rest = await saveBroken(root);
    log('warning', `${error.message}; it is replaced, and kept as ${brokenName}`);
    await writeFindings(root, merge(rest), time);
  }
  return all;
}

function isReplaced(root: string, finding: Finding, { isWhole, history, looked, failed }: Extent): boolean {
  if (finding.source === 'ai' || !['sast', 'secrets', 'config'].includes(finding.scan_type)) return false;
  if (finding.tags.includes(historyTag)) return history;
  if (failed.has(finding.file)) return false;
  return isWhole || looked(finding.file) || isGone(root, finding.file);
}

/** Copies a broken findings.json, and returns what of it can be read. */
async function saveBroken(root: string): Promise<readonly Finding[]> {
  return withRecordLock(root, findingsName, async () => {
    const bytes = await readRecord(root, findingsName, maxBrokenBytes);
    if (bytes === undefined) return [];
    await replaceRecord(root, brokenName, bytes);
    return readable(bytes);
  });
}

function readable(bytes: Uint8Array): readonly Finding[] {
  let value: unknown;
  try {
    value = JSON.parse(decodeRecord(bytes, findingsName));
  } catch {
    return [];
  }
  const elements: unknown = Array.isArray(value) ? value : (value as { findings?: unknown } | null)?.findings;
  if (!Array.isArray(elements)) return [];
  return elements.flatMap((element: unknown, index) => {
    try {
      return [fromOcsf(element, index)];
    } catch (error) {
      if (isToolFailed(error)) return [];
      throw error;
    }
  });
}
