import type { Check, Rule, SchemaNode } from './run.ts';
import { either } from './value-type.ts';

/** The subschemas that look at the same value as the schema they stand in. */
export type CombineSubschemas = {
  readonly ref: SchemaNode | undefined;
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
  readonly if: SchemaNode | undefined;
  readonly then: SchemaNode | undefined;
  readonly else: SchemaNode | undefined;
};

/**
 * The checks of $ref, allOf, anyOf, oneOf, not and if. Defaults of $ref, allOf, then and else are kept, and those of
 * the alternative that a value meets (the first one in anyOf); defaults inside not and if are dropped.
 */
export function combineChecks(sub: CombineSubschemas): Check[] {
  const checks: Check[] = [];
  for (const node of [sub.ref, ...sub.allOf]) if (node !== undefined) checks.push((value, run) => node.check(value, run));
  if (sub.anyOf.length > 0) checks.push(anyOfCheck(sub.anyOf));
  if (sub.oneOf.length > 0) checks.push(oneOfCheck(sub.oneOf));
  if (sub.not !== undefined) checks.push(notCheck(sub.not));
  if (sub.if !== undefined) checks.push(ifCheck(sub.if, sub.then, sub.else));
  return checks;
}

function anyOfCheck(nodes: readonly SchemaNode[]): Check {
  const none = noneFits('anyOf', nodes);
  return (value, run) => {
    for (const node of nodes) if (run.takes(node, value)) return run.taken;
    return none(value, run);
  };
}

function oneOfCheck(nodes: readonly SchemaNode[]): Check {
  const none = noneFits('oneOf', nodes);
  const text = (): string => 'fits more than one of the allowed shapes; it must fit exactly one';
  const several: Rule = { keyword: 'oneOf', text, expected: 'exactly one shape' };
  return (value, run) => {
    let out = value;
    let taken = 0;
    for (const node of nodes) {
      if (!run.takes(node, value)) continue;
      if (taken === 1) {
        run.fail(several, value);
        return value;
      }
      taken += 1;
      out = run.taken;
    }
    return taken === 1 ? out : none(value, run);
  };
}

// When the type, or a constant property, leaves one alternative only, its own complaints say more than "none fits".
function noneFits(keyword: string, nodes: readonly SchemaNode[]): Check {
  const known = [...new Set(nodes.map((node) => node.wants()))];
  const words = known.includes('') ? `one of the ${nodes.length} allowed shapes` : either(known);
  const rule: Rule = { keyword, text: () => `must be ${words}`, expected: words };
  const vague: Rule = { keyword, text: () => `fits none of the ${nodes.length} allowed shapes`, expected: words };
  return (value, run) => {
    const meant = run.quiet ? [] : nodes.filter((node) => node.suits(value));
    if (meant.length === 1) return meant[0]!.check(value, run);
    run.fail(meant.length === 0 ? rule : vague, value);
    return value;
  };
}

function notCheck(node: SchemaNode): Check {
  const wants = node.wants();
  const rule: Rule = { keyword: 'not', text: () => (wants === '' ? 'has a shape that is not allowed here' : `must not be ${wants}`) };
  return (value, run) => {
    if (run.takes(node, value)) run.fail(rule, value);
    return value;
  };
}

function ifCheck(condition: SchemaNode, then: SchemaNode | undefined, otherwise: SchemaNode | undefined): Check {
  return (value, run) => {
    const branch = run.takes(condition, value) ? then : otherwise;
    return branch === undefined || run.stop ? value : branch.check(value, run);
  };
}
