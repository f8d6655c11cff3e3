const brand = Symbol.for('toolwire.gadriel.ToolFailed');

/** A tool ran and failed for a reason that its user can mend; the reason is one sentence without paths of the server. */
export class ToolFailed extends Error {
  static {
    this.prototype.name = 'ToolFailed';
  }
  readonly [brand] = true;
}

/** Whether a thrown value is a ToolFailed, of whichever copy of this module. */
export function isToolFailed(value: unknown): value is ToolFailed {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
