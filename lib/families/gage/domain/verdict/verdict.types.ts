import type { Manifest } from '../bundle/manifest.types.ts';

/** What a bundle turned out to be; the first that applies, in the order of `verdicts`. */
export type Verdict =
  | 'malformed' | 'unsupported_version' | 'unverifiable' | 'tampered' | 'misdirected' | 'blocked' | 'expired' | 'self'
  | 'not_listed' | 'listed_unconfirmed' | 'verified';

/** Where a copy of a bundle lies; `directory` is any folder that was named by its path. */
export type State = 'incoming' | 'pending' | 'accepted' | 'directory';

/** What is known of another copy of the same bundle. */
export type SeenBefore = 'accepted' | 'pending' | 'rejected';

/** One item as results show it. `path` is absolute, and null unless a person has accepted the bundle. */
export type RowItem = {
  readonly index: number;
  readonly name: string;
  readonly kind: 'file' | 'prompt' | 'decision' | 'memory';
  readonly bytes: number;
  readonly sha256: string;
  readonly path: string | null;
};

/** What a list of bundles says of one; names are those of the wire. Text that the sender chose is escaped and short. */
export type InboxRow = {
  readonly verdict: Verdict;
  readonly label: string;
  /** True when a good signature of `from_key` covers every byte that would be shown. */
  readonly attributable: boolean;
  readonly on_your_list: boolean;
  readonly payload_withheld: boolean;
  readonly tampered: boolean;
  readonly reasons: readonly string[];
  /**
   * Computed from the manifest's bytes, never read. Of a bundle of the inbox that has no good signature the name it lies under;
   * null where there is neither.
   */
  readonly id: string | null;
  /** Of a delivery that lies under no id the name of its folder, escaped and short, by which a person can reject it; else null. */
  readonly folder: string | null;
  readonly subject: string | null;
  readonly subject_truncated: boolean;
  readonly from_key: string | null;
  /** The person's own name for the key. */
  readonly from_name: string | null;
  /** The sender's name for itself. */
  readonly from_handle_claimed: string | null;
  /** The two words of the signing key, for telling rows apart; no proof of anything. */
  readonly from_label: string | null;
  readonly name_mismatch: boolean;
  readonly to_me: boolean;
  readonly type: string | null;
  readonly authorised: boolean;
  readonly created_at: string | null;
  readonly expires_at: string | null;
  readonly received_at: string | null;
  readonly state: State;
  readonly seen_before: SeenBefore | null;
  readonly reply_to: string | null;
  readonly item_count: number | null;
  readonly total_bytes: number | null;
};

/** What gage_open says of a bundle. `words` are the eight of the sender's token, only when attributable and not on the list. */
export type Row = InboxRow & { readonly words: string | null; readonly items: readonly RowItem[] | null };

/** Where a copy was found. `folder`: the name of its folder, which has to be the id in the inbox. Times as gage writes them. */
export type Place = {
  readonly state: State;
  readonly folder?: string;
  /** Absolute path of the bundle's folder, for the paths of accepted items. */
  readonly path?: string;
  readonly receivedAt?: string;
  /** What is known of another copy; asked for an id that a good signature covers. */
  readonly seenBefore?: (id: string) => SeenBefore | undefined;
};

/** A verdict with what it rests on. */
export type Judged = {
  /** `words` is null here: deriving them takes 40 ms, which `openBundle` spends where they are due. */
  readonly row: Row;
  /** The signed bytes of every item; empty unless all of them are there and as signed. */
  readonly items: readonly Uint8Array[];
  /** What a good signature covers; undefined without one. */
  readonly manifest?: Manifest;
  /** Whether that signature is the reader's own, whatever else is wrong with the bundle. */
  readonly own?: boolean;
  /** Names of entries of the folder that belong to no bundle, as they are. */
  readonly extra?: readonly string[];
};
