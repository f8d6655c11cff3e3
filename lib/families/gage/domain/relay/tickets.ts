import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { CHALLENGE_MS } from './quotas.ts';

/** How long a session lasts, in milliseconds. */
export const SESSION_MS = 600_000;

/** Challenges and session tokens that nobody has to remember: each carries the relay's own mark. Text in base64url. */
export type Tickets = {
  /** 32 bytes as 43 characters: time, 10 random bytes, and the mark, which covers the reader's key too. */
  challenge(key: Uint8Array, now: number): string;
  /** When a challenge for this key was made; undefined for one that is not ours, or older than a minute. */
  challengedAt(challenge: string, key: Uint8Array, now: number): number | undefined;
  token(mailbox: string, now: number): string;
  /** The mailbox a token opens; undefined for one that is not ours, or over. */
  mailboxOf(token: string, now: number): string | undefined;
};

const CHALLENGE_LABEL = 'gage/challenge/v1\0';
const TOKEN_LABEL = 'gage/token/v1\0';

/**
 * Makes the tickets of a relay (formats: design section 0, Relay). Relays that share `secret` and one of their audiences
 * take each other's; the first audience is the one they are made for. `random(10)` must not repeat. `challengeSecret`: where
 * the challenges of an earlier run must not count, as nobody knows any more which were answered.
 */
export function createTickets(secret: Uint8Array, audiences: readonly string[], random: (size: number) => Uint8Array, challengeSecret: Uint8Array = secret): Tickets {
  const [first = ''] = audiences;
  const mac = (by: Uint8Array, label: string, aud: string, ...parts: readonly Uint8Array[]): Buffer => {
    const hmac = createHmac('sha256', by).update(`${label}${aud}\0`);
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  };
  const challengeMac = (aud: string, key: Uint8Array, head: Uint8Array): Buffer => mac(challengeSecret, CHALLENGE_LABEL, aud, key, head).subarray(0, 16);
  const anyAudience = (given: Uint8Array, make: (aud: string) => Buffer): boolean => audiences.some((aud) => timingSafeEqual(make(aud), given));
  return {
    challenge(key, now) {
      const head = Buffer.alloc(16);
      head.writeUIntBE(now, 0, 6);
      head.set(random(10), 6);
      return Buffer.concat([head, challengeMac(first, key, head)]).toString('base64url');
    },
    challengedAt(challenge, key, now) {
      const bytes = decode(challenge, 32);
      if (bytes === undefined) return undefined;
      const head = bytes.subarray(0, 16);
      const at = head.readUIntBE(0, 6);
      // The clocks of relays that share a secret may differ, so the other way has its minute too.
      return Math.abs(now - at) <= CHALLENGE_MS && anyAudience(bytes.subarray(16), (aud) => challengeMac(aud, key, head)) ? at : undefined;
    },
    token(mailbox, now) {
      const head = Buffer.alloc(38);
      head.write(mailbox, 'hex');
      head.writeUIntBE(now + SESSION_MS, 32, 6);
      return Buffer.concat([head, mac(secret, TOKEN_LABEL, first, head)]).toString('base64url');
    },
    mailboxOf(token, now) {
      const bytes = decode(token, 70);
      if (bytes === undefined) return undefined;
      const head = bytes.subarray(0, 38);
      const left = head.readUIntBE(32, 6) - now;
      // More than a session has left, by a minute for clocks that differ: ours was set back.
      if (left <= 0 || left > SESSION_MS + CHALLENGE_MS || !anyAudience(bytes.subarray(38), (aud) => mac(secret, TOKEN_LABEL, aud, head))) return undefined;
      return head.toString('hex', 0, 32);
    },
  };
}

/** Strict base64url of exactly so many bytes: one text for one value. */
function decode(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === length && bytes.toString('base64url') === text ? bytes : undefined;
}
