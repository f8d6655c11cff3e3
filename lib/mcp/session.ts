import { encodeError, encodeNotification, encodeResult } from '../jsonrpc/encode.ts';
import { ErrorCode, invalidParams, isRpcError } from '../jsonrpc/errors.ts';
import { describe, isObject, readMessage, type Message } from '../jsonrpc/message.ts';
import { readId, type RequestId } from '../jsonrpc/request-id.ts';
import type { Reply } from './answer.ts';
import { answerBatch } from './batch.ts';
import { Calls, type Invocation } from './calls.ts';
import { claimsModern, readModernClaim, type ModernClaim } from './eras/modern-claim.ts';
import { negotiate } from './eras/results.ts';
import { modernRevision, newestLegacy, type Revision } from './eras/revisions.ts';
import type { ServerCore } from './server-core.ts';
import { shortName } from './short-name.ts';
import { Subscriptions } from './subscriptions.ts';

/** What a session needs from its transport. */
export type SessionHost = {
  /** Takes a notification line (without newline); a droppable one may be left out while the reader is far behind. */
  notify(line: string, droppable?: boolean): void;
  /** Bytes of answers that the transport holds back, for the busy limit. */
  heldBytes(): number;
};

type Request = Extract<Message, { kind: 'request' }>;

/** A method handler's view of its request. */
type Params = { readonly params: Record<string, unknown>; readonly meta: Record<string, unknown> | undefined; readonly claim: ModernClaim | undefined };

const protocolMethods = new Set(['initialize', 'ping', 'tools/list', 'tools/call', 'server/discover', 'subscriptions/listen']);

/**
 * One client's conversation: its negotiated revision, its calls in flight and its subscriptions.
 *
 * `process` applies the message matrix to a line; the rows are tried in its order and the first match wins.
 */
export class Session {
  readonly #core: ServerCore;
  readonly #host: SessionHost;
  readonly calls: Calls;
  readonly subscriptions: Subscriptions;
  #revision: Revision = newestLegacy;
  #toldListChanged = false;

  constructor(core: ServerCore, host: SessionHost) {
    this.#core = core;
    this.#host = host;
    this.calls = new Calls(core, host);
    this.subscriptions = new Subscriptions(host, core.results);
  }

  /** Answers one line (without its newline). Never throws. */
  process(line: string): Reply {
    if (typeof line !== 'string') return unparseable; // a plain-JS caller of `handle`
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return isBlank(line) ? undefined : unparseable;
    }
    if (Array.isArray(value) && this.#revision.batches && value.length > 0) {
      return answerBatch(value, line, (member, text) => this.#processMember(member, text));
    }
    return this.#process(value, line);
  }

  /** The answer to a line that can't be looked into: its bytes are no UTF-8, or it is too long. */
  refuse(fault: 'not-text' | 'too-long', maxLineBytes: number): string {
    if (fault === 'not-text') return encodeError(null, ErrorCode.parseError, 'Parse error: the line is not valid UTF-8');
    return encodeError(null, ErrorCode.invalidRequest, `Invalid request: the line is longer than ${maxLineBytes} bytes`);
  }

  /** Tells this client that the set of tools has changed, in each way that it has asked for. */
  listChanged(): void {
    if (this.#toldListChanged) this.#host.notify(encodeNotification('notifications/tools/list_changed', undefined));
    this.subscriptions.listChanged();
  }

  #processMember(value: unknown, line: string): Reply {
    if (isObject(value) && typeof value['method'] === 'string' && value['id'] !== undefined) {
      const fault = value['method'] === 'initialize' ? 'initialize' : claimsModern(value['params']) ? 'a request of the modern era' : undefined;
      const id = readId(value['id'], line, ['id']);
      if (fault !== undefined && id !== undefined) return encodeError(id, ErrorCode.invalidRequest, `Invalid request: ${fault} can not be in a batch`);
    }
    return this.#process(value, line);
  }

