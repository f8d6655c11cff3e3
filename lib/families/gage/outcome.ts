import { Refusal } from '../../mcp/refusal.ts';
import { ErrorCode, RpcError } from '../../mcp/rpc-error.ts';
import { isInvalidParams } from '../../domain/invalid-params.ts';
import { isUnknownId } from './domain/inbox/unknown-id.ts';
import { isRefused } from './domain/refused.ts';

/** The domain's errors as the protocol shows them. Refused: a result with isError and the reason as text. InvalidParams: error -32602. */
export function outcomeOf(error: unknown): Refusal | RpcError | undefined {
  if (isInvalidParams(error)) return new RpcError(ErrorCode.invalidParams, error.message, undefined, { cause: error });
  if (!isRefused(error)) return undefined;
  const reason = isUnknownId(error) ? error.forTool : error.message;
  return new Refusal(reason, { reason, cause: error });
}
