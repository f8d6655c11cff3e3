import { encodeError, encodeResult } from '../jsonrpc/encode.ts';
import { ErrorCode, isRpcError, type RpcError } from '../jsonrpc/errors.ts';
import type { RequestId } from '../jsonrpc/request-id.ts';
import type { Issue } from '../schema/validate.ts';
import { explainIssues } from '../schema/explain.ts';
import type { Call } from './call.ts';
import type { Row } from './dispatch-table.ts';
import type { Log } from './family.types.ts';
import { encodeDirectRefusal, encodeDirectResult, encodeRefusal, encodeToolResult, outcomeOfError } from './outcome.ts';
import type { Refusal } from './refusal.ts';

/** How the outcome of a call is written: as a tools/call result, or verbatim for a direct invocation. */
export type CallStyle = { readonly direct: boolean; readonly tail: string };

/** The request side of a call: its row, its raw arguments and how to answer. */
export type CallRequest = { readonly row: Row; readonly call: Call; readonly args: unknown; readonly style: CallStyle; readonly log: Log };

/** Validated arguments, or the line that refuses them. */
export type Prepared = { readonly args: unknown } | { readonly refusedLine: string };

/** Lets the family rewrite the arguments, then validates them and applies the schema's defaults. */
export function prepareArguments({ row, call, args, style, log }: CallRequest): Prepared {
  const { family } = row.entry;
  try {
    const prepared = family.prepareArguments === undefined ? args : family.prepareArguments(row.tool, args);
    const { value, issues } = row.input.validate(prepared);
    if (issues.length === 0) return { args: value };
    const mapped = family.invalidArguments?.(issues, { tool: row.tool, arguments: prepared });
    return { refusedLine: mapped === undefined ? invalidArguments(call.id, row, issues) : encodeOutcome(mapped, row, call, style) };
  } catch (error) {
    return { refusedLine: errorLine(error, { row, call, args, style, log }) };
  }
}

function invalidArguments(id: RequestId, row: Row, issues: readonly Issue[]): string {
  const data = { issues: issues.map(({ path, keyword, message, expected }) => ({ path, keyword, message, expected })) };
  return encodeError(id, ErrorCode.invalidParams, `Invalid arguments for ${row.tool.name}: ${explainIssues(issues)}`, data);
}

/** Runs the tool and finishes the call. Returns a promise only where the tool does; it never rejects. */
export function runTool(request: CallRequest, args: unknown): PromiseLike<void> | undefined {
  const { row, call } = request;
  let value: unknown;
  try {
    value = row.tool.call(args as never, call);
  } catch (error) {
    call.finish(errorLine(error, request));
    return undefined;
  }
  if (!isThenable(value)) {
    call.finish(resultLine(value, request));
    return undefined;
  }
  return value.then(
    (settled) => call.finish(call.over ? undefined : resultLine(settled, request)),
    (error: unknown) => call.finish(call.over ? undefined : errorLine(error, request)),
  );
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

function resultLine(value: unknown, { row, call, style, log }: CallRequest): string {
  let result: string | undefined;
  try {
    result = style.direct ? encodeDirectResult(value) : encodeToolResult(value, call.revision, style.tail);
  } catch {
    result = undefined; // a text of over 512 MiB: V8 has no string that long
  }
  if (result === undefined) {
    log('error', 'its result is no JSON value, or nested too deep');
    return encodeError(call.id, ErrorCode.internalError, 'Internal error: the result of the tool can not be serialised');
  }
  const fault = row.output === undefined ? undefined : outputFault(value, row.output);
  if (fault !== undefined) {
    log('error', `its result does not conform to outputSchema: ${fault}`);
    return encodeError(call.id, ErrorCode.internalError, 'Internal error: the result of the tool does not conform to its outputSchema');
  }
  return encodeResult(call.id, result);
}

function outputFault(value: unknown, output: NonNullable<Row['output']>): string | undefined {
  const structured = typeof value === 'object' && value !== null && 'structured' in value && 'blocks' in value ? value.structured : value;
  const { issues } = output.validate(JSON.parse(JSON.stringify(structured ?? null)));
  return issues.length === 0 ? undefined : explainIssues(issues);
}

function errorLine(error: unknown, request: CallRequest): string {
  const { row, call, style, log } = request;
  const { family } = row.entry;
  // A tool that heeds its signal rejects with the abort itself: that is no failure of its own.
  if (call.aborted && (error as { name?: unknown } | undefined)?.name === 'AbortError') return call.stoppedLine;
  const map = family.outcomeOf === undefined ? undefined : (thrown: unknown) => family.outcomeOf?.(thrown, { tool: row.tool, arguments: request.args });
  const outcome = outcomeOfError(error, map);
  if (outcome !== undefined) return encodeOutcome(outcome, row, call, style);
  log('error', 'failed unexpectedly', error instanceof Error ? (error.stack ?? error.message) : String(error));
  return encodeError(call.id, ErrorCode.internalError, 'Internal error');
}

function encodeOutcome(outcome: RpcError | Refusal, row: Row, call: Call, style: CallStyle): string {
  if (isRpcError(outcome)) return encodeError(call.id, outcome.code, outcome.message, outcome.data);
  if (style.direct) return encodeDirectRefusal(call.id, row.tool.name, outcome);
  return encodeResult(call.id, encodeRefusal(outcome, call.revision, style.tail));
}
