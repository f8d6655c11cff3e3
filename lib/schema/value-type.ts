const bits = { null: 1, boolean: 2, number: 4 | 8, integer: 8, string: 16, array: 32, object: 64 };

const articles: Record<string, string> = {
  null: 'null', boolean: 'true or false', number: 'a number', integer: 'an integer',
  string: 'a string', array: 'a list', object: 'an object',
};

/** The type of a value as a bit; whole numbers, 1.0 among them, are 8 (integer), other numbers 4. 0 is no JSON. */
export function typeBit(value: unknown): number {
  switch (typeof value) {
    case 'string': return 16;
    case 'number': return Number.isInteger(value) ? 8 : 4;
    case 'boolean': return 2;
    case 'object': return value === null ? 1 : Array.isArray(value) ? 32 : 64;
    default: return 0;
  }
}

/** The bits of the value types that a `type` keyword admits. */
export function typeMask(type: unknown): number {
  if (!Array.isArray(type)) return bits[type as keyof typeof bits];
  return type.reduce((mask: number, name: keyof typeof bits) => mask | bits[name], 0);
}

/** A `type` keyword in words: "an integer", "a string or null". */
export function typeWords(type: unknown): string {
  return Array.isArray(type) ? either(type.map((name) => articles[name as string]!)) : articles[type as string]!;
}

/** The type of a value in words, never the value. */
export function gotWords(value: unknown): string {
  switch (typeBit(value)) {
    case 16: return 'a string';
    case 8: case 4: return 'a number';
    case 2: return 'a boolean';
    case 1: return 'null';
    case 32: return 'a list';
    case 64: return 'an object';
    default: return 'no JSON value';
  }
}

/** Words joined as "a, b or c", ten at most. */
export function either(words: readonly string[]): string {
  const shown = words.length > 10 ? [...words.slice(0, 9), `${words.length - 9} more`] : words;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}

/** A value of the schema as JSON, cut to 40 characters. */
export function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
