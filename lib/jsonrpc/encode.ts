import { ErrorCode } from './errors.ts';
import { encodeId, type RequestId } from './request-id.ts';

/** A response line (without newline) around a result that is JSON text already. */
export function encodeResult(id: RequestId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${resultJson}}`;
}

/**
 * An error response line. `id` is null where the request's id could not be read. `data` is left out when it is
 * undefined or can't be serialised. A code that is no integer becomes -32603, and a message that is no text is left to
 * it: what a plugin throws must never make a line that is no JSON.
 */
export function encodeError(id: RequestId | null, code: number, message: string, data?: unknown): string {
  const dataJson = data === undefined ? undefined : toJson(data);
  const tail = dataJson === undefined ? '' : `,"data":${dataJson}`;
  const idJson = id === null ? 'null' : encodeId(id);
  const codeJson = Number.isSafeInteger(code) ? code : ErrorCode.internalError;
  const messageJson = JSON.stringify(typeof message === 'string' ? message : 'Internal error');
  return `{"jsonrpc":"2.0","id":${idJson},"error":{"code":${codeJson},"message":${messageJson}${tail}}}`;
}

/** A notification line around parameters that are JSON text already. */
export function encodeNotification(method: string, paramsJson: string | undefined): string {
  const tail = paramsJson === undefined ? '' : `,"params":${paramsJson}`;
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${tail}}`;
}

/**
 * JSON text of a value, or undefined where there is none: undefined itself, functions, BigInt, circular values, and
 * values nested so deep (about 4,100 levels) that JSON.stringify throws RangeError though JSON.parse can make them.
 */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
