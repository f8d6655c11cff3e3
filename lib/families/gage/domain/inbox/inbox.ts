import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Home } from '../home/home.ts';
import type { Surroundings } from '../surroundings.types.ts';
import { judgeContext } from '../verdict/context.ts';
import type { JudgeContext } from '../verdict/context.ts';
import { judgeInspected } from '../verdict/judge.ts';
import type { InboxRow } from '../verdict/verdict.types.ts';
import { inspectCached } from './inspect-cache.ts';
import { copiesIn } from './places.ts';
import type { Copy } from './places.ts';
import { placeOfCopy } from './read-copy.ts';

/** What has come: one row a bundle, the newest first, at most 100; `total` counts all of them. */
export type Inbox = { readonly bundles: readonly InboxRow[]; readonly total: number; readonly truncated: boolean };

const MAX_ROWS = 100;

/**
 * Lists what waits, pending and incoming, and with `all` what was accepted too. No payload is in it. Throws Refused without an
 * identity and for a list that is broken.
 */
export async function listInbox(home: Home, { all = false }: { readonly all?: boolean }, surroundings: Pick<Surroundings, 'now'>): Promise<Inbox> {
  const context = judgeContext(home, surroundings);
  const groups = [...byFolder(home, all).values()].sort((a, b) => order(newest(a), newest(b)));
  const bundles: InboxRow[] = [];
  for (const copies of groups.slice(0, MAX_ROWS)) {
    bundles.push(rowOf(home, copies, context));
    // Hashing may take long: other calls go in between.
    await nextTurn();
  }
  bundles.sort((a, b) => order({ at: a.received_at, id: a.id }, { at: b.received_at, id: b.id }));
  return { bundles, total: groups.length, truncated: groups.length > MAX_ROWS };
}

/** How many bundles of each signing key (base64) wait, pending and incoming; those alone that are what their sender signed. */
export async function unreadByKey(home: Home, surroundings: Pick<Surroundings, 'now'>): Promise<ReadonlyMap<string, number>> {
  const context = judgeContext(home, surroundings);
  const unread = new Map<string, number>();
  for (const copies of byFolder(home, false).values()) {
    const { attributable, from_key } = rowOf(home, copies, context);
    if (attributable && from_key !== null) unread.set(from_key, (unread.get(from_key) ?? 0) + 1);
    await nextTurn();
  }
  return unread;
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

type Ordered = { readonly at: string | null; readonly id: string | null };

const newest = (copies: readonly [Copy, ...Copy[]]): Ordered => ({
  at: copies.map(({ receivedAt }) => receivedAt ?? null).sort().at(-1) ?? null,
  id: copies[0].folder,
});

/** The newest first, then by id. What was delivered on this machine has no time, and comes before all of them. */
function order(a: Ordered, b: Ordered): number {
  if (a.at !== b.at) return a.at === null ? -1 : b.at === null ? 1 : a.at < b.at ? 1 : -1;
  return (a.id ?? '') < (b.id ?? '') ? -1 : 1;
}
