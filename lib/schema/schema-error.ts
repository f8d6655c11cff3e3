const brand = Symbol.for('toolwire.SchemaError');

/**
 * A schema that cannot be served: an unknown keyword, a malformed value, a reference that leads nowhere.
 * Thrown at registration. `pointer` is the JSON Pointer of the subschema ('' is the root), `keyword` the key in it
 * ('' when the subschema itself is wrong).
 */
export class SchemaError extends Error {
  static {
    this.prototype.name = 'SchemaError';
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  readonly pointer: string;
  readonly keyword: string;

  constructor(pointer: string, keyword: string, problem: string) {
    const place = pointer === '' ? 'the root' : pointer;
    super(`schema refused at ${place}: ${keyword === '' ? 'it' : `"${keyword}"`} ${problem}`);
    this.pointer = pointer;
    this.keyword = keyword;
  }
}

/** Whether a thrown value is a SchemaError, also one from another copy of this library. */
export function isSchemaError(value: unknown): value is SchemaError {
  return typeof value === 'object' && value !== null && brand in value;
}
