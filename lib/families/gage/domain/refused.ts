const brand = Symbol.for('toolwire.gage.Refused');

/** What a refusal is about: `network` ends the command line with exit code 4. */
export type RefusalKind = 'refused' | 'network';

/** A tool ran and says no: one sentence that says what to do, without secrets and without text that somebody else chose. */
export class Refused extends Error {
  static {
    this.prototype.name = 'Refused';
  }
  readonly [brand] = true;
  readonly kind: RefusalKind;

  constructor(message: string, options: ErrorOptions & { readonly kind?: RefusalKind } = {}) {
    super(message, options);
    this.kind = options.kind ?? 'refused';
  }
}

/** Whether a thrown value is a Refused, of whichever copy of this module. */
export function isRefused(value: unknown): value is Refused {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
