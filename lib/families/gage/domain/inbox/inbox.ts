import { lstatSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { layout } from '../bundle/layout.ts';
import type { Home } from '../home/home.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { judgeContext } from '../verdict/context.ts';
import type { JudgeContext } from '../verdict/context.ts';
import { idForm, judgeInspected } from '../verdict/judge.ts';
import type { InboxRow } from '../verdict/verdict.types.ts';
import { inspectCached } from './inspect-cache.ts';
import { copiesIn } from './places.ts';
import type { Copy } from './places.ts';
import { placeOfCopy } from './read-copy.ts';

/** What has come: one row a bundle, the newest first, at most 100; `total` counts all of them. */
export type Inbox = { readonly bundles: readonly InboxRow[]; readonly total: number; readonly truncated: boolean };

const MAX_ROWS = 100;

/** Of groups that turn out to be no bundles so many are looked at for one that is. */
const MAX_LOOKED = 1_000;

/**
 * Lists what waits, pending and incoming, and with `all` what was accepted too: what a pull brought first, the newest of it at the
 * top, then what was delivered here, and what is no bundle last, so that nobody can hide a bundle behind junk. No payload is in it.
 * Throws Refused without an identity and for a list that is broken.
 */
export async function listInbox(home: Home, { all = false }: { readonly all?: boolean }, surroundings: Pick<Surroundings, 'now'>): Promise<Inbox> {
  const { good, junk, total } = await look(home, { all, most: MAX_ROWS }, surroundings);
  const bundles = [good, junk].flatMap((rows) => rows.sort((a, b) => compare(a.order, b.order))).slice(0, MAX_ROWS).map(({ row }) => row);
  return { bundles, total, truncated: total > bundles.length };
}

/**
 * How many bundles of each signing key (base64) wait, pending and incoming; those alone that are what their sender signed. Counted among
 * the newest 1,000, as many as may be pending, however many somebody delivers.
 */
export async function unreadByKey(home: Home, surroundings: Pick<Surroundings, 'now'>): Promise<ReadonlyMap<string, number>> {
  const unread = new Map<string, number>();
  for (const { row: { attributable, from_key } } of (await look(home, { all: false, most: MAX_LOOKED }, surroundings)).good) {
    if (attributable && from_key !== null) unread.set(from_key, (unread.get(from_key) ?? 0) + 1);
  }
  return unread;
}

/** Judges groups from the newest on, until `most` are found to be bundles or 1,000 were looked at; `total` counts all of them. */
async function look(home: Home, { all, most }: { readonly all: boolean; readonly most: number }, surroundings: Pick<Surroundings, 'now'>): Promise<{ readonly good: Placed[]; readonly junk: Placed[]; readonly total: number }> {
  const context = judgeContext(home, surroundings);
  const groups = [...byFolder(home, all).values()].map((copies) => ({ copies, order: orderOf(copies) })).sort((a, b) => compare(a.order, b.order));
  const good: Placed[] = [];
  const junk: Placed[] = [];
  for (const { copies, order } of groups.slice(0, MAX_LOOKED)) {
    if (good.length === most) break;
    const row = rowOf(home, copies, context);
    // Another copy of the group may be the newer one.
    (row.verdict === 'malformed' ? junk : good).push({ row, order: { ...order, at: row.received_at } });
    // Hashing may take long: other calls go in between.
    await nextTurn();
  }
  return { good, junk, total: groups.length };
}

/** Copies under one name together, the most settled first: an id never has a second row. */
function byFolder(home: Home, all: boolean): Map<string, [Copy, ...Copy[]]> {
  const groups = new Map<string, [Copy, ...Copy[]]>();
  for (const copy of [...(all ? copiesIn(home, 'accepted') : []), ...copiesIn(home, 'pending'), ...copiesIn(home, 'incoming')]) {
    const group = groups.get(copy.folder);
    if (group === undefined) groups.set(copy.folder, [copy]);
    else group.push(copy);
  }
  return groups;
}

/** The row of the first copy that is what its sender signed, else of the first: a damaged one must not hide the good one. */
function rowOf(home: Home, copies: readonly [Copy, ...Copy[]], context: JudgeContext): InboxRow {
  const rows = copies.map((copy) => judgeInspected(inspectCached(copy.path), context, placeOfCopy(home, copy, inspectCached)).row);
  const { words: _words, items: _items, ...row } = rows.find(({ attributable }) => attributable) ?? (rows[0] as (typeof rows)[number]);
  return row;
}

type Placed = { readonly row: InboxRow; readonly order: Order };

/** Where a group stands, told without reading it: `plain` where it may be a bundle, `at` as its arrival was noted, `changed` in ms. */
type Order = { readonly plain: boolean; readonly at: string | null; readonly changed: number; readonly folder: string };

function orderOf(copies: readonly [Copy, ...Copy[]]): Order {
  const at = copies.map(({ receivedAt }) => receivedAt ?? null).sort().at(-1) ?? null;
  const [{ folder }] = copies;
  const plain = at !== null || (idForm.test(folder) && copies.some((copy) => changedAt(path.join(copy.path, layout.manifest)) > 0));
  // Every delivery has a time, if only that of its folder.
  return { plain, at, changed: at === null ? Math.max(...copies.map(({ root }) => changedAt(root))) : 0, folder };
}

function changedAt(file: string): number {
  try {
    return lstatSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

/** What a pull brought, the newest first; then what has no time of arrival, the newest first; by id where nothing else tells. */
function compare(a: Order, b: Order): number {
  if (a.plain !== b.plain) return a.plain ? -1 : 1;
  if (a.at !== b.at) return a.at === null ? 1 : b.at === null ? -1 : a.at < b.at ? 1 : -1;
  if (a.changed !== b.changed) return b.changed - a.changed;
  return a.folder < b.folder ? -1 : 1;
}
