import { fromBase64, toBase64 } from '../crypto/base64.ts';
import { signingKeyOf } from '../crypto/ed25519.ts';
import { boxKeyOf } from '../crypto/x25519.ts';
import type { Identity } from './identity.types.ts';
import { checkHandle } from './names.ts';
import { parseTime } from './time.ts';
import { formatToken } from './token.ts';

/** The five fields of a key file, which are the plain text of an export too; secret. */
export type StoredIdentity = {
  readonly box: string;
  readonly created_at: string;
  readonly handle: string;
  readonly sign: string;
  readonly v: 1;
};

/** An identity as it is stored. */
export function storedOf({ boxPrivate, created_at, handle, signSeed }: Identity): StoredIdentity {
  return { box: toBase64(boxPrivate), created_at, handle, sign: toBase64(signSeed), v: 1 };
}

/** The identity of stored fields; undefined unless they are exactly the five, each in its form. */
export function identityOf(stored: unknown): Identity | undefined {
  if (typeof stored !== 'object' || stored === null || Object.keys(stored).join() !== 'box,created_at,handle,sign,v') return undefined;
  const { box, created_at, handle, sign, v } = stored as Readonly<Record<string, unknown>>;
  if (v !== 1 || typeof box !== 'string' || typeof sign !== 'string') return undefined;
  if (typeof handle !== 'string' || checkHandle(handle) !== undefined) return undefined;
  if (typeof created_at !== 'string' || parseTime(created_at) === undefined) return undefined;
  const [signSeed, boxPrivate] = [fromBase64(sign, 32), fromBase64(box, 32)];
  return signSeed && boxPrivate && completeIdentity({ handle, created_at, signSeed, boxPrivate });
}

/** An identity of its secrets: the public keys and the token follow from them. */
export function completeIdentity(parts: Pick<Identity, 'handle' | 'created_at' | 'signSeed' | 'boxPrivate'>): Identity {
  const signKey = signingKeyOf(parts.signSeed);
  const boxKey = boxKeyOf(parts.boxPrivate);
  return { ...parts, signKey, boxKey, token: formatToken(signKey, boxKey) };
}
