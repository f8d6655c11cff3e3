/**
 * One thing that is wrong with a value. `path` is a JSON Pointer (RFC 6901, '' is the root; names are cut to 64
 * characters); `keyword` the keyword of the schema that refused; `message` one clause that names the field and
 * what it must be; `expected` the same in a word or two. None of them holds a value of the input.
 */
export type Issue = {
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
  readonly expected?: string;
};
