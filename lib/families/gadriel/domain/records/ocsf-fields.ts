import { ToolFailed } from '../tool-failed.ts';
import { isObject } from './is-object.ts';

/** The name of the file, as messages have it. */
export const findingsName = '.security/findings.json';

/** Reads element `index` (from 0) of the file; throws ToolFailed where it is no object. */
export function fieldsOf(element: unknown, index: number): Fields {
  if (!isObject(element)) throw invalid(index, 'it must be an object');
  return new Fields(element, index, '');
}

const invalid = (index: number, fault: string): ToolFailed => new ToolFailed(`${findingsName} is not valid OCSF: element ${index}: ${fault}`);

const isText = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isObjects = (value: unknown): value is Record<string, unknown>[] => Array.isArray(value) && value.every(isObject);

/** The members of one object of an OCSF file. Each way to read one throws ToolFailed that names element and key where it is wrong. */
export class Fields {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #index: number;
  /** Of this object in its element, with a dot behind it. */
  readonly #path: string;

  constructor(value: Readonly<Record<string, unknown>>, index: number, path: string) {
    this.#value = value;
    this.#index = index;
    this.#path = path;
  }

  has(key: string): boolean {
    return this.#get(key) !== undefined;
  }

  /** Whole and in the range; without a top, up to 2^53 - 1. */
  integer(key: string, from: number, to?: number): number {
    return this.optionalInteger(key, from, to) ?? this.missing(key);
  }

  optionalInteger(key: string, from: number, to: number = Number.MAX_SAFE_INTEGER): number | undefined {
    const value = this.#get(key);
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to)) return value as number | undefined;
    if (from === to) return this.wrong(key, `must be ${from}`);
    return this.wrong(key, `must be a whole number from ${from} ${to === Number.MAX_SAFE_INTEGER ? 'on' : `to ${to}`}`);
  }

  /** Not empty. */
  text(key: string): string {
    const text = this.optionalText(key) ?? this.missing(key);
    return text === '' ? this.wrong(key, 'must not be empty') : text;
  }

  /** Any text, the empty one too. */
  optionalText(key: string): string | undefined {
    return this.#optional(key, 'text', isText);
  }

  optionalBoolean(key: string): boolean | undefined {
    return this.#optional(key, 'true or false', isBoolean);
  }

  optionalTexts(key: string): readonly string[] | undefined {
    return this.#optional(key, 'a list of texts', isTexts);
  }

  optionalWord<W extends string>(key: string, words: readonly W[]): W | undefined {
    const value = this.#get(key);
    return value === undefined ? undefined : (words.find((word) => word === value) ?? this.wrong(key, `must be one of ${words.join(', ')}`));
  }

  object(key: string): Fields {
    return this.optionalObject(key) ?? this.missing(key);
  }

  optionalObject(key: string): Fields | undefined {
    const value = this.#optional(key, 'an object', isObject);
    return value && this.#open(key, value);
  }

  /** A list of objects. */
  list(key: string): readonly Fields[] {
    return this.optionalList(key) ?? this.missing(key);
  }

  optionalList(key: string): readonly Fields[] | undefined {
    return this.#optional(key, 'a list of objects', isObjects)?.map((value, at) => this.#open(`${key}[${at}]`, value));
  }

  /** The first object of a list that may be missing or empty. */
  first(key: string): Fields | undefined {
    return this.optionalList(key)?.[0];
  }

  missing(key: string): never {
    return this.wrong(key, 'is missing');
  }

  wrong(key: string, fault: string): never {
    throw invalid(this.#index, `${this.#path}${key} ${fault}`);
  }

  /** A null is how many writers say that an attribute is not there. What an object inherits is no attribute. */
  #get(key: string): unknown {
    return Object.hasOwn(this.#value, key) ? (this.#value[key] ?? undefined) : undefined;
  }

  #optional<T>(key: string, kind: string, is: (value: unknown) => value is T): T | undefined {
    const value = this.#get(key);
    return value === undefined || is(value) ? value : this.wrong(key, `must be ${kind}`);
  }

  #open(key: string, value: Readonly<Record<string, unknown>>): Fields {
    return new Fields(value, this.#index, `${this.#path}${key}.`);
  }
}
