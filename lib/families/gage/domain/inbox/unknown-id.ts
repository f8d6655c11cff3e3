import { Refused } from '../refused.ts';

const brand = Symbol.for('toolwire.gage.UnknownId');

/** Nothing in the inbox has an id. The message is for the command line; a tool has another way to look. */
export class UnknownId extends Refused {
  static {
    this.prototype.name = 'UnknownId';
  }
  readonly [brand] = true;
  /** The same, for a tool. */
  readonly forTool = 'there is no bundle of this id in the inbox; gage_inbox with all lists them, and an id is given whole, all 64 digits';

  constructor() {
    super('there is no bundle of this id in the inbox; gage inbox --all lists what has come');
  }
}

/** Whether a thrown value is an UnknownId, of whichever copy of this module. */
export function isUnknownId(value: unknown): value is UnknownId {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
