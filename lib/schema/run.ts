import type { Issue } from './issue.types.ts';
import { escapeName } from './json-value.ts';

/** Issues reported at most for one value; the rest would only fill the reader's window. */
export const maximumIssues = 20;

/**
 * Schemas entered one inside the other before a value is refused as too deep. A level of a recursive value enters
 * one to four schemas; 500 of them use under a third of the default stack of Node (measured).
 */
export const maximumDepth = 500;

/**
 * Alternatives (of anyOf, oneOf, not, if, contains) tried for one value. Nested alternatives over a recursive
 * schema grow exponentially with the depth of the input; this ends such a value after about a second.
 */
export const maximumTrials = 2_000_000;

/** Looks at a value, reports what is wrong to the run, and returns the value with defaults filled in. */
export type Check = (value: unknown, run: Run) => unknown;

/** A compiled schema. `check` is set after the node exists, so that schemas can refer to each other. */
export type SchemaNode = {
  check: Check;
  /** Cheap guess whether a value was meant for this schema, by type and constant properties. */
  suits: (value: unknown) => boolean;
  /** What the schema wants in a word or two; '' where that takes more. */
  wants: () => string;
};

/** What one keyword says when it refuses: made once at compile time, so that a refusal in a trial costs nothing. */
export type Rule = { readonly keyword: string; readonly text: (value: unknown) => string; readonly expected?: string };

type Draft = { path: string; rule: Rule; text: string };

/** The state of one validation. Paths are added on the way out, so a valid value builds none. */
export class Run {
  /** Nothing further needs a look: a trial has failed, the issues are full, or a limit is reached. */
  stop = false;
  /** Issues so far; a caller that sees it grow adds its own name to the new ones by `under`. */
  count = 0;
  depth = 0;
  /** Inside a trial: only whether the value is taken counts, and the first refusal ends it. */
  quiet = false;
  /** What the last successful trial returned: the value with its defaults. */
  taken: unknown;
  #drafts: Draft[] | undefined;
  #failed = false;
  #trials = 0;
  #limit: string | undefined;

  /** Reports a refusal; in a trial only the fact counts. */
  fail(rule: Rule, value: unknown): void {
    this.#failed = true;
    if (this.quiet) {
      this.stop = true;
    } else if (this.count < maximumIssues) {
      (this.#drafts ??= []).push({ path: '', rule, text: rule.text(value) });
      this.count += 1;
      if (this.count === maximumIssues) this.stop = true;
    }
  }

  /** Reports a refusal that is about a member of the value. */
  failAt(rule: Rule, value: unknown, name: string): void {
    const before = this.count;
    this.fail(rule, value);
    if (this.count !== before) this.under(before, name);
  }

  /** Puts a member's name before the paths of the issues from number `first` on. */
  under(first: number, name: string): void {
    const step = segment(name);
    for (let index = first; index < this.count; index += 1) {
      const draft = this.#drafts?.[index];
      if (draft) draft.path = step + draft.path;
    }
  }

  /** Ends the validation: the value is refused, whatever the alternatives around this place say. */
  abort(limit: string): void {
    this.#limit ??= limit;
    this.#failed = true;
    this.stop = true;
  }

  /** Whether a schema takes the value, without reporting; the value with its defaults is then in `taken`. */
  takes(node: SchemaNode, value: unknown): boolean {
    this.#trials += 1;
    if (this.#trials > maximumTrials) this.abort('has too many alternatives to try');
    if (this.#limit !== undefined) return false;
    const quiet = this.quiet;
    const failed = this.#failed;
    const stop = this.stop;
    this.quiet = true;
    this.#failed = false;
    this.stop = false;
    const result = node.check(value, this);
    const isTaken = !this.#failed;
    this.quiet = quiet;
    this.#failed = failed;
    this.stop = stop || this.#limit !== undefined;
    if (isTaken) this.taken = result;
    return isTaken;
  }

  /** The issues, or undefined when the value is valid. */
  issues(): Issue[] | undefined {
    if (this.#limit !== undefined) return [{ path: '', keyword: 'limit', message: `the value ${this.#limit}` }];
    return this.#drafts?.map(({ path, rule, text }) => ({
      path,
      keyword: rule.keyword,
      message: `${readable(path)} ${text}`,
      ...(rule.expected === undefined ? {} : { expected: rule.expected }),
    }));
  }
}

function segment(name: string): string {
  return `/${escapeName(name.length > 64 ? `${name.slice(0, 64)}…` : name)}`;
}

// Names come from the input and may end up on a terminal: no control or direction-changing characters.
function readable(path: string): string {
  if (path === '') return 'the value';
  const shown = path.length > 200 ? `…${path.slice(-200)}` : path;
  return shown.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');
}
