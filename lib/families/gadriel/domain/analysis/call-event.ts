/** Call events; made only when some matcher waits for the name or a keyword. */
import type { PyArgument, PyCall } from '../../../../syntax/python.types.ts';
import type { CallEvent, Matcher, Value } from './model.types.ts';
import { nodeOf } from './names.ts';
import { pathOf } from './paths.ts';
import { deliver, SceneAt } from './scene.ts';
import type { Walk } from './walk.ts';

/** A callee and its arguments as evaluated. */
export type CallParts = {
  readonly callee: Value;
  readonly receiver: Value | undefined;
  readonly last: string;
  readonly args: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
  readonly openArgs: boolean;
  readonly openKeywords: boolean;
  /** How many of the arguments were bound before the call. */
  readonly bound?: number;
};

class CallAt extends SceneAt implements CallEvent {
  readonly kind = 'call';
  readonly node: PyCall;
  readonly name: string | undefined;
  readonly last: string;
  readonly receiver: Value | undefined;
  readonly receiverUnknown: boolean;
  readonly args: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
  readonly openArgs: boolean;
  readonly openKeywords: boolean;
  readonly use: CallEvent['use'];
  private readonly bound: number;

  constructor(walk: Walk, node: PyCall, parts: CallParts, use: CallEvent['use']) {
    super(walk, node);
    this.node = node;
    this.name = calleeName(parts.callee);
    this.last = parts.last;
    this.receiver = parts.receiver;
    this.receiverUnknown = parts.receiver !== undefined && unknownReceiver(parts.callee, parts.receiver);
    this.args = parts.args;
    this.keywords = parts.keywords;
    this.openArgs = parts.openArgs;
    this.openKeywords = parts.openKeywords;
    this.use = use;
    this.bound = parts.bound ?? 0;
  }

  get written(): string {
    return pathOf(this.node.func)?.path ?? '';
  }

  arg(index: number, keyword?: string): Value | undefined {
    const positional = index < 0 ? undefined : this.args[index];
    return positional ?? (keyword === undefined ? undefined : this.keywords.get(keyword));
  }

  argNode(index: number, keyword?: string): PyArgument | undefined {
    let at = this.bound;
    for (const argument of this.node.args) {
      if (argument.kind === 'keyword' ? argument.name === keyword : argument.kind === 'positional' && at === index) return argument;
      if (argument.kind === 'positional' || argument.kind === 'star') at += 1;
    }
    return undefined;
  }
}

/** A local function is `.name`, a method of a local class `.Class.name`; else the library's path. */
const calleeName = (callee: Value): string | undefined => {
  if (callee.name !== undefined) return callee.name.path;
  const shape = callee.shape;
  if (shape?.type === 'Function' || shape?.type === 'Class') return `.${'qualifiedName' in shape.info ? shape.info.qualifiedName : shape.info.name}`;
  return undefined;
};

const unknownReceiver = (callee: Value, receiver: Value): boolean => {
  const shape = receiver.shape;
  if (shape?.type === 'Instance' || shape?.type === 'Class') return callee.shape === undefined && callee.name === undefined;
  if (shape !== undefined && shape.type !== 'Built') return false;
  const name = nodeOf(receiver.name);
  return name === undefined || !name.known;
};

/** Tells matchers of a call. */
export const callEvent = (walk: Walk, node: PyCall, parts: CallParts, use: CallEvent['use']): void => {
  const { index } = walk;
  let matchers = index.calls.get(parts.last);
  if (index.byKeyword.size > 0) {
    for (const name of parts.keywords.keys()) matchers = withMore(matchers, name === '**' ? undefined : index.byKeyword.get(name));
    const spread = index.byKeyword.get('**');
    if (spread !== undefined && node.args.some((argument) => argument.kind === 'doublestar')) matchers = withMore(matchers, spread);
  }
  if (matchers === undefined && index.everyCall.length === 0) return;
  walk.touched = true;
  const event = new CallAt(walk, node, parts, use);
  deliver(walk, matchers, (matcher) => matcher.onCall?.(event));
  deliver(walk, index.everyCall, (matcher) => matcher.onCall?.(event));
};

/** Both lists without repeats. */
export const withMore = (first: readonly Matcher[] | undefined, more: readonly Matcher[] | undefined): readonly Matcher[] | undefined => {
  if (first === undefined || more === undefined) return first ?? more;
  return [...first, ...more.filter((matcher) => !first.includes(matcher))];
};
