import { parse } from 'smol-toml';
import { escapeUnsafe, safeText } from '../../../../text/safe-text.ts';
import { ToolFailed } from '../tool-failed.ts';
import { isObject } from './is-object.ts';
import { nearKey } from './near-key.ts';
import type { NewWaiver, Waiver } from './waivers.types.ts';

/** Name of the file, at the root of a repository. */
export const waiversName = '.gadriel-waivers.toml';

/** Reads the waivers out of the text of their file. Throws ToolFailed with the line of a fault, or number and key of a waiver. */
export function parseWaivers(text: string): Waiver[] {
  const { waiver: entries = [] } = parseToml(text);
  if (!Array.isArray(entries) || !entries.every(isObject)) throw new ToolFailed(`${waiversName}: write each waiver as a table [[waiver]]`);
  const rolled = rolledDays(text);
  return entries.map((entry, index) => readWaiver(entry, index + 1, rolled));
}

function parseToml(text: string): Record<string, unknown> {
  try {
    // Without what could reach the prototype of an object.
    return parse(text, { unsafeKeyBehaviour: 'drop', maxDepth: 100 });
  } catch (error) {
    const line = (error as { line?: number }).line;
    // The parser's own message quotes the text.
    throw new ToolFailed(`${waiversName} is not valid TOML${line === undefined ? '' : `: see line ${line}`}`, { cause: error });
  }
}

/** All keys of a waiver, in the order in which they are written. */
const keys = ['rule_id', 'path', 'line', 'finding_id', 'fingerprint', 'reason', 'kind', 'created_by', 'created_at', 'expires_at'] as const;
const kinds = ['false_positive', 'accepted_risk', 'mechanized'] as const;
const origins = ['human', 'cli', 'campaign'] as const;

