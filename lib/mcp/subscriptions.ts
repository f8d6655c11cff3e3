import { encodeNotification, encodeResult } from '../jsonrpc/encode.ts';
import { encodeId, idKey, type RequestId } from '../jsonrpc/request-id.ts';
import { Answer } from './answer.ts';
import { metaPrefix } from './eras/modern-claim.ts';
import type { Results } from './eras/results.ts';
import { modernRevision } from './eras/revisions.ts';

type Subscription = { readonly id: RequestId; readonly answer: Answer; readonly toolsListChanged: boolean };

/** The open `subscriptions/listen` requests of a session (modern era). */
export class Subscriptions {
  readonly #host: { notify(line: string): void };
  readonly #results: Results;
  readonly #open = new Map<string | number, Subscription>();

  constructor(host: { notify(line: string): void }, results: Results) {
    this.#host = host;
    this.#results = results;
  }

  /** Whether a subscription with this id is open. */
  has(id: RequestId): boolean {
    return this.#open.size > 0 && this.#open.has(idKey(id));
  }

  /** Opens a subscription: acknowledges the part of the wanted notifications that this server can send. */
  open(id: RequestId, wanted: Record<string, unknown>): Answer {
    const toolsListChanged = wanted['toolsListChanged'] === true;
    const answer = new Answer(true);
    this.#open.set(idKey(id), { id, answer, toolsListChanged });
    const honoured = toolsListChanged ? '{"toolsListChanged":true}' : '{}';
    this.#host.notify(encodeNotification('notifications/subscriptions/acknowledged', `{"notifications":${honoured},${metaOf(id)}}`));
    return answer;
  }

  /** Ends a subscription without a word; false where none has this id. */
  cancel(id: RequestId): boolean {
    const key = idKey(id);
    const subscription = this.#open.get(key);
    if (subscription === undefined) return false;
    this.#open.delete(key);
    subscription.answer.settle(undefined);
    return true;
  }

  /** Tells each subscriber that asked for it that the list of tools has changed. */
  listChanged(): void {
    for (const { id, toolsListChanged } of this.#open.values()) {
      if (toolsListChanged) this.#host.notify(encodeNotification('notifications/tools/list_changed', `{${metaOf(id)}}`));
    }
  }

  /** Answers all open subscriptions: the server is going down in good order. */
  close(): void {
    const open = [...this.#open.values()];
    this.#open.clear();
    const tail = this.#results.tailOf(modernRevision);
    for (const { id, answer } of open) {
      // The subscription's key joins the server's own in `_meta`.
      answer.settle(encodeResult(id, `{${tail.slice(1, -1)},"${metaPrefix}subscriptionId":${encodeId(id)}}}`));
    }
  }
}

const metaOf = (id: RequestId): string => `"_meta":{"${metaPrefix}subscriptionId":${encodeId(id)}}`;
