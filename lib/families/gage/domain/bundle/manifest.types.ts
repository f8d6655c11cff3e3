import type { CanonicalJsonFault } from '../../../../text/canonical-json.ts';

/** What a sender says an item is for; PROMPT and MEMORY are made to steer a model. */
export type ItemKind = 'file' | 'prompt' | 'decision' | 'memory';

/** One item: its bytes are pinned by size and hex SHA-256; `name` is a label, never a path to write to. */
export type ManifestItem = { readonly bytes: number; readonly kind: ItemKind; readonly name: string; readonly sha256: string };

/** A manifest with the words of its JSON: times as `YYYY-MM-DDTHH:MM:SSZ`, keys in base64, ids and hashes in hex. */
export type Manifest = {
  readonly agent?: string;
  readonly created_at: string;
  readonly expires_at?: string;
  /** Public keys of the sender, and the handle that the sender claims. */
  readonly from: { readonly box: string; readonly handle: string; readonly key: string };
  readonly items: readonly ManifestItem[];
  readonly model?: string;
  readonly nonce: string;
  readonly reply_to?: string;
  readonly subject: string;
  /** Signing key of the one it is for. */
  readonly to: string;
  readonly type: string;
  readonly v: 1;
};

/** Which rule a manifest breaks, and where (`from.handle`, `items[3].name`); empty for the manifest itself. */
export type ManifestProblem = {
  readonly reason: 'unknown_key' | 'missing_key' | 'wrong_type' | 'bad_key' | 'bad_value' | 'bad_name' | 'double_name' | 'limit';
  readonly at: string;
};

/** Why a manifest is malformed: bytes of another form, no object, no version, or a rule that it breaks. */
export type ManifestReason = CanonicalJsonFault | 'not_object' | 'no_version' | ManifestProblem['reason'];

/**
 * A manifest or why there is none: `reason` is one fixed word, `at` the place (`items[3].name`); neither holds text of the
 * sender. Of an unknown version nothing but `v` is read.
 */
export type ReadManifest =
  | { readonly manifest: Manifest }
  | { readonly fault: 'malformed'; readonly reason: ManifestReason; readonly at?: string }
  | { readonly fault: 'unsupported_version'; readonly reason: 'version' };
