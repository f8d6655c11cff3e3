const brand = Symbol.for('toolwire.InvalidParams');

/** An argument that only the domain can judge is wrong (a word it does not know, a session that is over, both of two); the message names it and the fix. */
export class InvalidParams extends Error {
  static {
    this.prototype.name = 'InvalidParams';
  }
  readonly [brand] = true;
}

/** Whether a thrown value is an InvalidParams, of whichever copy of this module. */
export function isInvalidParams(value: unknown): value is InvalidParams {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
