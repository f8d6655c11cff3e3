import path from 'node:path';
import { isStale, stateOf } from '../buddies/buddies.ts';
import type { BundleBytes } from '../bundle/bundle.types.ts';
import { itemName, layout } from '../bundle/layout.ts';
import type { Manifest } from '../bundle/manifest.types.ts';
import { fromBase64 } from '../crypto/base64.ts';
import { foldName } from '../identity/names.ts';
import { parseTime } from '../identity/time.ts';
import { labelOf } from '../identity/words.ts';
import { safeText } from '../render/escape.ts';
import type { JudgeContext } from './context.ts';
import { inspectBundle } from './inspect.ts';
import type { Inspected } from './inspect.ts';
import type { Judged, Place, Row, Verdict } from './verdict.types.ts';

/** Each verdict as the frame says it, in the order in which they are decided. */
const labels: Readonly<Record<Verdict, string>> = {
  malformed: 'NOT A READABLE BUNDLE',
  unsupported_version: 'UNKNOWN VERSION',
  unverifiable: 'SENDER UNVERIFIABLE',
  tampered: 'TAMPERED',
  misdirected: 'ADDRESSED TO SOMEONE ELSE',
  blocked: 'SENDER REFUSED BEFORE',
  expired: 'EXPIRED',
  self: 'YOU SIGNED THIS',
  not_listed: 'SENDER NOT ON YOUR LIST',
  listed_unconfirmed: 'SENDER ON YOUR LIST, UNCONFIRMED',
  verified: 'SENDER VERIFIED',
};

/** Every verdict, in the order in which they are decided: the first that applies is the one. */
export const verdicts = Object.keys(labels) as readonly Verdict[];

const withheld = new Set<Verdict>(['malformed', 'unsupported_version', 'unverifiable', 'tampered', 'misdirected', 'blocked', 'expired']);
const SUBJECT_MAX = 80;
const HANDLE_MAX = 32;
const NAME_MAX = 120;
/** A clock may be so far ahead of ours before it is worth a word. */
const AHEAD_MS = 10 * 60_000;
/** A bundle that took longer to arrive may have been held back. */
const OLD_MS = 30 * 86_400_000;

/** An id in full. */
export const idForm = /^[0-9a-f]{64}$/;

/** The name of a folder in the inbox as rows show it. */
export const shownFolder = (folder: string): string => safeText(folder, NAME_MAX).text;

const anywhere: Place = { state: 'directory' };

/**
 * The verdict on a bundle that was read into memory, for the reader and the moment of `context`. Never throws for what a
 * sender wrote.
 */
export function judgeBundle(bytes: BundleBytes, context: JudgeContext, place: Place = anywhere): Judged {
  const inspected = inspectBundle(bytes);
  const judged = judgeInspected(inspected, context, place);
  // Intact: each one is there.
  const items = judged.row.verdict !== 'malformed' && inspected.intact ? (bytes.items as readonly Uint8Array[]) : [];
  return { ...judged, items };
}

/** The same for a bundle that was inspected before; its items are not at hand. */
export function judgeInspected(inspected: Inspected, context: JudgeContext, place: Place): Judged {
  const { id, manifest } = inspected;
  if (manifest === undefined || id === undefined) return { row: faultRow(inspected, place), items: [] };
  // The names of folders are never trusted: a good bundle under another one's id would be accepted or rejected as that one.
  if (isMoved(id, place)) return { row: faultRow({ ...inspected, fault: 'malformed', reasons: [] }, place), items: [] };
  return { row: signedRow({ ...inspected, id }, manifest, context, place), items: [], manifest, own: manifest.from.key === context.me, extra: inspected.extra };
}

const isMoved = (id: string | undefined, { folder }: Place): boolean => id !== undefined && folder !== undefined && folder !== id;

/**
 * The row of a bundle without a good signature: nothing that its manifest says is repeated. In the inbox its id is the name that
 * it lies under, as that is how it can be opened and rejected; nothing is proven about such a bundle anyway.
 */
function faultRow({ id, fault = 'malformed', reasons }: Inspected, place: Place): Row {
  const { folder } = place;
  return {
    verdict: fault, label: labels[fault], attributable: false, on_your_list: false, payload_withheld: true,
    tampered: fault === 'unverifiable' && !reasons.includes('unsigned'),
    reasons: isMoved(id, place) ? [...reasons, 'folder_name'] : reasons,
    id: folder === undefined ? (id ?? null) : idForm.test(folder) ? folder : null,
    folder: folder === undefined || idForm.test(folder) ? null : shownFolder(folder), subject: null, subject_truncated: false,
    from_key: null, from_name: null, from_handle_claimed: null, from_label: null, name_mismatch: false, words: null,
    to_me: false, type: null, authorised: false, created_at: null, expires_at: null, received_at: place.receivedAt ?? null,
    state: place.state, seen_before: null, reply_to: null, items: null, item_count: null, total_bytes: null,
  };
}

