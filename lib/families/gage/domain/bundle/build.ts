import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../../text/canonical-json.ts';
import { toBase64 } from '../crypto/base64.ts';
import { signBytes } from '../crypto/ed25519.ts';
import type { Identity } from '../identity/identity.types.ts';
import { checkLabel } from '../identity/names.ts';
import { formatTime } from '../identity/time.ts';
import { Refused } from '../refused.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import type { BundleBytes } from './bundle.types.ts';
import { checkItemName, checkSubject, checkType } from './checks.ts';
import { bundleIdOf, limits, readManifest, signedBytesOf } from './manifest.ts';
import type { ItemKind, Manifest, ManifestReason } from './manifest.types.ts';
import { signatureFile } from './signature.ts';

/** What a bundle is made of. `to` is a signing key (32 bytes), `expiresIn` milliseconds from its making, `type` `note` when not given. */
export type BundleDraft = {
  readonly to: Uint8Array;
  readonly subject: string;
  readonly type?: string;
  readonly items: readonly { readonly name: string; readonly kind: ItemKind; readonly bytes: Uint8Array }[];
  readonly agent?: string;
  readonly model?: string;
  readonly replyTo?: string;
  readonly expiresIn?: number;
};

/** A bundle that was just made: its bytes, its id and its manifest. */
export type BuiltBundle = BundleBytes & {
  readonly manifest: Uint8Array;
  readonly signature: Uint8Array;
  readonly items: readonly Uint8Array[];
  readonly id: string;
  readonly content: Manifest;
};

const KIB = 1024;
const MIB = 1024 * 1024;

/** What a person can do about the rules of the whole that a draft may break. */
const ADVICE: Partial<Record<ManifestReason, string>> = {
  double_name: 'has the name of an item before it (case and form do not tell names apart): rename one',
  limit: `is over a limit, ${limits.items} items, ${limits.itemBytes / MIB} MiB each, ${limits.totalBytes / MIB} MiB together: send less at once`,
  too_large: `the manifest would be over ${limits.manifestBytes / KIB} KiB: send fewer items or shorter names`,
};

/** Makes and signs a bundle. Throws Refused, naming the place and the rule, for a draft that breaks one. */
export function buildBundle(draft: BundleDraft, identity: Identity, surroundings: Pick<Surroundings, 'now' | 'random'>): BuiltBundle {
  checkTexts(draft);
  const content = manifestOf(draft, identity, surroundings);
  const manifest = new TextEncoder().encode(canonicalJson(content));
  // The reader's own rules: what we send, every gage can read.
  const read = readManifest(manifest);
  if (!('manifest' in read)) {
    const place = 'at' in read ? `${read.at} ` : '';
    throw new Refused(`nothing was built: ${place}${ADVICE[read.reason as ManifestReason] ?? 'is not in the form that it must have'}`);
  }
  const signature = signatureFile(signBytes(identity.signSeed, signedBytesOf(manifest)));
  return { manifest, signature, items: draft.items.map(({ bytes }) => bytes), faults: [], id: bundleIdOf(manifest), content };
}

/** The rules of each text, in words; a name is not repeated, as it may be the hostile part. */
function checkTexts({ subject, type, agent, model, replyTo, items }: BundleDraft): void {
  const check = (what: string, problem: string | undefined): void => {
    if (problem !== undefined) throw new Refused(`nothing was built: ${what} ${problem}: change it and send again`);
  };
  check('the subject', checkSubject(subject));
  if (type !== undefined) check('the type', checkType(type));
  if (agent !== undefined) check('the name of the agent', checkLabel(agent));
  if (model !== undefined) check('the name of the model', checkLabel(model));
  if (replyTo !== undefined && !/^[0-9a-f]{64}$/.test(replyTo)) check('the id that it replies to', 'has not 64 hex digits');
  for (const [index, { name }] of items.entries()) check(`the name of item ${index + 1}`, checkItemName(name));
}

function manifestOf(draft: BundleDraft, { signKey, boxKey, handle }: Identity, { now, random }: Pick<Surroundings, 'now' | 'random'>): Manifest {
  const { agent, model, replyTo, expiresIn } = draft;
  const at = now();
  return {
    ...(agent === undefined ? {} : { agent }),
    created_at: formatTime(at),
    ...(expiresIn === undefined ? {} : { expires_at: formatTime(at + expiresIn) }),
    from: { box: toBase64(boxKey), handle, key: toBase64(signKey) },
    items: draft.items.map(({ name, kind, bytes }) => ({
      bytes: bytes.length, kind, name, sha256: createHash('sha256').update(bytes).digest('hex'),
    })),
    ...(model === undefined ? {} : { model }),
    nonce: Buffer.from(random(16)).toString('hex'),
    ...(replyTo === undefined ? {} : { reply_to: replyTo }),
    subject: draft.subject,
    to: toBase64(draft.to),
    type: draft.type ?? 'note',
    v: 1,
  };
}