/** `rolled`: days that are others in the file; see `rolledDays`. */
function readWaiver(entry: Readonly<Record<string, unknown>>, number: number, rolled: ReadonlySet<string>): Waiver {
  const wrong = (key: string, fault: string): never => {
    throw new ToolFailed(`${waiversName}: waiver ${number}: ${key} ${fault}`);
  };
  const text = (key: string): string | undefined => {
    const value = entry[key];
    return value === undefined || (typeof value === 'string' && value !== '') ? value : wrong(key, 'must be a text that is not empty');
  };
  const word = <W extends string>(key: string, words: readonly W[]): W | undefined => {
    const value = entry[key];
    return value === undefined ? undefined : (words.find((one) => one === value) ?? wrong(key, `must be one of ${words.join(', ')}`));
  };
  const time = (key: string): string | undefined => {
    const value = entry[key];
    const isReal = !(value instanceof Date) || !rolled.has(value.toISOString().slice(0, 10));
    return value === undefined ? undefined : ((isReal ? timeOf(value) : undefined) ?? wrong(key, 'must be a date or a time, such as 2030-12-31'));
  };
  for (const key of Object.keys(entry)) {
    // What nobody knows may be a ticket's number. What stands for a key that is missing would be missed: a waiver without its end never ends.
    const meant = keys.includes(key as (typeof keys)[number]) ? undefined : nearKey(key, keys);
    if (meant !== undefined && entry[meant] === undefined) wrong(JSON.stringify(safeText(key, 40)), `is no key: did you mean ${meant}?`);
  }
  const { line } = entry;
  if (line !== undefined && !(Number.isSafeInteger(line) && (line as number) >= 1)) wrong('line', 'must be a whole number from 1 on');
  const path = text('path');
  // It would waive the rule everywhere, which nobody means who names a line.
  if (line !== undefined && path === undefined) wrong('line', 'needs a path beside it');
  const [expires_at, fingerprint, finding_id] = [time('expires_at'), text('fingerprint'), text('finding_id')];
  return {
    rule_id: text('rule_id') ?? wrong('rule_id', 'is missing'),
    ...(path !== undefined && { path: path.replaceAll('\\', '/').replace(/^\.\//, '') }),
    ...(line !== undefined && { line: line as number }),
    reason: typeof entry['reason'] === 'string' ? entry['reason'] : (text('reason') ?? ''),
    kind: word('kind', kinds) ?? 'false_positive',
    created_by: word('created_by', origins) ?? 'human',
    created_at: time('created_at') ?? '',
    ...(expires_at !== undefined && { expires_at }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(finding_id !== undefined && { finding_id }),
  };
}

const dayMs = 86_400_000;

/** The moment that a TOML date or a text stands for; a date alone is the end of that day. Times of no zone are UTC. */
function timeOf(value: unknown): string | undefined {
  // A date of smol-toml says itself as it was written: as a day, or as a moment with or without a zone.
  const text = value instanceof Date ? value.toISOString() : value;
  if (typeof text !== 'string') return undefined;
  const [, day, time = '', zone = 'Z'] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/i.exec(text) ?? [];
  if (day === undefined || clockDay(day) !== day) return undefined;
  const moment = Date.parse(time === '' ? `${day}T00:00:00Z` : `${day}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(moment) ? undefined : new Date(time === '' ? moment + dayMs : moment).toISOString();
}

/** The clock of JavaScript takes the 30th of February for the 2nd of March; '' for what it takes for no day at all. */
function clockDay(day: string): string {
  const moment = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(moment) ? '' : new Date(moment).toISOString().slice(0, 10);
}

/** What the clock makes of dates that are no real days. A date of smol-toml has forgotten how it was written. */
function rolledDays(text: string): ReadonlySet<string> {
  const written = [...text.matchAll(/_at["']?[ \t]*=[ \t]*(\d{4}-\d\d-\d\d)/g)].map(([, day]) => day as string);
  return new Set(written.filter((day) => clockDay(day) !== day).map(clockDay));
}

/** The file as it is: its bytes, their text without byte order mark, and how many waivers it has. */
export type WaiverText = { readonly before: Buffer; readonly text: string; readonly count: number };

/**
 * The bytes of the file with one more waiver at its end; what is there stays byte for byte, and the new lines end as the
 * first of the old ones does. Throws ToolFailed where the file is so written that none can be appended.
 */
export function withWaiver({ before, text, count }: WaiverText, waiver: NewWaiver): Buffer {
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? '\n';
  const glue = text === '' ? '' : text.endsWith('\n') ? lineEnd : lineEnd + lineEnd;
  const lines = ['[[waiver]]', ...membersOf(waiver).map(([key, value]) => `${key} = ${value}`), ''];
  const added = glue + lines.join(lineEnd);
  // An inline `waiver = []` can't be appended to; what was not understood must not be written.
  if (tryParse(text + added)?.length !== count + 1) throw new ToolFailed(`${waiversName}: nothing can be appended: write each waiver as a table [[waiver]]`);
  return Buffer.concat([before, Buffer.from(added)]);
}

function tryParse(text: string): Waiver[] | undefined {
  try {
    return parseWaivers(text);
  } catch {
    return undefined;
  }
}

function membersOf(waiver: NewWaiver): [string, string][] {
  return keys.flatMap((key): [string, string][] => {
    const value = waiver[key];
    if (value === undefined) return [];
    if (typeof value === 'number') return [[key, String(value)]];
    return [[key, key.endsWith('_at') ? value : quote(value)]];
  });
}

/** A TOML basic string in which nothing can hide: what is unsafe to show is escaped, half a surrogate pair is U+FFFD. */
function quote(text: string): string {
  const escaped = escapeUnsafe(text.replace(/["\\]/g, '\\$&'), (point) => {
    if (point === 0x0a) return '\\n';
    if (point >= 0xd800 && point <= 0xdfff) return '\ufffd';
    return `\\U${point.toString(16).padStart(8, '0')}`;
  });
  return `"${escaped}"`;
}
