const brand = Symbol.for('toolwire.UsageError');

/** The command line can't be understood or carried out: one sentence for stderr, exit code 2. `help` is the command to ask for help about. */
export class UsageError extends Error {
  static {
    this.prototype.name = 'UsageError';
  }
  readonly help: string | undefined;
  readonly [brand] = true;

  constructor(message: string, options: { help?: string; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.help = options.help;
  }
}

/** Whether a thrown value is a UsageError, of whichever copy of this module. */
export function isUsageError(value: unknown): value is UsageError {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
