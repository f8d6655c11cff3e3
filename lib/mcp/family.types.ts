import type { RpcError } from '../jsonrpc/errors.ts';
import type { Issue } from '../schema/validate.ts';
import type { JsonSchema } from '../schema/json-schema.types.ts';
import type { Refusal } from './refusal.ts';
import type { Icon, LogLevel, ToolAnnotations } from './protocol.types.ts';

/** A value or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** Writes one log line; `data` is appended as JSON. Secrets are the caller's to leave out. */
export type Log = (level: LogLevel, message: string, data?: unknown) => void;

/** What a family gets from its surroundings, so that specs can inject clock, randomness and environment. */
export type FamilyContext = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the working folder. */
  readonly cwd: string;
  readonly log: Log;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** `size` random bytes. */
  random(size: number): Uint8Array;
  /** Tells the server that `tools()` may answer differently now. It notifies clients only of a differing set of names. */
  listChanged(): void;
};

/** What one call gets beside its arguments. */
export type CallContext = {
  /** Fires when the client cancels the call or the server stops. */
  readonly signal: AbortSignal;
  /** Reports progress; `done` must grow. Dropped when the client asked for none, or when the reader is far behind. */
  progress(done: number, total?: number, message?: string): void;
  /** To stderr in the legacy era; in the modern one to the client, from the level on that the request named. */
  readonly log: Log;
  /** Which generation of the protocol the request belongs to. */
  readonly era: 'legacy' | 'modern';
  /** Runs `fn` in the family's queue, after its earlier ordered calls and before later ones. For `effects: 'own'`. */
  exclusive<T>(fn: () => Awaitable<T>): Promise<T>;
};

/**
 * How a tool's calls are scheduled: `none` at once beside everything; `ordered` first in, first out within the family;
 * `own` at once, taking `context.exclusive` itself for the short time it reads and writes.
 */
export type Effects = 'none' | 'ordered' | 'own';

/** One tool. Arguments are validated against `inputSchema`, with its defaults applied, before `call` runs. */
export type Tool = {
  /** `^[a-zA-Z0-9_-]{1,64}$`, unique over all families of a server. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Only where every success shape conforms to it. */
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
  readonly icons?: readonly Icon[];
  /** Extra members of the tool's `_meta` in tools/list. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Default: `none` for a tool with readOnlyHint, else `ordered`. */
  readonly effects?: Effects;
  /**
   * Returns a string (the text itself), what `content()` made, or any other JSON value. Throws `Refusal` for "it ran
   * and says no", `RpcError` for a protocol error; anything else thrown is answered as an internal error.
   */
  call(args: never, context: CallContext): unknown;
};

/** A verb of a family's command line: gets the words behind it and returns the exit code. */
export type Verb = {
  /** One line for the list of verbs. */
  readonly summary: string;
  /** The whole help text, with an example. */
  readonly help: string;
  run(words: readonly string[], terminal: CliContext): Awaitable<number>;
};

/** What a verb gets from its surroundings. */
export type CliContext = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  now(): number;
  random(size: number): Uint8Array;
  /** `read` gives all of it; with a limit it stops once more than so many bytes have come, and gives those. */
  readonly stdin: { readonly isTTY: boolean; read(limit?: number): Promise<Uint8Array> };
  readonly prompt: CliPrompt;
  /** `failed` is aborted by the first text that could not be written: the exit code tells of it, and what goes on until it is told to end can end. */
  readonly stdout: CliStream & { readonly failed?: AbortSignal };
  readonly stderr: CliStream;
  readonly signal: AbortSignal;
};

/**
 * Asks the person at the terminal; `present` says whether there is one. `flag` is what to write instead of answering,
 * `echo: false` hides the keys. Rejects with a NoAnswerError where there is no answer.
 */
export type CliPrompt = {
  readonly present: boolean;
  askLine(question: string, options: { readonly flag: string; readonly echo?: boolean }): Promise<string>;
  askYesNo(question: string, options: { readonly flag: string }): Promise<boolean>;
};

/** Where a verb writes; `columns` is the width of a terminal, undefined elsewhere. */
export type CliStream = { readonly isTTY: boolean; readonly columns?: number | undefined; write(text: string): void };

/** One thing that `toolwire doctor` looked at: `missing` is a lack that something works without, `broken` one that it does not. */
export type Check = { readonly state: 'ok' | 'missing' | 'broken'; readonly subject: string; readonly detail: string };

/** The verbs of `toolwire <family> …`; a key may have several words, such as `code validate`. */
export type Cli = {
  readonly verbs: Readonly<Record<string, Verb>>;
  /** What `doctor` says of the family's own state: what is set up, what is missing, and what to do about it. It changes nothing. */
  doctor?(terminal: CliContext): Awaitable<readonly Check[]>;
};

/** A set of tools with one owner: the plugin contract, for the built-in families as for a stranger's. */
export type Family = {
  /** `^[a-z][a-z0-9-]{0,31}$`. */
  readonly name: string;
  readonly apiVersion: 1;
  readonly title?: string;
  /** A paragraph for the model: when to use these tools. */
  readonly instructions?: string;
  /** Tool names also answer as JSON-RPC methods, with the tool's own value as result (legacy era only). */
  readonly directInvocation?: boolean;
  /** tools/list may differ later. */
  readonly listCanChange?: boolean;
  /** Whether tools/list depends on credentials (`cacheScope` of the modern era); default `public`. */
  readonly listScope?: 'public' | 'private';
  tools(context: FamilyContext): Awaitable<readonly Tool[]>;
  /** Its verbs, or what loads them: a family with many leaves their texts out of what a server reads at start. */
  readonly cli?: Cli | (() => Awaitable<Cli>);
  /** Maps a domain error to its outcome; undefined leaves it an internal error. */
  outcomeOf?(error: unknown, call: { readonly tool: Tool; readonly arguments: unknown }): RpcError | Refusal | undefined;
  /** Rewrites arguments before they are validated. */
  prepareArguments?(tool: Tool, args: unknown): unknown;
  /** Answers arguments that the schema refuses; default is error -32602 with `data.issues`. */
  invalidArguments?(issues: readonly Issue[], call: { readonly tool: Tool; readonly arguments: unknown }): RpcError | Refusal | undefined;
  /** Answers a name that no family lists: a tool to run, or a refusal; undefined where the name is not its own. */
  unknownTool?(name: string, args: unknown, context: FamilyContext): Awaitable<Tool | Refusal | undefined>;
  close?(): Awaitable<void>;
};
