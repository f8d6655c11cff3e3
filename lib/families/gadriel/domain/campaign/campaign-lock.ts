import { randomBytes } from 'node:crypto';
import { link, lstat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseHolder, stateOf, type HolderState } from '../../../../store/lock-holder.ts';
import { readSystem, type System } from '../../../../store/system.ts';
import { safeText } from '../../../../text/safe-text.ts';
import { attempt, recordFolder, readRecord, withRecordLock } from '../records/record-files.ts';
import { ToolFailed } from '../tool-failed.ts';
import { campaignsFolder, tryLoad } from './campaign-file.ts';

/** Who works on the repository, as `.security/campaigns/.lock` says it. */
type Held = {
  readonly campaignId: string;
  readonly pid: number;
  readonly host: string;
  /** Milliseconds since the epoch, NaN where it is not told. */
  readonly startedAt: number;
  /** When the file was written, by the file system's clock. */
  readonly changedAt: number;
  readonly ours: boolean;
  readonly state: HolderState;
};

/** A campaign that holds the repository; `words` name it and its process for people. */
export type Holder = { readonly campaignId: string; readonly ours: boolean; readonly words: string };

const lockName = `${campaignsFolder}/.lock`;
const maxBytes = 64 * 1024;
/** A campaign that nobody has ended in a day is nobody's. */
const staleMs = 24 * 60 * 60 * 1_000;
/** How far the clocks of two machines may be apart; who has started later than this, has not. */
const skewMs = 5 * 60 * 1_000;

let me: { readonly system: System; readonly random: string } | undefined;
const self = (): { readonly system: System; readonly random: string } => (me ??= { system: readSystem(), random: randomBytes(12).toString('hex') });

/**
 * Runs `work` while no other process looks at the campaign lock or changes it. It guards every step between looking and
 * writing; the campaign lock itself lasts from the start of a campaign to its end.
 */
export const withCampaigns = <T>(root: string, work: () => Promise<T>): Promise<T> =>
  withRecordLock(root, campaignsFolder, async () => {
    await recordFolder(root, 'campaigns');
    return work();
  });

/** The campaign that holds the repository, if one does; undefined also for a lock that may be taken over. */
export async function holderOf(root: string, now: number): Promise<Holder | undefined> {
  const held = await readLock(root);
  if (held === undefined || isOver(held, now)) return undefined;
  const since = Number.isFinite(held.startedAt) ? ` since ${new Date(held.startedAt).toISOString()}` : '';
  const words = `${safeText(held.campaignId, 80)} (process ${held.pid} on host ${safeText(held.host, 80)}${since})`;
  return { campaignId: held.campaignId, ours: held.ours, words };
}

/** Takes the lock for a campaign, in the place of whoever had it; returns the id of the campaign that had it. Under `withCampaigns`. */
export async function takeLock(root: string, campaignId: string, now: number): Promise<string | undefined> {
  const before = await readLock(root);
  const { system, random } = self();
  const { pid, host, start, boot, ns } = system;
  const content = { campaign_id: campaignId, pid, host, started_at: new Date(now).toISOString(), start, boot, ns, random };
  // Linked into its place, so that it is created exclusively and never seen half written. What is in the draft's place
  // was left by a process that was killed, or came with the repository.
  const file = path.join(await recordFolder(root, 'campaigns'), '.lock');
  const draft = `${file}.draft`;
  await attempt(`${lockName}.draft`, 'written', async () => {
    await removeFile(draft);
    await writeFile(draft, `${JSON.stringify(content)}\n`, { flag: 'wx', flush: true });
  });
  try {
    // Only now, when nothing but the link is left to fail.
    if (before !== undefined) await removeFile(file);
    await attempt(lockName, 'written', () => link(draft, file));
  } finally {
    await removeFile(draft);
  }
  return before?.campaignId;
}

/** Not by `rm`, which has words of its own for a folder. */
async function removeFile(file: string): Promise<void> {
  try {
    await unlink(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/**
 * Makes sure that this process holds the lock for a campaign: takes it where it is free, or its holder gone. Under
 * `withCampaigns`. A lock that names another campaign stays that one's while there is work left in it, though its process
 * is gone: only whoever starts a campaign may end another.
 */
export async function holdLock(root: string, campaignId: string, now: number): Promise<void> {
  const holder = await holderOf(root, now);
  if (holder === undefined) {
    const named = (await readLock(root))?.campaignId ?? campaignId;
    if (named !== campaignId && (await tryLoad(root, named))?.status === 'active') {
      throw new ToolFailed(`another campaign was left unfinished: ${safeText(named, 80)}; finish that one with campaign_advance, or start a new one`);
    }
    await takeLock(root, campaignId, now);
  } else if (holder.campaignId !== campaignId) throw new ToolFailed(`another campaign holds the repository: ${holder.words}`);
  else if (!holder.ours) throw new ToolFailed(`another process works on this campaign: ${holder.words}`);
}

/** Whether this process holds the lock for a campaign. */
export async function isHeldFor(root: string, campaignId: string): Promise<boolean> {
  const held = await readLock(root);
  return held?.campaignId === campaignId && held.ours;
}

/** Whether the lock is that of a campaign, whoever holds it. */
export const isLockOf = async (root: string, campaignId: string): Promise<boolean> => (await readLock(root))?.campaignId === campaignId;

/** Removes the lock if it is that of this campaign. Under `withCampaigns`. */
export async function releaseLock(root: string, campaignId: string): Promise<void> {
  if (await isLockOf(root, campaignId)) await unlink(path.join(await recordFolder(root, 'campaigns'), '.lock'));
}

function isOver({ state, startedAt, changedAt }: Held, now: number): boolean {
  // A start that is still to come would keep the lock for as long as it says.
  const since = startedAt > now + skewMs ? changedAt : startedAt;
  return state === 'dead' || !(now - since < staleMs);
}

async function readLock(root: string): Promise<Held | undefined> {
  const bytes = await readRecord(root, lockName, maxBytes);
  if (bytes === undefined) return undefined;
  const value = parse(bytes.toString('utf8'));
  const { campaign_id, pid, host, started_at } = value;
  const startedAt = typeof started_at === 'string' ? Date.parse(started_at) : Number.NaN;
  const { system, random } = self();
  return {
    campaignId: typeof campaign_id === 'string' ? campaign_id : 'unknown',
    pid: typeof pid === 'number' ? pid : 0,
    host: typeof host === 'string' ? host : 'unknown',
    startedAt,
    changedAt: (await lstat(path.join(root, lockName))).mtimeMs,
    ours: value['random'] === random,
    state: stateOfHolder(value, startedAt, system),
  };
}

/** A lock of another program has no more than pid and host, which say less: its pid may be another process by now. */
function stateOfHolder(value: Readonly<Record<string, unknown>>, writtenAt: number, system: System): HolderState {
  const holder = parseHolder(JSON.stringify(value));
  if (holder !== null) return stateOf({ holder, writtenAt }, system);
  const { pid, host } = value;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1 || host !== system.host) return 'unknown';
  return system.gone(pid) ? 'dead' : 'alive';
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
