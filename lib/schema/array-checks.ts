import { equalityKey } from './json-value.ts';
import type { JsonObject } from './json-value.ts';
import { maximumDepth } from './run.ts';
import type { Check, Rule, Run, SchemaNode } from './run.ts';

type ArrayCheck = (value: readonly unknown[], run: Run) => readonly unknown[];

/** The keywords about arrays; their order is that of the issues. */
export function arrayChecks(schema: JsonObject, sub: ArraySubschemas): Check[] {
  const checks: ArrayCheck[] = [];
  const { minItems, maxItems } = schema as { minItems?: number; maxItems?: number };
  if (minItems !== undefined || maxItems !== undefined) checks.push(lengthCheck(minItems ?? 0, maxItems ?? Infinity));
  if (sub.items !== undefined || sub.prefixItems.length > 0) checks.push(itemsCheck(sub.prefixItems, sub.items));
  if (sub.contains !== undefined) checks.push(containsCheck(sub.contains, schema));
  if (schema['uniqueItems'] === true) checks.push(uniqueCheck);
  if (checks.length === 0) return [];
  return [(value, run) => {
    if (!Array.isArray(value)) return value;
    let out: readonly unknown[] = value;
    for (const check of checks) {
      out = check(out, run);
      if (run.stop) break;
    }
    return out;
  }];
}

/** The subschemas those keywords need. */
export type ArraySubschemas = {
  readonly items: SchemaNode | undefined;
  readonly prefixItems: readonly SchemaNode[];
  readonly contains: SchemaNode | undefined;
};

function items(count: number): string {
  return count === 1 ? '1 item' : `${count} items`;
}

function lengthCheck(least: number, most: number): ArrayCheck {
  const tooFew: Rule = sizeRule('minItems', `at least ${items(least)}`);
  const tooMany: Rule = sizeRule('maxItems', `at most ${items(most)}`);
  return (value, run) => {
    if (value.length < least) run.fail(tooFew, value);
    else if (value.length > most) run.fail(tooMany, value);
    return value;
  };
}

function sizeRule(keyword: string, expected: string): Rule {
  return { keyword, text: (value) => `must have ${expected}, got ${(value as readonly unknown[]).length}`, expected };
}

function itemsCheck(prefix: readonly SchemaNode[], rest: SchemaNode | undefined): ArrayCheck {
  return (value, run) => {
    const end = rest === undefined ? Math.min(prefix.length, value.length) : value.length;
    let copy: unknown[] | undefined;
    for (let index = 0; index < end && !run.stop; index += 1) {
      const node = index < prefix.length ? prefix[index]! : rest!;
      const before = run.count;
      const item = node.check(value[index], run);
      if (run.count !== before) run.under(before, String(index));
      if (item !== value[index]) (copy ??= [...value])[index] = item;
    }
    return copy ?? value;
  };
}

// Stops at the first item that decides: without maxContains a long list is seldom looked at to its end.
function containsCheck(node: SchemaNode, schema: JsonObject): ArrayCheck {
  const least = (schema['minContains'] as number | undefined) ?? 1;
  const most = (schema['maxContains'] as number | undefined) ?? Infinity;
  const wants = node.wants();
  const what = wants === '' ? 'of the contained kind' : `that is ${wants}`;
  const rule = (keyword: string, expected: string): Rule => ({ keyword, text: () => `must have ${expected}`, expected });
  const tooFew = rule(schema['minContains'] === undefined ? 'contains' : 'minContains', `at least ${items(least)} ${what}`);
  const tooMany = rule('maxContains', `at most ${items(most)} ${what}`);
  return (value, run) => {
    let found = 0;
    for (const item of value) {
      if (found > most || (most === Infinity && found >= least)) break;
      if (run.takes(node, item)) found += 1;
    }
    if (found < least) run.fail(tooFew, value);
    else if (found > most) run.fail(tooMany, value);
    return value;
  };
}

const repeated: Rule = { keyword: 'uniqueItems', text: () => 'repeats an earlier item of the list', expected: 'different items' };

function uniqueCheck(value: readonly unknown[], run: Run): readonly unknown[] {
  // Simple values stand for themselves; a compound's key begins with a bracket and lives in a set of its own.
  const simple = new Set<unknown>();
  const compound = new Set<string>();
  for (let index = 0; index < value.length && !run.stop; index += 1) {
    const item = value[index];
    const isSimple = typeof item !== 'object' || item === null;
    const set = isSimple ? simple : compound;
    const key = isSimple ? item : equalityKey(item, maximumDepth);
    if (!isSimple && key === undefined) run.abort('is nested too deeply');
    else if (set.has(key as string)) run.failAt(repeated, value, String(index));
    else set.add(key as string);
  }
  return value;
}
