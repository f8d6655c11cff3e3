import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto';
import { canonicalJson, readCanonicalJson } from '../../../../text/canonical-json.ts';
import { fromBase64, toBase64 } from '../crypto/base64.ts';
import { Refused } from '../refused.ts';
import type { Identity } from './identity.types.ts';
import { identityOf, storedOf } from './stored-identity.ts';

const TAG = 16;
const MAX_BYTES = 4096;
const MIN_PASSPHRASE = 12;
/** A file may ask for 2^15 to 2^18 only, or a stranger's would decide how long and how much memory we take. */
const COSTS: ReadonlySet<unknown> = new Set([2 ** 15, 2 ** 16, 2 ** 17, 2 ** 18]);
const FIXED = { cipher: 'chacha20-poly1305', kdf: 'scrypt', p: 1, r: 8, type: 'gage-identity-export', v: 1 } as const;
const KEYS = 'cipher,ct,kdf,n,nonce,p,r,salt,type,v';

/** The head of an export, which is authenticated with it. */
type Head = typeof FIXED & { readonly n: number; readonly nonce: string; readonly salt: string };

/**
 * An identity as a file that the passphrase opens: canonical JSON and a line feed, scrypt (2^17, 8, 1), ChaCha20-Poly1305.
 * Throws Refused for a passphrase of fewer than 12 characters.
 */
export async function exportIdentity(identity: Identity, passphrase: string, random: (size: number) => Uint8Array): Promise<Uint8Array> {
  checkPassphrase(passphrase);
  const salt = random(16);
  const nonce = random(12);
  const head: Head = { ...FIXED, n: 2 ** 17, nonce: toBase64(nonce), salt: toBase64(salt) };
  const cipher = createCipheriv(FIXED.cipher, await keyOf(passphrase, salt, head.n), nonce, { authTagLength: TAG });
  const plain = Buffer.from(canonicalJson(storedOf(identity)));
  cipher.setAAD(Buffer.from(canonicalJson(head)), { plaintextLength: plain.length });
  const text = cipher.update(plain);
  const ct = toBase64(Buffer.concat([text, cipher.final(), cipher.getAuthTag()]));
  return new TextEncoder().encode(`${canonicalJson({ ...head, ct })}\n`);
}

/** Throws Refused for a passphrase of fewer than 12 characters, which an export does not take. */
export function checkPassphrase(passphrase: string): void {
  if ([...passphrase.normalize('NFKC')].length < MIN_PASSPHRASE) throw new Refused(`the passphrase is too short: take ${MIN_PASSPHRASE} characters or more`);
}

/**
 * The identity of an export. Throws Refused with one text for a wrong passphrase and for a file that is damaged or none, and with
 * another one where the key could not be derived: then nothing is wrong with either.
 */
export async function restoreIdentity(bytes: Uint8Array, passphrase: string): Promise<Identity> {
  const file = readExport(bytes);
  const plain = file && decrypt(file, await keyOf(passphrase, file.salt, file.head['n'] as number));
  const identity = plain && identityOf(readOrNothing(plain));
  if (identity !== undefined) return identity;
  throw new Refused('the export can not be opened: the passphrase is wrong or the file is damaged; try again, or take another copy');
}

/** The parts of an export file, in the form and within the limits of one. */
type ExportFile = { readonly head: Readonly<Record<string, unknown>>; readonly salt: Uint8Array; readonly nonce: Uint8Array; readonly sealed: Uint8Array };

function readExport(bytes: Uint8Array): ExportFile | undefined {
  if (bytes.at(-1) !== 0x0a) return undefined;
  const file = readOrNothing(bytes.subarray(0, -1));
  if (typeof file !== 'object' || file === null || Object.keys(file).join() !== KEYS) return undefined;
  const { ct, ...head } = file as Readonly<Record<string, unknown>>;
  if (!Object.entries(FIXED).every(([key, value]) => head[key] === value) || !COSTS.has(head['n'])) return undefined;
  const [salt, nonce, sealed] = [fromBase64(String(head['salt']), 16), fromBase64(String(head['nonce']), 12), fromBase64(String(ct))];
  return salt === undefined || nonce === undefined || sealed === undefined || sealed.length < TAG ? undefined : { head, salt, nonce, sealed };
}

/** What was sealed under a key; undefined for another key, and where a bit of the file is another. */
function decrypt({ head, nonce, sealed }: ExportFile, key: Uint8Array): Uint8Array | undefined {
  const decipher = createDecipheriv(FIXED.cipher, key, nonce, { authTagLength: TAG });
  const closed = sealed.subarray(0, -TAG);
  decipher.setAAD(Buffer.from(canonicalJson(head)), { plaintextLength: closed.length });
  decipher.setAuthTag(sealed.subarray(-TAG));
  const text = decipher.update(closed);
  try {
    // The text is looked at only when this has agreed to the tag.
    decipher.final();
  } catch {
    return undefined;
  }
  return text;
}

/** The value of canonical JSON; undefined for bytes that are none, which is all that can fail here. */
function readOrNothing(bytes: Uint8Array): unknown {
  try {
    return readCanonicalJson(bytes, { maxBytes: MAX_BYTES });
  } catch {
    return undefined;
  }
}

/** The key of a passphrase. Throws Refused where scrypt fails, which it does for want of memory. */
function keyOf(passphrase: string, salt: Uint8Array, N: number): Promise<Uint8Array> {
  const needed = 128 * N * FIXED.r;
  // Node's own limit of 32 MiB is below what 2^15 needs.
  const options = { N, r: FIXED.r, p: FIXED.p, maxmem: needed + 32 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, 32, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(new Refused(`the key could not be derived from the passphrase, which takes ${needed / 2 ** 20} MiB of memory; free some and try again`, { cause: error }));
    });
  });
}
