import { Refusal } from '../../mcp/refusal.ts';
import type { Tool } from '../../mcp/family.types.ts';
import { isToolFailed } from './domain/tool-failed.ts';

/** ToolFailed as the protocol shows it: a result with isError, `ToolFailed: <reason>`, and the same as data. */
export function outcomeOf(error: unknown, { tool }: { readonly tool: Tool }): Refusal | undefined {
  if (!isToolFailed(error)) return undefined;
  const reason = error.message;
  return new Refusal(`ToolFailed: ${reason}`, { reason, data: { error: 'ToolFailed', tool: tool.name, reason }, cause: error });
}
