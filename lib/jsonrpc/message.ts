import { ErrorCode } from './errors.ts';
import { readId, type RequestId } from './request-id.ts';

/**
 * What one JSON value is as a JSON-RPC message.
 *
 * `params` of a request is as it came: the unknown-method answer goes before the bad-params one, so its type is
 * checked by the dispatcher. A notification with `fault` is no valid one and is only worth a log line.
 */
export type Message =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown; readonly fault?: string }
  | { readonly kind: 'response' }
  | { readonly kind: 'invalid'; readonly id: RequestId | null; readonly code: number; readonly message: string };

/**
 * Classifies a parsed value; the rows are tried in the order of the message matrix, first match wins.
 *
 * `line` is the text that it was parsed from, for ids that JSON.parse can't keep.
 */
export function readMessage(value: unknown, line: string): Message {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid(null, `Invalid request: a message is a JSON object, not ${describe(value)}`);
  }
  const message = value as { jsonrpc?: unknown; id?: unknown; method?: unknown; params?: unknown; result?: unknown; error?: unknown };
  const { method } = message;
  if (method === undefined && (message.result !== undefined || message.error !== undefined)) return { kind: 'response' };
  if (message.id === undefined) return readNotification(message);
  const id = readId(message.id, line, idPath);
  if (id === undefined) return invalid(null, 'Invalid request: id must be a string or a number without point or exponent');
  if (message.jsonrpc !== '2.0') return invalid(id, 'Invalid request: jsonrpc must be "2.0"');
  if (typeof method !== 'string') return invalid(id, 'Invalid request: method must be a string');
  return { kind: 'request', id, method, params: message.params };
}

const idPath = ['id'] as const;

function readNotification(message: { jsonrpc?: unknown; method?: unknown; params?: unknown }): Message {
  const { method, params } = message;
  if (message.jsonrpc !== '2.0') return { kind: 'notification', method: '', params, fault: 'jsonrpc is not "2.0"' };
  if (typeof method !== 'string') return { kind: 'notification', method: '', params, fault: 'method is not a string' };
  if (params !== undefined && !isObject(params)) return { kind: 'notification', method, params, fault: 'params is not an object' };
  return { kind: 'notification', method, params };
}

const invalid = (id: RequestId | null, message: string): Message => ({ kind: 'invalid', id, code: ErrorCode.invalidRequest, message });

/** Whether a value is a JSON object: no array, no null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON type of a value, for a sentence. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'undefined' ? 'nothing' : `a ${typeof value}`;
}
