import type { Finding } from '../finding.types.ts';
import { decodeRecord, readRecord, replaceRecord, withRecordLock } from './record-files.ts';
import { ruleIdSpellings } from './rule-ids.ts';
import { parseWaivers, waiversName, withWaiver } from './waiver-file.ts';
import type { NewWaiver, Waiver } from './waivers.types.ts';

/** The waivers of a repository that hold at one moment. */
export type Waivers = {
  /** The waiver that covers a finding: the one that names its place most closely, of equal ones the first in the file. */
  match(finding: Pick<Finding, 'finding_id' | 'rule_id' | 'file' | 'line' | 'fingerprint'>): Waiver | undefined;
};

/** Some 14,000 waivers; the slowest TOML of that size takes 2 s to read. */
const maxWaiverBytes = 4 * 1024 * 1024;
/** How far the flagged line may have moved (design of gadriel, section 1.4). */
const maxMove = 25;

/** Reads the waivers of a repository that hold at `now` (milliseconds). Throws ToolFailed where their file is broken. */
export async function loadWaivers(root: string, now: number = Date.now()): Promise<Waivers> {
  const bytes = await readRecord(root, waiversName, maxWaiverBytes);
  // By what a finding must be equal in, so that neither many waivers nor many findings make this slow.
  const first = new Map<string, Waiver>();
  for (const waiver of bytes === undefined ? [] : parseWaivers(decodeRecord(bytes, waiversName))) {
    if (isOver(waiver, now)) continue;
    // Written by hand, a rule may go by its short id.
    for (const key of ruleIdSpellings(waiver.rule_id).flatMap((rule) => keysOf(waiver, rule)).map((key) => JSON.stringify(key))) {
      if (!first.has(key)) first.set(key, waiver);
    }
  }
  const get = (...key: Key): Waiver | undefined => first.get(JSON.stringify(key));
  return {
    match: ({ rule_id, file, line, fingerprint, finding_id }) =>
      get(rule_id, file, line) ??
      (get(rule_id, file, 'code', fingerprint) && near(line, (moved) => get(rule_id, file, moved, fingerprint))) ??
      get(rule_id, file, 'file') ??
      get(rule_id, finding_id) ??
      get(rule_id),
  };
}

type Key = readonly (string | number)[];

function keysOf({ path, line, fingerprint, finding_id, rule_id: written }: Waiver, rule_id: string): Key[] {
  if (path === undefined) {
    // An id without a place comes from a dismissal whose finding was not known: it must not waive all others of the rule.
    if (finding_id === undefined || finding_id === written) return [[rule_id]];
    return [[rule_id, finding_id.startsWith(`${written}:`) ? rule_id + finding_id.slice(written.length) : finding_id]];
  }
  if (line === undefined) return [[rule_id, path, 'file']];
  if (fingerprint === undefined) return [[rule_id, path, line]];
  return [[rule_id, path, line], [rule_id, path, 'code', fingerprint], [rule_id, path, line, fingerprint]];
}

/** The first that `at` gives for lines around one, the nearest line first. */
function near(line: number, at: (line: number) => Waiver | undefined): Waiver | undefined {
  for (let move = 1; move <= maxMove; move++) {
    const found = at(line - move) ?? at(line + move);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isOver = ({ expires_at }: Waiver, now: number): boolean => expires_at !== undefined && Date.parse(expires_at) <= now;

/**
 * Appends a waiver to `.gadriel-waivers.toml`, which is made where it is missing; nothing else in the file changes. `present`
 * when one with the same rule, path and line holds at least as long. Throws ToolFailed where the file is broken or can't be
 * written; it is as it was then.
 */
export async function appendWaiver(root: string, waiver: NewWaiver): Promise<'added' | 'present'> {
  return withRecordLock(root, waiversName, async () => {
    const before = (await readRecord(root, waiversName, maxWaiverBytes)) ?? Buffer.alloc(0);
    const text = decodeRecord(before, waiversName);
    const waivers = parseWaivers(text);
    if (waivers.some((old) => isSame(old, waiver) && outlasts(old, waiver))) return 'present';
    await replaceRecord(root, waiversName, withWaiver({ before, text, count: waivers.length }, waiver));
    return 'added';
  });
}

function isSame(old: Waiver, waiver: Waiver): boolean {
  const samePlace = old.rule_id === waiver.rule_id && old.path === waiver.path && old.line === waiver.line;
  return samePlace && (old.path !== undefined || old.finding_id === waiver.finding_id);
}

const outlasts = (old: Waiver, waiver: Waiver): boolean =>
  old.expires_at === undefined || (waiver.expires_at !== undefined && !isOver(old, Date.parse(waiver.created_at)) && old.expires_at >= waiver.expires_at);
