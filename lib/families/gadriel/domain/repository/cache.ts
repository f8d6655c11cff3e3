import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { detectorTable } from '../../../../secrets/scan.ts';
import { decodeRecord, readRecord, recordFolder, replaceRecord, withRecordLock } from '../records/record-files.ts';
import { rules } from '../rules/index.ts';
import { isToolFailed } from '../tool-failed.ts';
import type { FileScan, UnitOutcome } from './repository.types.ts';
import { workerScript } from './worker-script.ts';

const cacheName = '.security/cache/scan-outcomes';
const maxCacheBytes = 64 * 1024 * 1024;

/** What is remembered of a unit: its outcome, and the state that modules outside of it must still have. */
export type CachedUnit = Omit<UnitOutcome, 'opened'> & { readonly opened: readonly (readonly [path: string, state: string])[] };

/** Outcomes of earlier scans by the digest of everything that they depend on. */
export type ScanCache = {
  file(key: string): FileScan | undefined;
  unit(key: string): CachedUnit | undefined;
  keepFile(key: string, scan: FileScan): void;
  keepUnit(key: string, unit: CachedUnit): void;
  /** Writes what was used or added in this scan, and where `others` the rest too. A failing write is no error: the next scan is slower. */
  save(others: boolean): Promise<void>;
};

type Stored = { readonly set: string; readonly files: Readonly<Record<string, FileScan>>; readonly units: Readonly<Record<string, CachedUnit>> };

/** Digest of everything that is the same for all files of a scan: the rules, the program, the settings. */
export function ruleSetDigest(settings: string): string {
  const program = statSync(workerScript).mtimeMs;
  return digest('set', settings, String(program), ...rules.map(({ id, severity, message }) => `${id} ${severity} ${message}`), ...detectorTable.map(({ id }) => id));
}

/** SHA-256 of texts, each told apart from the next; 32 hex digits. */
export const digest = (...parts: readonly string[]): string => sha256(JSON.stringify(parts)).slice(0, 32);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Opens the cache of a repository for a rule set. One that is missing, broken or of other rules is empty; so is one that
 * came with the repository (`tracked`): its maker could have it say that nothing was found.
 */
export async function openCache(root: string, set: string, tracked: boolean): Promise<ScanCache> {
  const old = tracked ? undefined : await load(root);
  const known = old?.set === set ? old : { set, files: {}, units: {} };
  const files = new Map<string, FileScan>();
  const units = new Map<string, CachedUnit>();
  const use = <T>(from: Readonly<Record<string, T>>, kept: Map<string, T>, key: string): T | undefined => {
    const entry = Object.hasOwn(from, key) ? from[key] : undefined;
    if (entry !== undefined) kept.set(key, entry);
    return entry;
  };
  return {
    file: (key) => use(known.files, files, key),
    unit: (key) => use(known.units, units, key),
    keepFile: (key, scan) => void files.set(key, scan),
    keepUnit: (key, unit) => void units.set(key, unit),
    save: async (others) => {
      const stored: Stored = {
        set,
        files: { ...(others ? known.files : {}), ...Object.fromEntries(files) },
        units: { ...(others ? known.units : {}), ...Object.fromEntries(units) },
      };
      const body = JSON.stringify(stored);
      const text = `${sha256(body)}\n${body}`;
      if (text.length > maxCacheBytes) return;
      try {
        await recordFolder(root, 'cache');
        await withRecordLock(root, cacheName, () => replaceRecord(root, cacheName, text));
      } catch (error) {
        if (!isToolFailed(error)) throw error;
      }
    },
  };
}

async function load(root: string): Promise<Stored | undefined> {
  try {
    const bytes = await readRecord(root, cacheName, maxCacheBytes);
    const text = bytes === undefined ? '' : decodeRecord(bytes, cacheName);
    const body = text.slice(text.indexOf('\n') + 1);
    // The sum stands for a look at each member: what a disk or an editor has spoilt is not taken.
    return text.startsWith(`${sha256(body)}\n`) ? (JSON.parse(body) as Stored) : undefined;
  } catch {
    return undefined;
  }
}
