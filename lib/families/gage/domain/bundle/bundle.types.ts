/**
 * Why a part of a bundle is not as it must be. Of manifest.json: `missing_manifest`, `too_large`. Of an item: `missing_item`,
 * `item_size` (not the bytes that the manifest says). Of any: `not_regular` (a link, a folder, a pipe), `unreadable`,
 * `extra_member` (an entry that the manifest does not name).
 */
export type BundleFault = 'missing_manifest' | 'too_large' | 'missing_item' | 'item_size' | 'not_regular' | 'unreadable' | 'extra_member';

/**
 * A bundle's bytes, each read once; nothing in here is verified. `signature` is the file manifest.sig as it is. Where the
 * manifest can be read, `items` has one place for each of its items, undefined where its bytes are not to be had and `faults`
 * says why; items that are there may still have other bytes than the manifest says. `name` of a fault is hostile text.
 */
export type BundleBytes = {
  readonly manifest: Uint8Array | undefined;
  readonly signature: Uint8Array | undefined;
  readonly items: readonly (Uint8Array | undefined)[];
  readonly faults: readonly { readonly reason: BundleFault; readonly name?: string }[];
};
