import { stateOf } from '../buddies/buddies.ts';
import type { Buddy } from '../buddies/buddies.types.ts';
import { readBundleFolder } from '../bundle/folder.ts';
import { pack } from '../bundle/package.ts';
import { fromBase64 } from '../crypto/base64.ts';
import { seal } from '../crypto/seal.ts';
import { loadConfig } from '../home/config.ts';
import { openHome, type Home } from '../home/home.ts';
import { loadIdentity } from '../identity/identity-file.ts';
import type { Identity } from '../identity/identity.types.ts';
import { formatTime } from '../identity/time.ts';
import { mailboxOf } from '../identity/token.ts';
import { Refused } from '../refused.ts';
import { relayClient } from '../relay/client.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { shellCommand } from '../../../../text/shell-command.ts';
import { folderAnywhere } from '../inbox/open.ts';
import { quotedName } from '../render/escape.ts';
import { leavingLines } from '../render/frame.ts';
import { judgeContext } from '../verdict/context.ts';
import { judgeBundle } from '../verdict/judge.ts';
import { atOnce, type InTurn } from './in-turn.ts';
import { notePush } from './push-note.ts';
import { recipientOf } from './recipient.ts';
import { loadSendRoots, realFolder, realOf, rootHolding, showPath, type SendRoots } from '../roots/send-roots.ts';

/** A built bundle to send; without `confirm` nothing leaves the machine. */
export type PushRequest = { readonly to: string; readonly dir: string; readonly confirm: boolean };

/** What was sent, in the words of the wire. */
export type Pushed = {
  readonly pushed: true;
  readonly id: string;
  readonly to_name: string;
  readonly relay: string;
  readonly message_id: string;
  readonly sealed_bytes: number;
  readonly warnings: readonly string[];
};

/** A bundle that may leave: to whom, through which relay, its bytes as they were verified, and the lines that a person is asked about. */
export type ReadyPush = {
  readonly home: Home;
  readonly identity: Identity;
  readonly buddy: Buddy;
  readonly relay: string;
  readonly id: string;
  readonly packed: Uint8Array;
  readonly summary: readonly string[];
  readonly warnings: readonly string[];
};

/**
 * Sends a built bundle through the relay of config.json, sealed for the buddy's listed key. It is verified first, from the bytes
 * that are then sent: signed by this identity, intact, and addressed to that buddy. Throws Refused; nothing was sent then, or
 * the relay's answer is in the message.
 */
export async function push(
  request: PushRequest,
  surroundings: Surroundings,
  { signal, inTurn = atOnce }: { readonly signal?: AbortSignal; readonly inTurn?: InTurn } = {},
): Promise<Pushed> {
  // What an earlier call of the same session writes, such as the bundle itself, has to be there.
  const ready = await inTurn(async () => checkPush(request, surroundings));
  return pushReady(ready, surroundings, signal);
}

/** Sends what `checkPush` found good. */
export async function pushReady({ home, identity, buddy, relay, id, packed, warnings }: ReadyPush, surroundings: Surroundings, signal?: AbortSignal): Promise<Pushed> {
  // A person may have taken long to answer: what they or others said of the buddy and the relay since then holds.
  if (wayTo(home, identity, buddy.token).relay !== relay) throw new Refused('nothing was sent: the relay was changed meanwhile; push again');
  const sealed = seal(packed, keyOf(buddy.box), surroundings.random);
  const client = relayClient(relay, { identity, surroundings, signal });
  try {
    const { messageId } = await client.push(mailboxOf(keyOf(buddy.key)), sealed);
    const noted = await notePush(home, id, { at: formatTime(surroundings.now()), message_id: messageId, relay: client.origin, to: buddy.key });
    return { pushed: true, id, to_name: buddy.name, relay: client.origin, message_id: messageId, sealed_bytes: sealed.length, warnings: [...warnings, ...noted] };
  } finally {
    client.close();
  }
}

/**
 * All that has to hold before a socket is opened. `anywhere` takes a bundle outside of the send roots, for a person at a terminal: what
 * is in it lay in one when they built and signed it. Throws Refused, as `push` does.
 */
export function checkPush({ to, dir, confirm }: PushRequest, surroundings: Surroundings, { anywhere = false }: { readonly anywhere?: boolean } = {}): ReadyPush {
  const home = openHome(surroundings.env);
  const identity = loadIdentity(home);
  if (!confirm) throw new Refused('nothing was sent: a push leaves this machine, so ask the user first and then set confirm to true');
  const { buddy, relay, warnings } = wayTo(home, identity, to);
  const name = quotedName(buddy.name);
  const folder = anywhere
    ? folderAnywhere(dir, surroundings.cwd)
    : realFolder(dir, surroundings.cwd, {
      roots: () => loadSendRoots(home, surroundings),
      also: [home.path('outbox')],
      outside: (roots) => howToSend(roots, surroundings.cwd),
    });
  const bytes = readBundleFolder(folder);
  const { row, manifest, items } = judgeBundle(bytes, judgeContext(home, surroundings));
  const shown = showPath(dir);
  if (row.verdict !== 'self' || row.id === null || manifest === undefined) {
    throw new Refused(`nothing was sent: the bundle in ${shown} is ${row.verdict} (${row.reasons.join(', ') || row.label}) and not one that you signed and may send; build it again`);
  }
  if (manifest.to !== buddy.key) throw new Refused(`nothing was sent: the bundle in ${shown} is addressed to another key than that of ${name}; build one for ${name}`);
  if (relay === undefined) throw new Refused('nothing was sent: no relay is set; a person sets one with: gage config relay URL');
  const packed = pack({ ...bytes, items });
  const summary = leavingLines(manifest, { id: row.id, to: buddy.name, relay });
  return { home, identity, buddy, relay, id: row.id, packed, summary, warnings };
}

/** To send one bundle is no reason to let all that lies around it be sent, so that no send root is advised. */
function howToSend(roots: SendRoots, cwd: string): string {
  const place = rootHolding(roots, realOf(cwd)) !== undefined ? 'the working folder' : roots.folders.length > 0 ? 'one of the send roots' : undefined;
  const copy = place === undefined ? '' : `copy the folder of the bundle into ${place}, or `;
  return `a tool sends bundles of the outbox and the send roots alone; ${copy}ask a person to send it with gage push TO DIR at a terminal`;
}

/** To whom, and through which relay. Throws Refused where that buddy gets nothing. */
function wayTo(home: Home, identity: Identity, to: string): { readonly buddy: Buddy; readonly relay: string | undefined; readonly warnings: readonly string[] } {
  const buddy = recipientOf(home, to, identity.token);
  const { relay, pushNeedsConfirmed } = loadConfig(home);
  if (stateOf(buddy) === 'confirmed') return { buddy, relay, warnings: [] };
  const name = quotedName(buddy.name);
  const advice = `compare the eight words with a person there, then: ${shellCommand('gage buddies confirm', buddy.name)}`;
  if (pushNeedsConfirmed) throw new Refused(`nothing was sent: ${name} is unconfirmed and config.json wants confirmed buddies for a push; ${advice}`);
  return { buddy, relay, warnings: [`${name} is unconfirmed: ${advice}`] };
}

/** A key of the list; these were checked when the list was read. */
const keyOf = (text: string): Uint8Array => fromBase64(text, 32) as Uint8Array;