  #process(value: unknown, line: string): Reply {
    const message = readMessage(value, line);
    switch (message.kind) {
      case 'request':
        return this.#answerRequest(message, line);
      case 'notification':
        return this.#takeNotification(message, line);
      case 'response':
        return undefined;
      case 'invalid':
        return encodeError(message.id, message.code, message.message);
    }
  }

  #takeNotification(message: Extract<Message, { kind: 'notification' }>, line: string): undefined {
    const { method, params, fault } = message;
    if (fault !== undefined) {
      this.#core.log('warning', `dropped a notification: ${fault}`);
    } else if (method === 'notifications/cancelled' && isObject(params)) {
      const id = readId(params['requestId'], line, ['params', 'requestId']);
      if (id !== undefined && !this.subscriptions.cancel(id)) this.calls.cancel(id);
    }
    return undefined;
  }

  #answerRequest(request: Request, line: string): Reply {
    const { id, method } = request;
    if (this.#core.closed) return encodeError(id, ErrorCode.internalError, 'the server is closed');
    if (this.calls.has(id) || this.subscriptions.has(id)) {
      return encodeError(id, ErrorCode.invalidRequest, 'Invalid request: a request with this id is still in flight');
    }
    try {
      if (!protocolMethods.has(method)) {
        return this.#core.table === undefined ? this.#whenReady(id, line, () => this.#invokeDirectly(request, line)) : this.#invokeDirectly(request, line);
      }
      if (method === 'subscriptions/listen' && !(this.#core.results.listChanges && claimsModern(request.params))) return methodNotFound(id, method);
      const checked = checkParams(request.params);
      const { params, claim } = checked;
      switch (method) {
        case 'tools/call':
          if (this.#core.table === undefined) return this.#whenReady(id, line, () => this.#callTool(id, checked, line));
          return this.#callTool(id, checked, line);
        case 'tools/list':
          if (this.#core.table === undefined) return this.#whenReady(id, line, () => this.#listTools(id, params, claim));
          return this.#listTools(id, params, claim);
        case 'ping':
          return claim === undefined ? encodeResult(id, '{}') : methodNotFound(id, method);
        case 'initialize':
          return claim === undefined ? this.#initialize(id, params) : methodNotFound(id, method);
        case 'server/discover':
          if (claim === undefined) throw invalidParams('server/discover needs _meta["io.modelcontextprotocol/protocolVersion"]');
          return encodeResult(id, this.#core.results.discover);
        default:
          return this.#listen(id, params);
      }
    } catch (error) {
      if (isRpcError(error)) return encodeError(id, error.code, error.message, error.data);
      this.#core.log('error', 'a request failed unexpectedly', error instanceof Error ? error.stack : String(error));
      return encodeError(id, ErrorCode.internalError, 'Internal error');
    }
  }

  #initialize(id: RequestId, params: Record<string, unknown>): string {
    this.#revision = negotiate(params['protocolVersion']);
    this.#toldListChanged = this.#core.results.listChanges;
    return encodeResult(id, this.#core.results.initialize(this.#revision));
  }

  #listTools(id: RequestId, params: Record<string, unknown>, claim: ModernClaim | undefined): string {
    const { cursor } = params;
    if (cursor !== undefined && typeof cursor !== 'string') throw invalidParams(`cursor must be a string, not ${describe(cursor)}`);
    const revision = claim === undefined ? this.#revision : modernRevision;
    const members = this.#core.list.page(revision, cursor);
    if (members === undefined) throw invalidParams('cursor is none that this server gave out: ask again without one');
    const tail = claim === undefined ? '' : this.#core.results.listTail + this.#core.results.tailOf(revision);
    return encodeResult(id, `{${members}${tail}}`);
  }

  #callTool(id: RequestId, { params, meta, claim }: Params, line: string): Reply {
    const { name, arguments: args } = params;
    if (typeof name !== 'string') throw invalidParams(`name must be the name of a tool, not ${describe(name)}`);
    if (args !== undefined && !isObject(args)) throw invalidParams(`arguments must be an object, not ${describe(args)}`);
    const revision = claim === undefined ? this.#revision : modernRevision;
    const progressToken = meta === undefined ? undefined : readProgressToken(meta, line);
    const style = { direct: false, tail: this.#core.results.tailOf(revision) };
    return this.calls.invoke({ id, name, args: args ?? {}, revision, progressToken, logLevel: claim?.logLevel, style, bytes: line.length });
  }

  #invokeDirectly(request: Request, line: string): Reply {
    const { id, method } = request;
    const row = this.#core.table?.rows.get(method);
    if (row?.entry.family.directInvocation !== true || claimsModern(request.params)) return methodNotFound(id, method);
    const { params, meta } = checkParams(request.params);
    const { _meta, ...args } = params;
    const progressToken = meta === undefined ? undefined : readProgressToken(meta, line);
    const invocation: Invocation = {
      id, name: method, args, revision: this.#revision, progressToken, logLevel: undefined, style: { direct: true, tail: '' }, bytes: line.length,
    };
    return this.calls.invoke(invocation);
  }

  #listen(id: RequestId, params: Record<string, unknown>): Reply {
    const wanted = params['notifications'];
    if (!isObject(wanted)) throw invalidParams(`notifications must be an object, not ${describe(wanted)}`);
    return this.subscriptions.open(id, wanted);
  }

  /** Answers once the tool tables are loaded; the request counts as in flight until then and can be cancelled. */
  #whenReady(id: RequestId, line: string, proceed: () => Reply): Reply {
    return this.calls.defer({ id, bytes: line.length }, this.#core.ready, () => {
      try {
        return proceed();
      } catch (error) {
        if (isRpcError(error)) return encodeError(id, error.code, error.message, error.data);
        throw error;
      }
    });
  }
}

const unparseable = encodeError(null, ErrorCode.parseError, 'Parse error: the line is not valid JSON');

const isBlank = (line: string): boolean => /^[ \t\r]*$/.test(line);

function methodNotFound(id: RequestId, method: string): string {
  return encodeError(id, ErrorCode.methodNotFound, `Method not found: ${shortName(method)}`);
}

function checkParams(params: unknown): Params {
  if (params === undefined) return noParams;
  if (!isObject(params)) throw invalidParams(`params must be an object, not ${describe(params)}`);
  const meta = params['_meta'];
  if (meta === undefined) return { params, meta, claim: undefined };
  if (!isObject(meta)) throw invalidParams(`_meta must be an object, not ${describe(meta)}`);
  return { params, meta, claim: readModernClaim(meta) };
}

const noParams: Params = { params: {}, meta: undefined, claim: undefined };

function readProgressToken(meta: Record<string, unknown>, line: string): RequestId | undefined {
  const token = meta['progressToken'];
  if (token === undefined) return undefined;
  const read = readId(token, line, ['params', '_meta', 'progressToken']);
  if (read === undefined) throw invalidParams('_meta.progressToken must be a string or a number without point or exponent');
  return read;
}
