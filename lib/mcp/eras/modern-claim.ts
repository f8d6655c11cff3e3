import { ErrorCode, invalidParams, RpcError } from '../../jsonrpc/errors.ts';
import { describe, isObject } from '../../jsonrpc/message.ts';
import type { LogLevel } from '../protocol.types.ts';
import { modernRevision } from './revisions.ts';

/** Prefix of the protocol's own `_meta` keys. */
export const metaPrefix = 'io.modelcontextprotocol/';

const versionKey = `${metaPrefix}protocolVersion`;
const capabilitiesKey = `${metaPrefix}clientCapabilities`;
const logLevelKey = `${metaPrefix}logLevel`;
const otherClientKeys = [`${metaPrefix}clientInfo`, capabilitiesKey, logLevelKey];

/** The levels of RFC 5424, least severe first. */
export const logLevels: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** What a modern request says of itself. Without `logLevel` it wants no log messages. */
export type ModernClaim = { readonly logLevel: LogLevel | undefined };

/** Whether a request belongs to the modern era: its `_meta` owns the protocol version key. */
export function claimsModern(params: unknown): boolean {
  return isObject(params) && isObject(params['_meta']) && Object.hasOwn(params['_meta'], versionKey);
}

/**
 * Reads the modern claim of a request; undefined for a legacy one. Throws RpcError -32602 for a broken claim and
 * -32022 (data `{ supported, requested }`) for a version that is not served.
 */
export function readModernClaim(meta: Record<string, unknown>): ModernClaim | undefined {
  if (!Object.hasOwn(meta, versionKey)) {
    for (const key of otherClientKeys) {
      if (Object.hasOwn(meta, key)) throw invalidParams(`_meta["${key}"] needs _meta["${versionKey}"] beside it`);
    }
    return undefined;
  }
  const version = meta[versionKey];
  if (typeof version !== 'string') throw invalidParams(`_meta["${versionKey}"] must be a string, not ${describe(version)}`);
  if (!isObject(meta[capabilitiesKey])) {
    throw invalidParams(`_meta["${capabilitiesKey}"] must be an object, not ${describe(meta[capabilitiesKey])}`);
  }
  if (version !== modernRevision.version) {
    const data = { supported: [modernRevision.version], requested: version.slice(0, 64) };
    throw new RpcError(ErrorCode.unsupportedProtocolVersion, 'Unsupported protocol version', data);
  }
  const logLevel = meta[logLevelKey];
  if (logLevel !== undefined && !logLevels.includes(logLevel as LogLevel)) {
    throw invalidParams(`_meta["${logLevelKey}"] must be one of ${logLevels.join(', ')}`);
  }
  return { logLevel: logLevel as LogLevel | undefined };
}
