/** The protocol error of the plugin contract, for families, which see nothing of the layer below. */
export { ErrorCode, RpcError } from '../jsonrpc/errors.ts';
