import { createHash, createHmac } from 'node:crypto';
import { statSync } from 'node:fs';
import { detectorTable } from '../../../../secrets/scan.ts';
import { decodeRecord, readRecord, recordFolder, replaceRecord, withRecordLock } from '../records/record-files.ts';
import { rules } from '../rules/index.ts';
import { isToolFailed } from '../tool-failed.ts';
import type { FileScan, UnitOutcome } from './repository.types.ts';
import { workerScript } from './worker-script.ts';

const cacheName = '.security/cache/scan-outcomes';
const maxCacheBytes = 64 * 1024 * 1024;

/** What is remembered of a unit: its outcome, and the state that modules outside of it must still have. What imports were asked for must still be found, or not. */
export type CachedUnit = Omit<UnitOutcome, 'opened'> & { readonly opened: readonly (readonly [path: string, state: string])[] };

/** Outcomes of earlier scans by the digest of everything that they depend on. */
export type ScanCache = {
  file(key: string): FileScan | undefined;
  /** Undefined also where the unit is not current any more. */
  unit(key: string, isCurrent: (unit: CachedUnit) => boolean): CachedUnit | undefined;
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
 * Opens the cache of a repository for a rule set. One that is missing, broken, of other rules or not made with this `key`
 * is empty.
 */
export async function openCache(root: string, set: string, key: Uint8Array): Promise<ScanCache> {
  const old = await load(root, key);
  const known = old?.set === set ? old : { set, files: {}, units: {} };
  const files = new Map<string, FileScan>();
  const units = new Map<string, CachedUnit>();
  const use = <T>(from: Readonly<Record<string, T>>, kept: Map<string, T>, key: string, isCurrent: (entry: T) => boolean = () => true): T | undefined => {
    const found = Object.hasOwn(from, key) ? (from[key] as T) : undefined;
    const entry = found !== undefined && isCurrent(found) ? found : undefined;
    if (entry !== undefined) kept.set(key, entry);
    return entry;
  };
  return {
    file: (name) => use(known.files, files, name),
    unit: (name, isCurrent) => use(known.units, units, name, isCurrent),
    keepFile: (name, scan) => void files.set(name, scan),
    keepUnit: (name, unit) => void units.set(name, unit),
    save: async (others) => {
      const stored: Stored = {
        set,
        files: { ...(others ? known.files : {}), ...Object.fromEntries(files) },
        units: { ...(others ? known.units : {}), ...Object.fromEntries(units) },
      };
      const body = JSON.stringify(stored);
      const text = `${sealOf(body, key)}\n${body}`;
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

/** HMAC-SHA-256: this user made it, and nothing in it has changed since. */
const sealOf = (body: string, key: Uint8Array): string => createHmac('sha256', key).update(body).digest('hex');

async function load(root: string, key: Uint8Array): Promise<Stored | undefined> {
  try {
    const bytes = await readRecord(root, cacheName, maxCacheBytes);
    const text = bytes === undefined ? '' : decodeRecord(bytes, cacheName);
    const body = text.slice(text.indexOf('\n') + 1);
    // The seal stands for a look at each member.
    return text.startsWith(`${sealOf(body, key)}\n`) ? (JSON.parse(body) as Stored) : undefined;
  } catch {
    return undefined;
  }
}
