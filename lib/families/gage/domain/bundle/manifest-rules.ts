import { fromBase64 } from '../crypto/base64.ts';
import { checkHandle, checkLabel, foldName } from '../identity/names.ts';
import { parseTime } from '../identity/time.ts';
import { checkItemName, checkReadSubject, checkType } from './checks.ts';
import { limits } from './limits.ts';
import type { ManifestProblem } from './manifest.types.ts';

/** A rule looks at one value and says what is wrong with it. */
type Rule = (value: unknown, at: string) => ManifestProblem | undefined;
type Shape = Readonly<Record<string, { readonly rule: Rule; readonly optional?: true }>>;

/** A rule for texts: `reason` where `check` finds a problem. */
const text = (check: (value: string) => string | undefined, reason: ManifestProblem['reason'] = 'bad_value'): Rule => (value, at) => {
  if (typeof value !== 'string') return { reason: 'wrong_type', at };
  return check(value) === undefined ? undefined : { reason, at };
};
const where = (test: (value: string) => boolean, reason?: ManifestProblem['reason']): Rule =>
  text((value) => (test(value) ? undefined : 'no'), reason);
const pattern = (form: RegExp): Rule => where((value) => form.test(value));

const hex64 = pattern(/^[0-9a-f]{64}$/);
const time = where((value) => parseTime(value) !== undefined);
const key = where((value) => fromBase64(value, 32) !== undefined, 'bad_key');
const label = text(checkLabel, 'bad_name');

const fromShape: Shape = { box: { rule: key }, handle: { rule: text(checkHandle, 'bad_name') }, key: { rule: key } };

const itemShape: Shape = {
  bytes: { rule: checkBytes },
  kind: { rule: pattern(/^(?:file|prompt|decision|memory)$/) },
  name: { rule: text(checkItemName, 'bad_name') },
  sha256: { rule: hex64 },
};

const manifestShape: Shape = {
  agent: { rule: label, optional: true },
  created_at: { rule: time },
  expires_at: { rule: time, optional: true },
  from: { rule: (value, at) => checkShape(value, at, fromShape) },
  items: { rule: checkItems },
  model: { rule: label, optional: true },
  nonce: { rule: pattern(/^[0-9a-f]{32}$/) },
  reply_to: { rule: hex64, optional: true },
  subject: { rule: text(checkReadSubject) },
  to: { rule: key },
  type: { rule: text(checkType) },
  v: { rule: () => undefined },
};

/** The first rule that the members of a manifest break; undefined for none. */
export function manifestProblem(value: object): ManifestProblem | undefined {
  return checkShape(value, '', manifestShape);
}

function checkShape(value: unknown, at: string, shape: Shape): ManifestProblem | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { reason: 'wrong_type', at };
  const place = (name: string): string => (at === '' ? name : `${at}.${name}`);
  // Own keys alone: `__proto__` of JSON is an unknown key like any other. It is not named, as the sender chose it.
  if (Object.keys(value).some((name) => !Object.hasOwn(shape, name))) return { reason: 'unknown_key', at };
  for (const [name, { rule, optional }] of Object.entries(shape)) {
    if (!Object.hasOwn(value, name)) {
      if (optional === true) continue;
      return { reason: 'missing_key', at: place(name) };
    }
    const problem = rule((value as Readonly<Record<string, unknown>>)[name], place(name));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkBytes(value: unknown, at: string): ManifestProblem | undefined {
  // An integer, as there are no other numbers in this JSON.
  if (typeof value !== 'number' || value < 0) return { reason: 'wrong_type', at };
  return value > limits.itemBytes ? { reason: 'limit', at } : undefined;
}

function checkItems(value: unknown, at: string): ManifestProblem | undefined {
  if (!Array.isArray(value)) return { reason: 'wrong_type', at };
  if (value.length > limits.items) return { reason: 'limit', at };
  const names = new Set<string>();
  let total = 0;
  for (const [index, item] of (value as unknown[]).entries()) {
    const place = `${at}[${index}]`;
    const problem = checkShape(item, place, itemShape);
    if (problem !== undefined) return problem;
    const { bytes, name } = item as { readonly bytes: number; readonly name: string };
    const folded = foldName(name);
    if (names.has(folded)) return { reason: 'double_name', at: `${place}.name` };
    names.add(folded);
    total += bytes;
  }
  return total > limits.totalBytes ? { reason: 'limit', at } : undefined;
}
