import { equalJson } from './json-value.ts';
import type { JsonObject } from './json-value.ts';
import type { Check, Rule } from './run.ts';
import { either, shortJson } from './value-type.ts';

/** A test of numbers or strings with the rule it stands for. */
type Test<T> = readonly [rule: Rule, fits: (value: T) => boolean];

/** `enum` and `const`: the value is one of those given, by the equality of JSON Schema. */
export function choiceChecks(schema: JsonObject): Check[] {
  const checks: Check[] = [];
  if (schema['enum'] !== undefined) checks.push(oneOfValues('enum', schema['enum'] as unknown[]));
  if (schema['const'] !== undefined) checks.push(oneOfValues('const', [schema['const']]));
  return checks;
}

function oneOfValues(keyword: string, values: readonly unknown[]): Check {
  const words = either(values.map(shortJson));
  const rule: Rule = { keyword, text: () => `must be ${words}`, expected: words };
  const simple = new Set(values.filter((value) => typeof value !== 'object' || value === null));
  const compound = values.filter((value) => typeof value === 'object' && value !== null);
  return (value, run) => {
    if (!simple.has(value) && !compound.some((known) => equalJson(known, value))) run.fail(rule, value);
    return value;
  };
}

/** The keywords about numbers. */
export function numberCheck(schema: JsonObject): Check {
  const tests: Test<number>[] = [];
  const bound = (keyword: string, words: string, fits: (value: number, limit: number) => boolean): void => {
    const limit = schema[keyword] as number | undefined;
    if (limit === undefined) return;
    const expected = `${words} ${limit}`;
    tests.push([{ keyword, text: () => `must be ${expected}`, expected }, (value) => fits(value, limit)]);
  };
  bound('minimum', 'at least', (value, limit) => value >= limit);
  bound('maximum', 'at most', (value, limit) => value <= limit);
  bound('exclusiveMinimum', 'more than', (value, limit) => value > limit);
  bound('exclusiveMaximum', 'less than', (value, limit) => value < limit);
  bound('multipleOf', 'a multiple of', isMultiple);
  return all('number', tests);
}

/** The keywords about strings; `matches` is the compiled `pattern`. Lengths are counted in code points. */
export function stringCheck(schema: JsonObject, matches: ((text: string) => boolean) | undefined): Check {
  const tests: Test<string>[] = [];
  const least = schema['minLength'] as number | undefined;
  const most = schema['maxLength'] as number | undefined;
  if (least !== undefined) {
    const expected = `at least ${characters(least)}`;
    tests.push([{ keyword: 'minLength', text: () => `must have ${expected}`, expected }, (value) => hasAtLeast(value, least)]);
  }
  if (most !== undefined) {
    const expected = `at most ${characters(most)}`;
    tests.push([{ keyword: 'maxLength', text: () => `must have ${expected}`, expected }, (value) => !hasAtLeast(value, most + 1)]);
  }
  if (matches !== undefined) {
    const pattern = schema['pattern'] as string;
    const expected = `text that matches ${pattern.length > 80 ? `${pattern.slice(0, 79)}…` : pattern}`;
    tests.push([{ keyword: 'pattern', text: () => `must be ${expected}`, expected }, matches]);
  }
  return all('string', tests);
}

function all<T>(type: 'number' | 'string', tests: readonly Test<T>[]): Check {
  return (value, run) => {
    if (typeof value !== type) return value;
    for (const [rule, fits] of tests) {
      if (fits(value as T)) continue;
      run.fail(rule, value);
      // One reason is enough, and a text that is too long need not meet the pattern.
      break;
    }
    return value;
  };
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

// Code units bound code points from both sides, so most strings need no counting.
function hasAtLeast(text: string, count: number): boolean {
  if (text.length < count) return false;
  if (text.length >= 2 * count) return true;
  let points = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xd800 || (text.charCodeAt(index + 1) & 0xfc00) !== 0xdc00) continue;
    points -= 1;
    index += 1;
  }
  return points >= count;
}

// Exact on the decimal digits that JSON shows: 0.3 is a multiple of 0.1, which binary division denies.
function isMultiple(value: number, factor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(factor)) return value % factor === 0;
  if (!Number.isFinite(value)) return false;
  const [a, b] = [decimal(value), decimal(factor)];
  const scale = Math.min(a.exponent, b.exponent);
  const scaled = (d: { digits: bigint; exponent: number }): bigint => d.digits * 10n ** BigInt(d.exponent - scale);
  return scaled(a) % scaled(b) === 0n;
}

function decimal(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}
