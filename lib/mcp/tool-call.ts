import { encodeError, encodeResult } from '../jsonrpc/encode.ts';
import { ErrorCode, isRpcError, type RpcError } from '../jsonrpc/errors.ts';
import type { RequestId } from '../jsonrpc/request-id.ts';
import { explainIssues } from '../schema/explain.ts';
import type { Issue, Validator } from '../schema/validate.ts';
import type { Call } from './call.ts';
import type { Row } from './dispatch-table.ts';
import type { Log } from './family.types.ts';
import { encodeDirectRefusal, encodeDirectResult, encodeRefusal, encodeToolResult, outcomeOfError, type StructuredCheck } from './outcome.ts';
import type { Refusal } from './refusal.ts';

/** How the outcome of a call is written: as a tools/call result, or verbatim for a direct invocation. */
export type CallStyle = { readonly direct: boolean; readonly tail: string };

/** The request side of a call: its row, its arguments and how to answer. `args` are raw until `prepareArguments` has validated them. */
export type CallRequest = { readonly row: Row; readonly call: Call; args: unknown; readonly style: CallStyle; readonly log: Log };

/**
 * Lets the family rewrite the arguments, then validates them and applies the schema's defaults, in place in the request.
 * Returns the line that refuses them, or undefined.
 */
export function prepareArguments(request: CallRequest): string | undefined {
  const { row } = request;
  const { family } = row.entry;
  try {
    if (family.prepareArguments !== undefined) request.args = family.prepareArguments(row.tool, request.args);
    const { value, issues } = row.input.validate(request.args);
    if (issues.length > 0) return refuseArguments(request, issues);
    request.args = value;
    return undefined;
  } catch (error) {
    return errorLine(error, request);
  }
}

function refuseArguments({ row, call, args, style }: CallRequest, issues: readonly Issue[]): string {
  const mapped = row.entry.family.invalidArguments?.(issues, { tool: row.tool, arguments: args });
  return mapped === undefined ? invalidArguments(call.id, row, issues) : encodeOutcome(mapped, row, call, style);
}

function invalidArguments(id: RequestId, row: Row, issues: readonly Issue[]): string {
  const data = { issues: issues.map(({ path, keyword, message, expected }) => ({ path, keyword, message, expected })) };
  return encodeError(id, ErrorCode.invalidParams, `Invalid arguments for ${row.tool.name}: ${explainIssues(issues)}`, data);
}

/** Runs the tool and finishes the call. Returns a promise only where the tool does; it never rejects. */
export function runTool(request: CallRequest): Promise<void> | undefined {
  const { row, call, args } = request;
  try {
    const value: unknown = row.tool.call(args as never, call);
    if (isThenable(value)) return finishLater(value, request);
    call.finish(resultLine(value, request));
  } catch (error) {
    call.finish(errorLine(error, request));
  }
  return undefined;
}

// Apart from `runTool`, so that a synchronous call pays for no closure.
function finishLater(value: PromiseLike<unknown>, request: CallRequest): Promise<void> {
  const { call } = request;
  // A thenable of another make is adopted: its `then` need not return anything.
  const pending = value instanceof Promise ? value : Promise.resolve(value);
  const settle = (line: () => string): void => call.finish(call.over ? undefined : line());
  // Not `pending.then`: a promise may have a `then` of its own.
  return Promise.prototype.then.call(
    pending,
    (settled) => settle(() => resultLine(settled, request)),
    (error: unknown) => settle(() => errorLine(error, request)),
  ) as Promise<void>;
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** The reply for what a tool returned. Never throws, whatever the value does when it is looked at. */
function resultLine(value: unknown, { row, call, style, log }: CallRequest): string {
  const check = row.output === undefined ? undefined : new OutputCheck(row.output);
  let result: string | undefined;
  try {
    result = style.direct ? encodeDirectResult(value, check) : encodeToolResult(value, call.revision, style.tail, check);
  } catch {
    result = undefined; // a hostile proxy, or a text of over 512 MiB: V8 has no string that long
  }
  const fault = check?.fault;
  if (result === undefined) {
    log('error', 'its result is no JSON value, or nested too deep');
    return encodeError(call.id, ErrorCode.internalError, 'Internal error: the result of the tool can not be serialised');
  }
  if (fault !== undefined) {
    log('error', `its result does not conform to outputSchema: ${fault}`);
    return encodeError(call.id, ErrorCode.internalError, 'Internal error: the result of the tool does not conform to its outputSchema');
  }
  return encodeResult(call.id, result);
}

/** Holds a result against the tool's outputSchema while it is encoded. */
class OutputCheck implements StructuredCheck {
  readonly #output: Validator;
  fault: string | undefined;

  constructor(output: Validator) {
    this.#output = output;
  }

  structured(json: string | undefined): void {
    const { issues } = this.#output.validate(json === undefined ? undefined : JSON.parse(json));
    if (issues.length > 0) this.fault = explainIssues(issues);
  }
}

/** The reply for what a tool threw. Never throws, whatever the value does when it is looked at. */
function errorLine(error: unknown, request: CallRequest): string {
  const { row, call, style, log } = request;
  try {
    // A tool that heeds its signal rejects with the abort itself: that is no failure of its own.
    if (call.aborted && (error as { name?: unknown } | undefined)?.name === 'AbortError') return call.stoppedLine;
    const { family } = row.entry;
    const map = family.outcomeOf === undefined ? undefined : (thrown: unknown) => family.outcomeOf?.(thrown, { tool: row.tool, arguments: request.args });
    const outcome = outcomeOfError(error, map);
    if (outcome !== undefined) return encodeOutcome(outcome, row, call, style);
    log('error', 'failed unexpectedly', error instanceof Error ? (error.stack ?? error.message) : String(error));
  } catch {
    log('error', 'failed unexpectedly with something that can not be shown');
  }
  return encodeError(call.id, ErrorCode.internalError, 'Internal error');
}

function encodeOutcome(outcome: RpcError | Refusal, row: Row, call: Call, style: CallStyle): string {
  if (isRpcError(outcome)) return encodeError(call.id, outcome.code, outcome.message, outcome.data);
  if (style.direct) return encodeDirectRefusal(call.id, row.tool.name, outcome);
  return encodeResult(call.id, encodeRefusal(outcome, call.revision, style.tail));
}
