/** A key on the list, under the name that its owner's own list gives it. */
export type Buddy = {
  readonly name: string;
  /** The whole public token, 89 characters. */
  readonly token: string;
  /** Its signing key in base64: what a buddy is known by. */
  readonly key: string;
  /** Its box key in base64: what is sealed to. */
  readonly box: string;
  readonly state: 'listed' | 'blocked';
  readonly addedAt: string;
  readonly addedBy: 'cli' | 'mcp';
  /** When a person compared the words, and SHA-256 (hex) of the token they belonged to. */
  readonly confirmed: { readonly at: string; readonly tokenSha256: string } | undefined;
};

/** What a buddy counts as: words compared for this very token, listed without that, or refused. */
export type BuddyState = 'confirmed' | 'unconfirmed' | 'blocked';

/** The list of one moment. */
export type Buddies = {
  /** Sorted by name, blocked ones among them. */
  readonly all: readonly Buddy[];
  /** The buddy of a signing key in base64. */
  byKey(key: string): Buddy | undefined;
  /** The buddy of a name, equal after NFKC and lower case, or of a whole token. */
  byNameOrToken(text: string): Buddy | undefined;
};
