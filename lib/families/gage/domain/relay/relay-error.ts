import { Refused } from '../refused.ts';

const brand = Symbol.for('toolwire.gage.RelayError');

/** The codes that a relay answers with, in `{"error":{"code","message"}}`. */
export const relayCodes = [
  'bad_request', 'unauthorised', 'forbidden', 'not_found', 'too_large', 'wrong_type', 'rate_limited', 'mailbox_full', 'internal',
] as const;

/** One of a relay's own codes. */
export type RelayCode = (typeof relayCodes)[number];

/** Why a relay could not be used: its code, `other` for one that is none, or what was seen from here. */
export type RelayProblem = RelayCode | 'other' | 'unreachable' | 'bad_answer';

/** A relay that answered no, or did not answer: one sentence of ours, never the relay's words. `status` is null without an answer, `retryAfterS` (seconds) unless it says when to ask again. */
export class RelayError extends Refused {
  static {
    this.prototype.name = 'RelayError';
  }
  readonly [brand] = true;
  readonly code: RelayProblem;
  readonly status: number | null;
  readonly retryAfterS: number | null;

  constructor(
    message: string,
    { code, status = null, retryAfterS = null, cause }: { readonly code: RelayProblem; readonly status?: number | null; readonly retryAfterS?: number | null; readonly cause?: unknown },
  ) {
    super(message, { kind: 'network', ...(cause === undefined ? {} : { cause }) });
    this.code = code;
    this.status = status;
    this.retryAfterS = retryAfterS;
  }
}

/** Whether a thrown value is a RelayError, of whichever copy of this module. */
export function isRelayError(value: unknown): value is RelayError {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
