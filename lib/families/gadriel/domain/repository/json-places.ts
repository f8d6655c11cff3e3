/** A JSON value with the span that it has in its text; offsets are UTF-16 code units, `end` exclusive. */
export type JsonNode = { readonly start: number; readonly end: number } & (
  | { readonly type: 'object'; readonly members: readonly JsonMember[] }
  | { readonly type: 'array'; readonly items: readonly JsonNode[] }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'other' }
);

/** A member of an object; `keyStart` is the offset of its key's quote. */
export type JsonMember = { readonly key: string; readonly keyStart: number; readonly value: JsonNode };

const maxDepth = 100;

/**
 * Reads JSON as editors allow it in their settings: comments and trailing commas. Gives undefined for any other text, and
 * for one nested over 100 levels deep.
 */
export function parseJsonPlaces(text: string): JsonNode | undefined {
  const reader = new Reader(text);
  try {
    const node = reader.value(0);
    return reader.atEnd() ? node : undefined;
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}

class NotJson extends Error {}

const token = /"(?:[^"\\\n\r]|\\[^\n\r])*"|[[\]{},:]|[-+.\w]+/y;
const blanks = /[\s\uFEFF]*/y;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#skip();
    return this.#at === this.#text.length;
  }

  value(depth: number): JsonNode {
    if (depth > maxDepth) throw new NotJson();
    const first = this.#next();
    const start = this.#at - first.length;
    if (first === '{') {
      const members: JsonMember[] = [];
      this.#list('}', (key) => {
        const keyStart = this.#at - key.length;
        if (!key.startsWith('"') || this.#next() !== ':') throw new NotJson();
        members.push({ key: unquote(key), keyStart, value: this.value(depth + 1) });
      });
      return { type: 'object', members, start, end: this.#at };
    }
    if (first === '[') {
      const items: JsonNode[] = [];
      this.#list(']', (word) => {
        this.#at -= word.length;
        items.push(this.value(depth + 1));
      });
      return { type: 'array', items, start, end: this.#at };
    }
    if (first.startsWith('"')) return { type: 'string', value: unquote(first), start, end: this.#at };
    if (/^[\]},:]/.test(first)) throw new NotJson();
    return { type: 'other', start, end: this.#at };
  }

  /** Items up to the closing sign, with commas between them and perhaps one behind the last. */
  #list(close: string, item: (first: string) => void): void {
    for (let word = this.#next(); word !== close; word = this.#next()) {
      item(word);
      word = this.#next();
      if (word === close) return;
      if (word !== ',') throw new NotJson();
    }
  }

  #next(): string {
    this.#skip();
    token.lastIndex = this.#at;
    const word = token.exec(this.#text)?.[0];
    if (word === undefined) throw new NotJson();
    this.#at += word.length;
    return word;
  }

  /** Over blanks and comments. */
  #skip(): void {
    for (;;) {
      blanks.lastIndex = this.#at;
      this.#at += blanks.exec(this.#text)?.[0].length ?? 0;
      const opener = this.#text.slice(this.#at, this.#at + 2);
      if (opener !== '//' && opener !== '/*') return;
      const end = this.#text.indexOf(opener === '//' ? '\n' : '*/', this.#at + 2);
      if (end < 0 && opener === '/*') throw new NotJson();
      this.#at = end < 0 ? this.#text.length : end + (opener === '//' ? 1 : 2);
    }
  }
}

function unquote(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}
