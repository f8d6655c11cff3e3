/** The public surface of toolwire as a library. */
export { createServer } from './mcp/create-server.ts';
export type { ClientSession, Server, ServerOptions, SessionTransport } from './mcp/server.ts';
export { serveStdio, type ByteInput, type ServeEnd, type ServeOptions, type TextOutput } from './mcp/serve.ts';
export { content, defineFamily, defineTool, type Content, type ToolDefinition } from './mcp/define.ts';
export { Refusal } from './mcp/refusal.ts';
export { ErrorCode, RpcError } from './jsonrpc/errors.ts';
export { version } from './version.ts';
export type {
  Awaitable, CallContext, Cli, CliContext, CliStream, Effects, Family, FamilyContext, Log, Tool, Verb,
} from './mcp/family.types.ts';
export type { ContentAnnotations, ContentBlock, Icon, LogLevel, ToolAnnotations } from './mcp/protocol.types.ts';
export type { FromSchema, JsonSchema } from './schema/json-schema.types.ts';
export type { Issue } from './schema/issue.types.ts';
