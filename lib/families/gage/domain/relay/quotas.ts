const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;

/** How much a mailbox holds, and one sender's address in it, uncollected (design section 0, Relay). */
export const quotas = { messages: 100, bytes: 64 * MIB, senderMessages: 25, senderBytes: 20 * MIB } as const;

/** How long a message waits, in milliseconds: in a mailbox whose owner has been there, and in another one (section 11). */
export const retention = { opened: 30 * DAY_MS, unopened: 7 * DAY_MS } as const;

/** How long a challenge may be answered, in milliseconds. */
export const CHALLENGE_MS = 60_000;

/** Whether one more message of this size fits a mailbox that holds `held`, of which `own` are the sender's. */
export function fits(bytes: number, held: readonly { readonly bytes: number }[], own: readonly { readonly bytes: number }[]): boolean {
  return held.length < quotas.messages && sizeOf(held) + bytes <= quotas.bytes && own.length < quotas.senderMessages && sizeOf(own) + bytes <= quotas.senderBytes;
}

const sizeOf = (list: readonly { readonly bytes: number }[]): number => list.reduce((sum, each) => sum + each.bytes, 0);
