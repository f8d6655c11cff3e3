/** A value of a JSON text and where it stands: `start` is its first character, `end` the one behind its last. */
export type JsonNode = { readonly start: number; readonly end: number; readonly value: unknown; readonly members?: readonly JsonMember[] };

/** A member of an object; `keyStart` is the quote of its name, `comma` the offset of the comma behind it, if there is one. */
export type JsonMember = { readonly key: string; readonly keyStart: number; readonly node: JsonNode; readonly comma: number | undefined };

/** Deeper ones are no configuration, and each level is a call. */
const maxDepth = 200;

/**
 * Parses JSON as editors write their settings: comments and commas behind the last member are allowed, and a byte order
 * mark. Throws a SyntaxError that names the line.
 */
export function parseJsonc(text: string): JsonNode {
  const parser = new Parser(text);
  const node = parser.value(0);
  parser.skip();
  if (parser.at < text.length) throw parser.error();
  return node;
}

/** The offset behind the spaces and comments that begin at an offset; an unfinished comment throws a SyntaxError. */
export function skipTrivia(text: string, from: number): number {
  const parser = new Parser(text);
  parser.at = from;
  parser.skip();
  return parser.at;
}

class Parser {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonNode {
    this.skip();
    if (depth > maxDepth) throw new SyntaxError('it is nested too deep');
    const start = this.at;
    const first = this.#text[start];
    if (first === '{') return this.#object(start, depth);
    if (first === '[') return this.#array(start, depth);
    return { start, value: first === '"' ? this.#string() : this.#word(), end: this.at };
  }

  skip(): void {
    for (;;) {
      const start = this.at;
      while (/[\s\ufeff]/.test(this.#text[this.at] ?? '')) this.at++;
      if (this.#text.startsWith('//', this.at)) this.at = this.#behind('\n') ?? this.#text.length;
      else if (this.#text.startsWith('/*', this.at)) {
        this.at += 2;
        const end = this.#behind('*/');
        this.at = end ?? this.#text.length;
        if (end === undefined) throw this.error();
      }
      if (this.at === start) return;
    }
  }

  error(): SyntaxError {
    const found = this.#text[this.at];
    const line = this.#text.slice(0, this.at).split('\n').length;
    return new SyntaxError(`unexpected ${found === undefined ? 'end' : JSON.stringify(found)} in line ${line}`);
  }

  #behind(what: string): number | undefined {
    const found = this.#text.indexOf(what, this.at);
    return found < 0 ? undefined : found + what.length;
  }

  #object(start: number, depth: number): JsonNode {
    const members: JsonMember[] = [];
    this.#items('}', () => {
      const keyStart = this.at;
      const key = this.#string();
      this.skip();
      this.#take(':');
      const node = this.value(depth + 1);
      this.skip();
      members.push({ key, keyStart, node, comma: this.#text[this.at] === ',' ? this.at : undefined });
    });
    return { start, end: this.at, value: Object.fromEntries(members.map(({ key, node }) => [key, node.value])), members };
  }

  #array(start: number, depth: number): JsonNode {
    const value: unknown[] = [];
    this.#items(']', () => void value.push(this.value(depth + 1).value));
    return { start, end: this.at, value };
  }

  #items(close: string, item: () => void): void {
    this.at++;
    for (this.skip(); this.#text[this.at] !== close; this.skip()) {
      item();
      this.skip();
      if (this.#text[this.at] !== close) this.#take(',');
    }
    this.at++;
  }

  #take(wanted: string): void {
    if (this.#text[this.at] !== wanted) throw this.error();
    this.at++;
  }

  #string(): string {
    const start = this.at;
    this.#take('"');
    while (this.at < this.#text.length && this.#text[this.at] !== '"') this.at += this.#text[this.at] === '\\' ? 2 : 1;
    this.#take('"');
    return this.#parsed(start) as string;
  }

  #word(): unknown {
    const start = this.at;
    while (/[\w.+-]/.test(this.#text[this.at] ?? '')) this.at++;
    return this.#parsed(start);
  }

  #parsed(start: number): unknown {
    try {
      return JSON.parse(this.#text.slice(start, this.at));
    } catch {
      this.at = start;
      throw this.error();
    }
  }
}
