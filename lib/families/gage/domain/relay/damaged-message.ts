import { RelayError } from './relay-error.ts';

const brand = Symbol.for('toolwire.gage.DamagedMessage');

/** A relay's answer for a message that is not the message: its bytes do not hash to its id, or are more than one may have. */
export class DamagedMessage extends RelayError {
  static {
    this.prototype.name = 'DamagedMessage';
  }
  readonly [brand] = true;
  /** What came, at most a message long. */
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super('the relay gave other bytes than those of the message', { code: 'bad_answer' });
    this.bytes = bytes;
  }
}

/** Whether a thrown value is a DamagedMessage, of whichever copy of this module. */
export function isDamagedMessage(value: unknown): value is DamagedMessage {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
