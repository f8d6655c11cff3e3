const brand = Symbol.for('toolwire.Refusal');

/**
 * Thrown by a tool that ran and says no: the client gets a result with `isError`, the message as its text.
 *
 * `data` becomes `structuredContent` (revisions that know it). `reason` is the short form, for the error data of a
 * direct invocation; it defaults to the message.
 */
export class Refusal extends Error {
  static {
    this.prototype.name = 'Refusal';
  }
  readonly reason: string;
  readonly data: Readonly<Record<string, unknown>> | undefined;
  // A brand instead of instanceof: a program may hold the bundle and the library side by side.
  readonly [brand] = true;

  constructor(message: string, options: { reason?: string; data?: Readonly<Record<string, unknown>>; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.reason = options.reason ?? message;
    this.data = options.data;
  }
}

/** Whether a thrown value is a Refusal, of whichever copy of this module. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
