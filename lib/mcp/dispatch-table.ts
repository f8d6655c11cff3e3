import type { Validator } from '../schema/validate.ts';
import type { Compiler } from './compiler.ts';
import type { Effects, Family, FamilyContext, Tool } from './family.types.ts';

/** A registered family with its surroundings. The schemas of a `proven` one are compiled when they are first used. */
export type FamilyEntry = { readonly family: Family; readonly context: FamilyContext; readonly proven?: boolean };

/** A tool ready to be called. */
export type Row = {
  readonly tool: Tool;
  readonly entry: FamilyEntry;
  readonly effects: Effects;
  readonly input: Validator;
  readonly output: Validator | undefined;
};

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;
const familyName = /^[a-z][a-z0-9-]{0,31}$/;
const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Refuses a value that is no Family of this contract, naming what is wrong; plugins are checked by it too. */
export function checkFamily(value: unknown): asserts value is Family {
  const family = value as Partial<Family> | null;
  if (typeof family !== 'object' || family === null) throw new TypeError('a family must be an object');
  const { name, apiVersion } = family;
  if (typeof name !== 'string' || !familyName.test(name)) {
    throw new TypeError(`the name of a family must match ${familyName.source}, got ${JSON.stringify(name)?.slice(0, 80)}`);
  }
  if (apiVersion !== 1) throw new TypeError(`family ${name}: apiVersion must be 1, got ${JSON.stringify(apiVersion)?.slice(0, 80)}`);
  if (typeof family.tools !== 'function') throw new TypeError(`family ${name}: tools must be a function that returns its tools`);
}

/**
 * Makes the row of a tool: compiles its schemas and fills in what it leaves open.
 *
 * Throws a TypeError that names the family and the tool for a bad name, a missing field, or a schema keyword that the
 * validator does not support.
 */
export function makeRow(tool: Tool, entry: FamilyEntry, compiler: Compiler): Row {
  const where = `family ${entry.family.name}: tool ${JSON.stringify(tool?.name)?.slice(0, 80)}`;
  if (typeof tool?.name !== 'string' || !toolName.test(tool.name)) throw new TypeError(`${where}: its name must match ${toolName.source}`);
  for (const field of ['title', 'description'] as const) {
    if (typeof tool[field] !== 'string' || tool[field] === '') throw new TypeError(`${where}: ${field} must be a text that is not empty`);
  }
  if (typeof tool.call !== 'function') throw new TypeError(`${where}: call must be a function`);
  for (const hint of hints) {
    if (typeof tool.annotations?.[hint] !== 'boolean') throw new TypeError(`${where}: annotations.${hint} must be true or false`);
  }
  const effects = tool.effects ?? (tool.annotations.readOnlyHint ? 'none' : 'ordered');
  if (!['none', 'ordered', 'own'].includes(effects)) throw new TypeError(`${where}: effects must be none, ordered or own`);
  const row = new LazyRow(tool, entry, effects, where, compiler);
  if (entry.proven !== true) void [row.input, row.output];
  return row;
}

/** A row that compiles its schemas at first use: that is most of what a large table would cost a start. */
class LazyRow implements Row {
  readonly tool: Tool;
  readonly entry: FamilyEntry;
  readonly effects: Effects;
  readonly #where: string;
  readonly #compiler: Compiler;
  #input: Validator | undefined;
  #output: Validator | undefined;

  constructor(tool: Tool, entry: FamilyEntry, effects: Effects, where: string, compiler: Compiler) {
    this.tool = tool;
    this.entry = entry;
    this.effects = effects;
    this.#where = where;
    this.#compiler = compiler;
  }

  get input(): Validator {
    return (this.#input ??= compile(this.#compiler, this.tool.inputSchema, `${this.#where}: inputSchema`));
  }

  get output(): Validator | undefined {
    const { outputSchema } = this.tool;
    return outputSchema === undefined ? undefined : (this.#output ??= compile(this.#compiler, outputSchema, `${this.#where}: outputSchema`));
  }
}

function compile(compiler: Compiler, schema: unknown, where: string): Validator {
  if (typeof schema !== 'object' || schema === null || (schema as { type?: unknown }).type !== 'object') {
    throw new TypeError(`${where} must be a JSON Schema with type "object" at its root`);
  }
  try {
    return compiler.compile(schema as Parameters<Compiler['compile']>[0]);
  } catch (error) {
    throw new TypeError(`${where}: ${(error as Error).message}`, { cause: error });
  }
}

/** All tools of a server by name, in the order of registration. */
export type DispatchTable = { readonly rows: ReadonlyMap<string, Row> };

/** Builds the table; throws a TypeError naming both families where two tools share a name. */
export function buildTable(families: readonly { entry: FamilyEntry; tools: readonly Tool[] }[], compiler: Compiler): DispatchTable {
  const rows = new Map<string, Row>();
  for (const { entry, tools } of families) {
    if (!Array.isArray(tools)) throw new TypeError(`family ${entry.family.name}: tools() must return an array of tools`);
    for (const tool of tools) {
      const row = makeRow(tool, entry, compiler);
      const other = rows.get(row.tool.name);
      if (other !== undefined) {
        const owners = `family ${other.entry.family.name} and family ${entry.family.name}`;
        throw new TypeError(`tool ${JSON.stringify(tool.name)} is registered twice: by ${owners}`);
      }
      rows.set(row.tool.name, row);
    }
  }
  return { rows };
}
