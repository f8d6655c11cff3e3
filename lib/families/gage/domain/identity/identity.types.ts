/**
 * A person's two key pairs: Ed25519 for signing, X25519 for reading what is sealed. `signSeed` and `boxPrivate` are secrets
 * and go into nothing but the key file, an export, a signature and an unsealing. `created_at` is a time `YYYY-MM-DDTHH:MM:SSZ`.
 */
export type Identity = {
  readonly handle: string;
  readonly created_at: string;
  readonly signSeed: Uint8Array;
  readonly boxPrivate: Uint8Array;
  readonly signKey: Uint8Array;
  readonly boxKey: Uint8Array;
  /** Both public keys as text, 89 characters. */
  readonly token: string;
};
