import { parse } from 'smol-toml';
import type { JsonNode } from './json-places.ts';

const maxDepth = 20;
/** Settings of a person are small; texts are looked up one by one, so a large file must not cost their number times its size. */
const maxLength = 131_072;
const maxTexts = 1_000;

/**
 * Reads TOML into the nodes of JSON. A text's place is where it first stands in its table; what can not be found there (long
 * escapes, several lines) has the place of the table's header. Undefined for anything that is no TOML.
 */
export function parseTomlPlaces(text: string): JsonNode | undefined {
  if (text.length > maxLength) return undefined;
  let values: unknown;
  try {
    values = parse(text);
  } catch {
    return undefined;
  }
  return new Places(text).nodeOf(values, [], 0);
}

/** A table's header and body: offsets, end exclusive. */
type Section = { readonly start: number; readonly headerEnd: number; readonly end: number };

class Places {
  readonly #text: string;
  readonly #sections = new Map<string, Section>();
  #texts = 0;

  constructor(text: string) {
    this.#text = text;
    const headers = [...text.matchAll(/^[ \t]{0,40}\[{1,2}([^[\]\n]{1,200})\]{1,2}/gm)];
    for (const [at, header] of headers.entries()) {
      const path = (header[1] ?? '').split('.').map((part) => part.trim().replace(/^(["'])(.*)\1$/, '$2')).join('.');
      if (!this.#sections.has(path)) {
        this.#sections.set(path, { start: header.index, headerEnd: header.index + header[0].length, end: headers[at + 1]?.index ?? text.length });
      }
    }
  }

  nodeOf(value: unknown, path: readonly string[], depth: number): JsonNode {
    const section = this.#sectionOf(path);
    const place = { start: section.start, end: section.headerEnd };
    if (typeof value === 'string') return { type: 'string', value, ...this.#placeOf(value, section) };
    if (depth > maxDepth || typeof value !== 'object' || value === null || value instanceof Date) return { type: 'other', ...place };
    if (Array.isArray(value)) return { type: 'array', items: value.map((item) => this.nodeOf(item, path, depth + 1)), ...place };
    const members = Object.entries(value).map(([key, member]) => ({ key, keyStart: place.start, value: this.nodeOf(member, [...path, key], depth + 1) }));
    return { type: 'object', members, ...place };
  }

  /** The innermost table with a header of its own that a path lies in. */
  #sectionOf(path: readonly string[]): Section {
    for (let length = path.length; length > 0; length--) {
      const found = this.#sections.get(path.slice(0, length).join('.'));
      if (found !== undefined) return found;
    }
    return { start: 0, headerEnd: 0, end: this.#text.length };
  }

  #placeOf(value: string, section: Section): { readonly start: number; readonly end: number } {
    this.#texts++;
    const body = this.#texts > maxTexts ? '' : this.#text.slice(section.start, section.end);
    for (const written of [JSON.stringify(value), `'${value}'`]) {
      const at = body.indexOf(written);
      if (at >= 0) return { start: section.start + at, end: section.start + at + written.length };
    }
    return { start: section.start, end: section.headerEnd };
  }
}