function signedRow({ id, intact, reasons: found }: Inspected & { readonly id: string }, manifest: Manifest, context: JudgeContext, place: Place): Row {
  const { from, items, created_at, expires_at, reply_to } = manifest;
  const signer = signerOf(manifest, context);
  const reasons = [...found];
  const toMe = manifest.to === context.me;
  const created = parseTime(created_at) as number;
  const expired = expires_at !== undefined && context.now >= (parseTime(expires_at) as number);
  const misdirected = !toMe && !signer.self;
  const verdict: Verdict = !intact ? 'tampered'
    : misdirected ? 'misdirected'
    : signer.blocked ? 'blocked'
    : expired && place.state !== 'accepted' ? 'expired'
    : signer.standing;
  if (misdirected) reasons.push('misdirected');
  if (signer.blocked) reasons.push('blocked');
  if (expired) reasons.push('expired');
  reasons.push(...signer.reasons);
  if (created > context.now + AHEAD_MS) reasons.push('clock_ahead');
  if (place.receivedAt !== undefined && created < (parseTime(place.receivedAt) as number) - OLD_MS) reasons.push('old');
  const grant = verdict === 'verified' ? context.grantOf(from.key, manifest.type) : { authorised: false };
  if (grant.reason !== undefined) reasons.push(grant.reason);
  const stranger = verdict === 'not_listed' && place.state !== 'accepted' && context.withholdStrangers;
  if (stranger) reasons.push('withheld_stranger');
  const hidden = stranger || withheld.has(verdict);
  const subject = safeText(manifest.subject, SUBJECT_MAX);
  return {
    verdict, label: labels[verdict], attributable: intact, on_your_list: signer.name !== undefined, payload_withheld: hidden,
    tampered: !intact, reasons, id, folder: null, subject: subject.text, subject_truncated: subject.truncated,
    from_key: from.key, from_name: signer.name ?? null, from_handle_claimed: safeText(from.handle, HANDLE_MAX).text,
    from_label: labelOf(fromBase64(from.key, 32) as Uint8Array), name_mismatch: signer.mismatch, words: null,
    to_me: toMe, type: manifest.type, authorised: grant.authorised, created_at, expires_at: expires_at ?? null,
    received_at: place.receivedAt ?? null, state: place.state, seen_before: place.seenBefore?.(id) ?? null, reply_to: reply_to ?? null,
    items: hidden ? null : itemRows(manifest, place),
    item_count: items.length, total_bytes: items.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

type Signer = {
  readonly self: boolean;
  readonly blocked: boolean;
  /** The person's name for the key, where it is on the list. */
  readonly name?: string;
  readonly standing: 'self' | 'not_listed' | 'listed_unconfirmed' | 'verified';
  readonly mismatch: boolean;
  readonly reasons: readonly string[];
};

/** Who signed, as the list has it. A key counts, and never the name it gives itself. */
function signerOf({ from }: Manifest, { me, buddies, keyOfName }: JudgeContext): Signer {
  if (from.key === me) return { self: true, blocked: false, standing: 'self', mismatch: false, reasons: [] };
  const namesake = keyOfName.get(foldName(from.handle));
  const mismatch = namesake !== undefined && namesake !== from.key;
  const reasons = mismatch ? ['name_mismatch'] : [];
  const buddy = buddies.byKey(from.key);
  const state = buddy === undefined ? 'unlisted' : stateOf(buddy);
  if (buddy === undefined || state === 'blocked') return { self: false, blocked: state === 'blocked', standing: 'not_listed', mismatch, reasons };
  if (buddy.box !== from.box) reasons.push('box_key_changed');
  if (isStale(buddy)) reasons.push('confirmation_stale');
  return { self: false, blocked: false, name: buddy.name, standing: state === 'confirmed' ? 'verified' : 'listed_unconfirmed', mismatch, reasons };
}

function itemRows({ items }: Manifest, place: Place): Row['items'] {
  const folder = place.state === 'accepted' ? place.path : undefined;
  return items.map(({ name, kind, bytes, sha256 }, index) => ({
    index, name: safeText(name, NAME_MAX).text, kind, bytes, sha256,
    path: folder === undefined ? null : path.join(folder, layout.items, itemName(index)),
  }));
}
