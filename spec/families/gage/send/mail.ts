import { push } from '../../../../lib/families/gage/domain/send/push.ts';
import { send } from '../../../../lib/families/gage/domain/send/send.ts';
import { relayClient, type ListedMessage } from '../../../../lib/families/gage/domain/relay/client.ts';
import type { Person } from '../world.ts';

/** Builds a bundle for bob and sends it through the relay of the sender; its id. */
export async function mailBob(from: Person): Promise<string> {
  const { dir, id } = await send({ to: 'bob', subject: 's' }, from.surroundings, { namesFrom: 'root' });
  await push({ to: 'bob', dir, confirm: true }, from.surroundings);
  return id;
}

/** Messages as a relay lists them, and the bytes of each by its id there. */
export type Mail = { readonly listed: readonly ListedMessage[]; readonly bodies: ReadonlyMap<string, Uint8Array> };

/** Takes all of somebody's messages from a relay. */
export async function takeMail(origin: string, { identity, surroundings }: Person): Promise<Mail> {
  const client = relayClient(origin, { identity, surroundings });
  const listed = (await client.list()).messages;
  const bodies = new Map(await Promise.all(listed.map(async ({ id }) => [id, (await client.fetch(id)) as Uint8Array] as const)));
  for (const { id } of listed) await client.remove(id);
  client.close();
  return { listed, bodies };
}
