import { encodeError, toJson } from '../jsonrpc/encode.ts';
import { ErrorCode, isRpcError, type RpcError } from '../jsonrpc/errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { RequestId } from '../jsonrpc/request-id.ts';
import { isContent } from './define.ts';
import type { Revision } from './eras/revisions.ts';
import { isRefusal, type Refusal } from './refusal.ts';

/** Is told the JSON of what becomes (or would become) structuredContent; undefined where there is none. */
export type StructuredCheck = { structured(json: string | undefined): void };

/**
 * The result object of tools/call for what a tool returned, as JSON text; undefined where the value has no JSON.
 *
 * A string is the text itself; blocks are only what `content()` made; anything else is one text block of compact JSON,
 * an object also structuredContent. `tail` is what the era adds to every result.
 */
export function encodeToolResult(value: unknown, revision: Revision, tail: string, check?: StructuredCheck): string | undefined {
  if (typeof value === 'string') {
    check?.structured(undefined);
    return `{"content":[{"type":"text","text":${JSON.stringify(value)}}]${tail}}`;
  }
  if (typeof value === 'object' && value !== null && isContent(value)) {
    const blocks = Array.isArray(value.blocks) && value.blocks.every(isBlock) ? toJson(value.blocks) : undefined;
    const structured = value.structured === undefined ? undefined : toJson(value.structured);
    if (blocks === undefined || (value.structured !== undefined && !isObjectJson(structured))) return undefined;
    check?.structured(structured);
    return structured === undefined || !revision.structured
      ? `{"content":${blocks}${tail}}`
      : `{"content":${blocks},"structuredContent":${structured}${tail}}`;
  }
  const json = toJson(value);
  if (json === undefined) return undefined;
  check?.structured(json);
  const structured = revision.structured && isObjectJson(json) ? `,"structuredContent":${json}` : '';
  return `{"content":[{"type":"text","text":${JSON.stringify(json)}}]${structured}${tail}}`;
}

const isObjectJson = (json: string | undefined): json is string => json?.charCodeAt(0) === 0x7b;
const isBlock = (block: unknown): boolean => isObject(block) && typeof block['type'] === 'string';

/** The result object for a refusal: `isError`, the message as text, its data as structuredContent. */
export function encodeRefusal(refusal: Refusal, revision: Revision, tail: string): string {
  const data = revision.structured && refusal.data !== undefined ? toJson(refusal.data) : undefined;
  const structured = isObjectJson(data) ? `,"structuredContent":${data}` : '';
  return `{"content":[{"type":"text","text":${JSON.stringify(textOf(refusal))}}]${structured},"isError":true${tail}}`;
}

// A plain-JS plugin may brand anything: a message that is no text must not break the line.
const textOf = (refusal: Refusal): string => (typeof refusal.message === 'string' ? refusal.message : 'refused');

/** The bare `result` of a direct invocation: the tool's own value; of blocks the first text, parsed where it is JSON. */
export function encodeDirectResult(value: unknown, check?: StructuredCheck): string | undefined {
  if (typeof value !== 'object' || value === null || !isContent(value)) {
    const json = toJson(value);
    check?.structured(json);
    return json;
  }
  check?.structured(value.structured === undefined ? undefined : toJson(value.structured));
  const first = value.blocks.find((block) => block.type === 'text');
  const text = first?.type === 'text' ? first.text : '';
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return JSON.stringify(text);
  }
}

/** The error line for a refusal of a direct invocation, which has no result envelope to put it in. */
export function encodeDirectRefusal(id: RequestId, tool: string, refusal: Refusal): string {
  const kind = typeof refusal.data?.['error'] === 'string' ? refusal.data['error'] : 'Refusal';
  return encodeError(id, ErrorCode.internalError, textOf(refusal), { kind, tool, reason: refusal.reason });
}

/** A thrown value as an outcome of the protocol: itself where it is one, else what the family's mapping makes of it. */
export function outcomeOfError(error: unknown, map: ((error: unknown) => RpcError | Refusal | undefined) | undefined): RpcError | Refusal | undefined {
  if (isRpcError(error) || isRefusal(error)) return error;
  try {
    const mapped = map?.(error);
    return isRpcError(mapped) || isRefusal(mapped) ? mapped : undefined;
  } catch {
    return undefined;
  }
}
