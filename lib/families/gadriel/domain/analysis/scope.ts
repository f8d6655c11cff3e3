/** Variables: scopes as maps, and an undo log so that a branch costs what it writes, not what is in scope. */
import type { PyExpr } from '../../../../syntax/python.types.ts';
import type { Value } from './model.types.ts';
import { joinValues } from './join.ts';

/**
 * One namespace. Keys are names, or paths such as `self.session` and `form['x']` for what was written to or checked on an
 * attribute or element (`roots` lists them by root name, so that most reads need no second look-up).
 */
export class Scope {
  readonly vars = new Map<string, Value>();
  readonly parent: Scope | undefined;
  readonly kind: 'module' | 'function' | 'class' | 'inner';
  roots: Map<string, Set<string>> | undefined;
  globals: Set<string> | undefined;
  nonlocals: Set<string> | undefined;
  /** `parsed` -> `url` after `parsed = urlparse(url)`: a check of the one speaks of the other. */
  origins: Map<string, string> | undefined;
  /** `ok` -> the condition after `ok = is_safe_url(url)`, with its text, until what it speaks of changes. */
  tests: Map<string, { readonly node: PyExpr; readonly text: string }> | undefined;

  constructor(parent: Scope | undefined, kind: Scope['kind']) {
    this.parent = parent;
    this.kind = kind;
  }
}

/** Values of the keys that a branch changed, at its end; undefined = not bound. */
export type Changes = Map<Scope, Map<string, Value | undefined>>;

/** The log of writes inside branches. Outside a branch nothing is logged. */
export class Branches {
  private readonly scopes: Scope[] = [];
  private readonly keys: string[] = [];
  private readonly olds: (Value | undefined)[] = [];
  private open = 0;

  set(scope: Scope, key: string, value: Value | undefined): void {
    if (this.open > 0) {
      this.scopes.push(scope);
      this.keys.push(key);
      this.olds.push(scope.vars.get(key));
    }
    if (value === undefined) scope.vars.delete(key);
    else scope.vars.set(key, value);
  }

  /** Starts a branch; pair with `leave`. */
  enter(): number {
    this.open += 1;
    return this.keys.length;
  }

  /** Values now of what was changed since `mark`. */
  changes(mark: number): Changes {
    const result: Changes = new Map();
    for (let at = mark; at < this.keys.length; at += 1) {
      const scope = this.scopes[at] as Scope;
      const key = this.keys[at] as string;
      let keys = result.get(scope);
      if (keys === undefined) result.set(scope, keys = new Map());
      if (!keys.has(key)) keys.set(key, scope.vars.get(key));
    }
    return result;
  }

  /** Ends the branch: everything is as it was at `mark`. */
  leave(mark: number): void {
    for (let at = this.keys.length - 1; at >= mark; at -= 1) {
      const old = this.olds[at];
      const scope = this.scopes[at] as Scope;
      if (old === undefined) scope.vars.delete(this.keys[at] as string);
      else scope.vars.set(this.keys[at] as string, old);
    }
    this.forget(mark);
    this.open -= 1;
  }

  /** Ends an inner branch whose writes stay, as writes of the branch around it. */
  keep(): void {
    this.open -= 1;
  }

  /** Drops log entries of a function that has been walked: its scope is gone. */
  forget(mark: number): void {
    if (this.keys.length > mark) this.scopes.length = this.keys.length = this.olds.length = mark;
  }

  get length(): number {
    return this.keys.length;
  }

  /** Sets the state to the join of several ends of branches that all started from the state now. */
  merge(ends: readonly Changes[]): void {
    const first = ends[0];
    if (first === undefined) return;
    if (ends.length === 1) {
      for (const [scope, keys] of first) for (const [key, value] of keys) this.set(scope, key, value);
      return;
    }
    const seen: Changes = new Map();
    for (const end of ends) {
      for (const [scope, keys] of end) {
        let done = seen.get(scope);
        if (done === undefined) seen.set(scope, done = new Map());
        for (const key of keys.keys()) {
          if (done.has(key)) continue;
          done.set(key, undefined);
          const base = scope.vars.get(key);
          let joined: Value | undefined;
          for (const other of ends) {
            const others = other.get(scope);
            joined = joinValues(joined, others?.has(key) === true ? others.get(key) : base);
          }
          done.set(key, joined);
        }
      }
    }
    // Written after all were computed, so that no join reads another's result.
    for (const [scope, keys] of seen) for (const [key, value] of keys) this.set(scope, key, value);
  }
}
