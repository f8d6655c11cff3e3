/** JSON-RPC 2.0 error codes (specification section 5.1) and the one that MCP 2026-07-28 adds. */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** MCP 2026-07-28: the claimed protocol version is not served; data is `{ supported, requested }`. */
  unsupportedProtocolVersion: -32022,
} as const;

const brand = Symbol.for('toolwire.RpcError');

/**
 * An error that is answered as it stands: its code, message and data become the JSON-RPC error object.
 *
 * Throw it from a tool to answer a call with a protocol error; for "it ran and says no" throw `Refusal` instead.
 */
export class RpcError extends Error {
  static {
    this.prototype.name = 'RpcError';
  }
  readonly code: number;
  readonly data: unknown;
  // A brand instead of instanceof: a program may hold the bundle and the library side by side.
  readonly [brand] = true;

  constructor(code: number, message: string, data?: unknown, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.data = data;
  }
}

/** The error for bad parameters; the message names the field and the fix. */
export function invalidParams(message: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, `Invalid params: ${message}`);
}

/** Whether a thrown value is an RpcError, of whichever copy of this module. */
export function isRpcError(value: unknown): value is RpcError {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
