import type { Tool } from '../../mcp/family.types.ts';
import { Refusal } from '../../mcp/refusal.ts';
import { ErrorCode, RpcError } from '../../mcp/rpc-error.ts';
import { isInvalidParams } from '../../domain/invalid-params.ts';
import { isToolFailed } from './domain/tool-failed.ts';

/**
 * The domain's errors as the protocol shows them. ToolFailed: a result with isError, `ToolFailed: <reason>`, and the same
 * as data. InvalidParams: error -32602 with the message as it stands.
 */
export function outcomeOf(error: unknown, { tool }: { readonly tool: Tool }): Refusal | RpcError | undefined {
  if (isInvalidParams(error)) return new RpcError(ErrorCode.invalidParams, error.message, undefined, { cause: error });
  if (!isToolFailed(error)) return undefined;
  const reason = error.message;
  return new Refusal(`ToolFailed: ${reason}`, { reason, data: { error: 'ToolFailed', tool: tool.name, reason }, cause: error });
}
