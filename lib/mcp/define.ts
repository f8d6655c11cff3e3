import type { FromSchema, JsonSchema } from '../schema/json-schema.types.ts';
import type { Awaitable, CallContext, Family, Tool } from './family.types.ts';
import type { ContentBlock } from './protocol.types.ts';

const contentBrand = Symbol.for('toolwire.content');

/** Result blocks made by `content()`. */
export type Content = { readonly blocks: readonly ContentBlock[]; readonly structured: Readonly<Record<string, unknown>> | undefined };

/**
 * Makes a result of chosen blocks, with `structured` as its structuredContent where the revision has that.
 * Without it a result has no structuredContent: blocks are shown as they are.
 */
export function content(blocks: readonly ContentBlock[], structured?: Readonly<Record<string, unknown>>): Content {
  const made = { blocks, structured };
  // Not enumerable, so that a tool's own object with `blocks` is never taken for one of these.
  Object.defineProperty(made, contentBrand, { value: true });
  return made;
}

/** Whether a tool's value was made by `content()`, of whichever copy of this module. */
export function isContent(value: object): value is Content {
  return (value as { [contentBrand]?: unknown })[contentBrand] === true;
}

/** A tool as it is written: its arguments are typed from the schema literal. */
export type ToolDefinition<S extends JsonSchema> = Omit<Tool, 'inputSchema' | 'call'> & {
  readonly inputSchema: S;
  call(args: FromSchema<S>, context: CallContext): Awaitable<unknown>;
};

/** Declares a tool; the types of its arguments are inferred from `inputSchema`. */
export function defineTool<const S extends JsonSchema>(definition: ToolDefinition<S>): Tool {
  return definition as unknown as Tool;
}

/** Declares a family; a plain object of the same shape does as well. */
export function defineFamily(family: Family): Family {
  return family;
}
