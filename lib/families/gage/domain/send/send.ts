import { Buffer } from 'node:buffer';
import { buildBundle } from '../bundle/build.ts';
import { fromBase64 } from '../crypto/base64.ts';
import { openHome } from '../home/home.ts';
import { loadIdentity } from '../identity/identity-file.ts';
import type { Identity } from '../identity/identity.types.ts';
import { Refused } from '../refused.ts';
import { quotedName } from '../render/escape.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { collectItems, type CollectedItem, type NamesFrom, type SendLists } from './collect.ts';
import { checkOut, deliver } from './deliver.ts';
import { keyForms } from './gage-keys.ts';
import { manifestFields, placeOfItem } from './named-places.ts';
import { recipientOf } from './recipient.ts';
import { loadSendRoots, showPath } from '../roots/send-roots.ts';
import { findSecrets, type SecretFind, type SecretSource } from './secret-check.ts';

/** What to send, to whom. Paths may be relative to the working folder; `expiresInDays` is 1 to 365. */
export type SendRequest = SendLists & {
  /** Name or whole token of a buddy. */
  readonly to: string;
  readonly subject?: string | undefined;
  readonly type?: string | undefined;
  readonly out?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly expiresInDays?: number | undefined;
};

/** A bundle that was built, in the words of the wire. */
export type Sent = {
  readonly id: string;
  readonly dir: string;
  readonly delivered: 'local' | 'directory';
  readonly to_name: string;
  readonly to_key: string;
  readonly items: readonly { readonly name: string; readonly kind: string; readonly bytes: number; readonly sha256: string }[];
  readonly total_bytes: number;
  readonly warnings: readonly string[];
  readonly next: string;
};

/**
 * Who may let secrets through: `named` says which of all that were found were named beforehand, `ask` whether one of these may leave;
 * `fileOf` gives the real path of the file at a place, undefined for a field of the manifest.
 */
export type SecretKeeper = {
  named(finds: readonly SecretFind[], fileOf: (place: string) => string | undefined): ReadonlySet<SecretFind>;
  ask(find: SecretFind): Promise<boolean>;
};

/** How a door differs: where names of items start, and who may let a secret through; nobody for a tool. */
export type SendDoor = { readonly namesFrom: NamesFrom; readonly secrets?: SecretKeeper };

const dayMs = 86_400_000;
/** A refusal names so many finds; the next try shows the others. */
const maxNamed = 10;

/**
 * Builds a signed bundle and puts it into `out`, the recipient's local route or the outbox. Nothing leaves the machine. Throws
 * Refused before anything is written: no identity, an unknown buddy, a path that may not be sent, a secret, a limit.
 */
export async function send(request: SendRequest, surroundings: Surroundings, door: SendDoor): Promise<Sent> {
  const home = openHome(surroundings.env);
  const identity = loadIdentity(home);
  const buddy = recipientOf(home, request.to, identity.token);
  const roots = loadSendRoots(home, surroundings);
  const out = request.out === undefined ? undefined : checkOut(request.out, surroundings.cwd, roots);
  const { items, warnings } = collectItems(request, { roots, cwd: surroundings.cwd, namesFrom: door.namesFrom });
  const { subject = '', type = 'note', agent, model, expiresInDays } = request;
  const replyTo = request.replyTo?.toLowerCase();
  // Keyboards and file systems differ in the form they give letters; the format has one.
  const inForm = (text: string): string => text.normalize('NFC');
  if (items.length === 0 && subject === '') throw new Refused('there is nothing to send; give a subject or at least one file');
  const warned = await checkSecrets(request, items, { identity, keeper: door.secrets });
  const built = buildBundle({
    to: fromBase64(buddy.key, 32) as Uint8Array,
    subject: inForm(subject),
    type, items,
    ...(replyTo !== undefined && { replyTo }),
    ...(agent !== undefined && { agent: inForm(agent) }),
    ...(model !== undefined && { model: inForm(model) }),
    ...(expiresInDays !== undefined && { expiresIn: expiresInDays * dayMs }),
  }, identity, surroundings);
  const { dir, delivered } = await deliver(built, { home, key: buddy.key, out });
  return {
    id: built.id,
    dir, delivered,
    to_name: buddy.name,
    to_key: buddy.key,
    items: built.content.items.map(({ name, kind, bytes, sha256 }) => ({ name, kind, bytes, sha256 })),
    total_bytes: items.reduce((sum, { bytes }) => sum + bytes.length, 0),
    warnings: [...warnings, ...warned],
    next: delivered === 'local'
      ? `it lies in the folder of ${quotedName(buddy.name)} on this machine; nothing else is to be done`
      : `nothing has left this machine; once the user agrees, gage_push with to ${quotedName(buddy.name)}, this dir and confirm true sends it`,
  };
}

/** All that the receiver would get to read. */
function sourcesOf({ subject, type, agent, model }: SendRequest, items: readonly CollectedItem[]): readonly SecretSource[] {
  const field = (place: (typeof manifestFields)[number], text: string | undefined): readonly SecretSource[] => (text === undefined ? [] : [{ place, bytes: Buffer.from(text) }]);
  return [
    ...field('subject', subject), ...field('type', type), ...field('agent', agent), ...field('model', model),
    ...field('item names', items.map(({ name }) => name).join('\n\n')),
    ...items.map(({ name, bytes }) => ({ place: placeOfItem(name), bytes })),
  ];
}

/** Throws Refused where a secret would leave; the guesses, and what a person let through, come back as warnings. */
async function checkSecrets(
  request: SendRequest,
  items: readonly CollectedItem[],
  { identity: { signSeed, boxPrivate }, keeper }: { readonly identity: Identity; readonly keeper: SecretKeeper | undefined },
): Promise<readonly string[]> {
  const finds = findSecrets(sourcesOf(request, items), [signSeed, boxPrivate].flatMap(keyForms));
  const secrets = finds.filter(({ weight }) => weight !== 'warn');
  if (secrets.length > 0) {
    const files = new Map(items.map(({ name, file }) => [placeOfItem(name), file]));
    const named = secrets.some(({ weight }) => weight === 'never') ? undefined : keeper?.named(secrets, (place) => files.get(place));
    const refused = secrets.filter((find) => named?.has(find) !== true);
    // Nobody is asked for a bundle that is refused all the same.
    if (refused.length > 0) throw secretRefusal(refused);
    for (const find of secrets) if ((await keeper?.ask(find)) !== true) throw secretRefusal([find]);
  }
  return finds.map((find) => {
    const [are, were] = find.more > 0 ? ['may be secrets', 'were'] : ['may be a secret', 'was'];
    return `${describe(find)} ${find.weight === 'warn' ? `${are}: look before it is pushed` : `${were} let through by the person at the terminal`}`;
  });
}

function secretRefusal(finds: readonly SecretFind[]): Refused {
  const rest = finds.slice(maxNamed).reduce((sum, { more }) => sum + 1 + more, 0);
  const more = rest > 0 ? ` and ${rest} more` : '';
  return new Refused(`nothing was built, since a secret would be sent: ${finds.slice(0, maxNamed).map(describe).join('; ')}${more}; take it out and send again`);
}

const describe = ({ title, rule, place, line, more }: SecretFind): string => `${title} (${rule})${more > 0 ? ` and ${more} more of these` : ''} in ${showPath(place)} line ${line}`;
