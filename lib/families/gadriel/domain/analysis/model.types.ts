/**
 * What the analysis engine tells rules: values, events, and the shape of a rule.
 *
 * The engine (`createAnalyser` in analyser.ts) walks a module in statement order and calls the matchers whose last name
 * segment fits. Helper functions over values live in values.ts: `levelFor`, `constantOf`, `stringOf`, `truthOf`, `partsOf`,
 * `literalPrefix`, `elementsOf`, `entryOf`, `hasFlag`, `dynamicParts`.
 *
 * Qualified names are paths as the engine resolved them through imports, aliases, rebinding and receiver types:
 * `subprocess.run`, `flask.request.args.get`, and `()` for "the result of a call" or "an instance of a class":
 * `sqlite3.connect().cursor().execute`, `requests.Session().get`, `openai.OpenAI().responses.create().output_text`.
 * `[]` is an element (`sys.argv[]`). Builtins have no prefix (`open`, `eval`). A class of the analysed module is `.Name`, a
 * function `.name`, and relative imports keep their dots (`..pkg.mod.name`). A class that inherits from an imported base
 * gives its own method first, then the name through the base: `self.get` in `class S(requests.Session)` is
 * `requests.Session().get`. `await x`, `with x as y` and `x or y` are transparent. `a: T` on a parameter makes it `T()`.
 */
import type {
  PyArgument, PyCall, PyClassDef, PyConstant, PyExpr, PyFunctionDef, PyModule, PyParam, PySpan, PyStmt,
} from '../../../../syntax/python.types.ts';

/** 0 safe (constants, sanitised for everything), 1 unknown (of no known origin), 2 tainted (an attacker can choose it). */
export type Level = 0 | 1 | 2;

/**
 * A use a value can be made safe for. `levelFor(value, kind)` is 0 once a sanitizer or guard cleared that kind.
 * - `option`: cannot be read as an option of a program. `code`: does nothing when evaluated.
 * - `up`, `rooted` and `resolved` are halves of `path`: no `..` in it, not absolute, `..` and links already followed.
 */
export type ClearKind =
  | 'sql' | 'shell' | 'path' | 'html' | 'url' | 'log' | 'regex' | 'all' | 'option' | 'code' | 'up' | 'rooted' | 'resolved';

/**
 * What else is known of a value. Flags survive every derivation (join at branches, string building, method calls).
 * - `built`: a string put together from parts of which at least one is not constant.
 * - `llm`: comes out of a language model.
 * - `secret`: its origin has a password-, token- or key-like name, or reads a secret-like environment variable.
 * - `network`: fetched over the network (requests.get(), urlopen(), socket.recv()).
 * - `file`: read from a file or a file-like object.
 * - `low`: chosen only by whoever starts the program: sys.argv, input() and sys.stdin have level 2, os.environ, argparse
 *   and click level 1; rules usually leave path and URL sinks out for these and lower the confidence of others.
 * - `param`: an unknown parameter of the enclosing function, or derived from one.
 * - `request`: out of a web request (level 2).
 * - `random`: from the `random` module's predictable generator.
 * - `archive`: the name of an archive member or the member itself.
 * - `derived`: went as tainted data through code that is not seen (an unknown function): level fell from 2 to 1.
 * - `upload`: an uploaded file or its name.
 */
export type Flag =
  | 'built' | 'llm' | 'secret' | 'network' | 'file' | 'low' | 'param' | 'request' | 'random' | 'archive' | 'derived' | 'upload';

/** One step of how a value came about, newest first; `previous` links to the older ones. At most 12 are kept. */
export type TraceStep = {
  readonly offset: number;
  readonly note: string;
  readonly previous: TraceStep | undefined;
  readonly length: number;
  /** The module the offset is in: another one where a value came through an import. */
  readonly module: ModuleInfo;
};

/** A resolved dotted path; equal paths of one analyser are one object, so `===` compares them. */
export type QualifiedName = {
  /** `subprocess.run`, see the top of this file. */
  readonly path: string;
  /** The last segment without brackets: `run`; for `a.b()` it is `b`. */
  readonly last: string;
  /** The first segment: `subprocess`. */
  readonly root: string;
};

/** A string put together: constants as text, everything else as its value, in order. */
export type BuiltShape = {
  readonly type: 'Built';
  readonly via: 'concat' | 'percent' | 'format' | 'fstring' | 'join' | 'replace';
  readonly parts: readonly (string | Value)[];
};
/** `open`: there may be more elements than listed (spread, append in a loop, `[x] * n`). Elements of a comprehension: one, open. */
export type SequenceShape = { readonly type: 'Sequence'; readonly kind: 'list' | 'tuple' | 'set'; readonly elements: readonly Value[]; readonly open: boolean };
/** A dict with constant string keys; other keys only set `open`, their values count in the level of the whole. */
export type MappingShape = { readonly type: 'Mapping'; readonly entries: ReadonlyMap<string, Value>; readonly open: boolean };
export type FunctionShape = { readonly type: 'Function'; readonly info: FunctionInfo; readonly self: Value | undefined };
export type ClassShape = { readonly type: 'Class'; readonly info: ClassInfo };
/**
 * `given`: what its constructor was given, in the order of `__init__`'s parameters; undefined for the class's instances at large.
 * `above`: seen by `super()` inside this class, so that only what its bases have counts.
 */
export type InstanceShape = { readonly type: 'Instance'; readonly info: ClassInfo; readonly given?: readonly (Value | undefined)[]; readonly above?: ClassInfo };
/** `functools.partial(f, …)`: a call of it is one of `target` with these arguments first. */
export type BoundShape = { readonly type: 'Bound'; readonly target: Value; readonly args: readonly Value[]; readonly keywords: ReadonlyMap<string, Value> };
/** A constant is the literal's node, or a node made up for a folded one (start and end are 0 then). */
export type Shape = PyConstant | BuiltShape | SequenceShape | MappingShape | FunctionShape | ClassShape | InstanceShape | BoundShape;

/** What the engine knows of an expression. Immutable; read it by the functions of values.ts where one exists. */
export type Value = {
  readonly level: Level;
  /** Bits of `Flag`; read by `hasFlag(value, 'llm')`. */
  readonly flags: number;
  /** Bits of `ClearKind`; read by `levelFor(value, 'sql')`. */
  readonly cleared: number;
  /** What it refers to or came from, if that is known by name. */
  readonly name: QualifiedName | undefined;
  readonly shape: Shape | undefined;
  readonly trace: TraceStep | undefined;
};

/** A decorator with its evaluated arguments; `name` is `flask.Flask().route` for `@app.route('/x')`, without a final `()`. */
export type DecoratorInfo = PySpan & {
  readonly name: string | undefined;
  /** Last segment as written: `route`. */
  readonly last: string;
  readonly args: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
};

/** Why a function counts as an entry point that strangers call; parameters then are tainted unless typed (section 3.1). */
export type RouteInfo = {
  readonly framework: 'flask' | 'fastapi' | 'starlette' | 'django' | 'aiohttp' | 'tornado' | 'bottle' | 'pyramid' | 'lambda' | 'cli';
  /** Upper-case methods where the decorator, or a method called get/post/…, says so; empty = not said. */
  readonly methods: readonly string[];
};

export type ParamInfo = {
  readonly node: PyParam;
  readonly name: string;
  /** Qualified name of the annotation (`int`, `uuid.UUID`, `fastapi.Request`), Optional[...] and `| None` taken off. */
  readonly annotation: string | undefined;
  readonly default: Value | undefined;
};

export type FunctionInfo = {
  readonly name: string;
  /** `Class.method`, `outer.inner`. */
  readonly qualifiedName: string;
  readonly node: PyFunctionDef;
  readonly params: readonly ParamInfo[];
  readonly decorators: readonly DecoratorInfo[];
  readonly class: ClassInfo | undefined;
  readonly parent: FunctionInfo | undefined;
  readonly route: RouteInfo | undefined;
};

export type ClassInfo = {
  readonly name: string;
  readonly node: PyClassDef;
  /** Qualified names of the bases as far as known, outermost written first; bases of bases in the same module included. */
  readonly bases: readonly string[];
  readonly decorators: readonly DecoratorInfo[];
  readonly parent: FunctionInfo | undefined;
};

export type ModuleInfo = {
  readonly module: PyModule;
  /** Path given to `analyse`, forward slashes; empty if none. */
  readonly path: string;
  /** Root modules imported anywhere in the file: `flask`, `django`. */
  readonly imports: ReadonlySet<string>;
  /** The path or file name says that this is test code. */
  readonly isTest: boolean;
  /** True when the file is run as a script or has settings-like name: `settings.py`, `settings/*.py`, `config.py`. */
  readonly isSettings: boolean;
  readonly profile: Profile;
};

export type Profile = 'default' | 'audit';

/** Where an event happens, and how a matcher reports. Valid only during the callback. */
export type Scene = {
  readonly module: ModuleInfo;
  /** Innermost enclosing function; undefined at module and class level. Lambdas count to the function around them. */
  readonly function: FunctionInfo | undefined;
  /** Innermost enclosing class, also inside its methods. */
  readonly class: ClassInfo | undefined;
  readonly inLoop: boolean;
  /** Inside `if TYPE_CHECKING:`, or after `if __name__ == '__main__':`. */
  readonly inMain: boolean;
  /** Inside the module's or function's `try` body. */
  readonly inTry: boolean;
  /** True while a function body is walked again with the values of one call; its trace then has the call. */
  readonly inCall: boolean;
  /** Statement around the event. */
  readonly statement: PyStmt;
  /** Dotted names the statement around assigns to (`token`, `user.reset_token`), dict keys and keyword names around included. */
  readonly feeds: readonly string[];
  /** Names (last segment) of the calls around the event, innermost first: `hash(x(random()))` at `random`: ['x', 'hash']. */
  readonly insideCalls: readonly string[];
  /** Value a name has here (locals, then globals, then builtins); undefined when unbound. */
  lookup(name: string): Value | undefined;
  /** The value of an expression here; for nodes of the event's own children it is what the engine used. Emits no events. */
  valueOf(node: PyExpr): Value;
  report(report: Report): void;
};

export type CallEvent = Scene & PySpan & {
  readonly kind: 'call';
  readonly node: PyCall;
  /** Resolved callee: `subprocess.run`; undefined when the receiver's type, or the name, is unknown. */
  readonly name: string | undefined;
  /** Last segment as resolved, else as written: `run` also for `from subprocess import run as go; go()`. The index key. */
  readonly last: string;
  /** Dotted text as written where it is one: `self.db.execute`; else ''. */
  readonly written: string;
  /** Value of `x` in `x.m()`; undefined for a plain name. */
  readonly receiver: Value | undefined;
  /**
   * `x.m()` where nothing is known of what `x` is: no name at all, or one through code that the engine has no list of
   * (`.db.get_conn().cursor`, `fleet.pool()`; `name` is given then). The only case where a bare method name may be matched.
   */
  readonly receiverUnknown: boolean;
  /** Positional values, `*known` expanded. */
  readonly args: readonly Value[];
  /** Keyword values, `**known` merged. The content of a dict that is not known stands under the key `**`: `Model(**request.json)`. */
  readonly keywords: ReadonlyMap<string, Value>;
  /** There was a `*x` / `**x` whose content is not (fully) known: absent does not mean "not given". */
  readonly openArgs: boolean;
  readonly openKeywords: boolean;
  /** Value given by position or keyword: `arg(1, 'params')`, `arg(-1, 'shell')` for keyword only; undefined = not given. */
  arg(index: number, keyword?: string): Value | undefined;
  /** The argument's node, for its span. */
  argNode(index: number, keyword?: string): PyArgument | undefined;
  /** What the call's value is used for. */
  readonly use: 'discarded' | 'assigned' | 'returned' | 'argument' | 'with' | 'other';
};

/** `target = value`, `target op= value` (value is the new one), `target: T = value`, `for`/`with` targets are not reported. */
export type AssignEvent = Scene & PySpan & {
  readonly kind: 'assign';
  /** `name`: x = …; `attribute`: a.x = …; `subscript`: a['x'] = …. */
  readonly form: 'name' | 'attribute' | 'subscript';
  /** Dotted text as written: `session.verify`, `app.config.DEBUG` for `app.config['DEBUG']`; '' when not dotted. */
  readonly target: string;
  /** Last segment, or the constant string key of a subscript; '' when it is none. The index key. */
  readonly last: string;
  /** Value of `a` in `a.x = …` and `a['x'] = …`. */
  readonly owner: Value | undefined;
  /** The key of a subscript store. */
  readonly key: Value | undefined;
  readonly value: Value;
  readonly valueNode: PyExpr;
  readonly targetNode: PyExpr;
  /** `class`: in a class body; `module`, `function`. */
  readonly level: 'module' | 'class' | 'function';
  readonly operator: string | undefined;
};

export type ReturnEvent = Scene & PySpan & {
  readonly kind: 'return';
  readonly value: Value;
  readonly node: PyExpr;
  /** Set when the function is a route: its return value is a response. */
  readonly route: RouteInfo | undefined;
};

/** A `def`, at its definition: decorators and defaults are evaluated; the body is not walked yet. */
export type FunctionEvent = Scene & PySpan & { readonly kind: 'function'; readonly info: FunctionInfo };

/** A `class`, after its body: `attribute(name)` gives values assigned in the body or to `self` in `__init__`. */
export type ClassEvent = Scene & PySpan & { readonly kind: 'class'; readonly info: ClassInfo; attribute(name: string): Value | undefined };

/** `left op right` for `==`, `!=`, `in`, `not in`, `is`…: one event an operator. Only for matchers with `onCompare`. */
export type CompareEvent = Scene & PySpan & { readonly kind: 'compare'; readonly op: string; readonly left: Value; readonly right: Value; readonly leftNode: PyExpr; readonly rightNode: PyExpr };

/**
 * Code that looks at events. A matcher may serve several rules; which is reported is its decision.
 * `calls` and `assigns` list last segments, `'*'` every one (costly: keep to a very few matchers).
 */
export type Matcher = {
  /** Takes part in runs of this profile only. */
  readonly profile?: Profile;
  readonly calls?: readonly string[];
  /** `onCall` also for calls with one of these keywords, written or out of a known dict; `**`: any call with a `**spread`. */
  readonly keywords?: readonly string[];
  /** Run at most once a call, whichever of `calls` and `keywords` fit. */
  readonly onCall?: (event: CallEvent) => void;
  readonly assigns?: readonly string[];
  /** `onAssign` also for values with one of these flags. */
  readonly assignFlags?: readonly Flag[];
  readonly onAssign?: (event: AssignEvent) => void;
  readonly onReturn?: (event: ReturnEvent) => void;
  readonly onFunction?: (event: FunctionEvent) => void;
  readonly onClass?: (event: ClassEvent) => void;
  readonly onCompare?: (event: CompareEvent) => void;
};

export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';
export type Confidence = 'low' | 'medium' | 'high';

/** What a matcher says. Fields left out are taken from the rule's metadata by whoever collects. */
export type Report = {
  readonly ruleId: string;
  /** Defaults to the span of the event. */
  readonly at?: PySpan;
  /** The value at fault: its trace is shown and its level decides which of several equal reports stays. */
  readonly value?: Value | undefined;
  readonly message?: string;
  readonly severity?: Severity;
  readonly confidence?: Confidence;
  readonly cwe?: string;
  readonly tags?: readonly string[];
};

/** One report after the engine has merged those of loops and calls: unique by rule and start. Trace in order, oldest first. */
export type RawFinding = PySpan & {
  readonly ruleId: string;
  readonly level: Level;
  readonly message: string | undefined;
  readonly severity: Severity | undefined;
  readonly confidence: Confidence | undefined;
  readonly cwe: string | undefined;
  readonly tags: readonly string[];
  /** `path` is set where the step is in another module. */
  readonly trace: readonly { readonly offset: number; readonly line: number; readonly note: string; readonly path?: string }[];
};

/**
 * A row of the source table: reading, calling or indexing a name that equals `name`, or starts with it where it ends in
 * `*`, gives `level` and `flags`. Names as at the top of this file, a call's result with `()`.
 */
export type SourceRow = { readonly name: string; readonly level: Level; readonly flags: readonly Flag[]; readonly note: string };

/** A row of the sanitizer table: the result of calling `name` is clear for these kinds. `all` also lowers the level to safe. */
export type SanitizerRow = { readonly name: string; readonly clears: readonly ClearKind[] };

export type AnalyserTables = { readonly sources: readonly SourceRow[]; readonly sanitizers: readonly SanitizerRow[] };

export type AnalyserOptions = {
  readonly matchers: readonly Matcher[];
  /**
   * Added to the built-in tables, for the user's own sources and sanitizers. Calls of them, and of `sinks`, go by the
   * absolute name and are not looked into, wherever their code is.
   */
  readonly extra?: Partial<AnalyserTables> & { readonly sinks?: readonly string[] };
};

export type AnalyseOptions = {
  readonly path?: string;
  readonly profile?: Profile;
  /** Steps (nodes looked at) before the analysis stops and says `incomplete`; by default 400,000 + 4 a character of text. */
  readonly budget?: number;
  /**
   * For scans across files: value of a name of another module of the repository (`tools.run`, `..db.query`), taken from that
   * module's `OpenAnalysis.exported`. Undefined = not known, or still being analysed (import cycles). `tools.` asks for
   * nothing: the module is imported here.
   */
  readonly resolveImport?: (qualifiedName: string) => Value | undefined;
};

export type AnalysisResult = {
  /** In order of start, then rule. */
  readonly findings: readonly RawFinding[];
  /** Set when not all was looked at (budget spent, nested too deeply, a rule failed), with the reason in words. */
  readonly incomplete: string | undefined;
  readonly steps: number;
};

/**
 * A module whose functions other modules may call, in steps, so that modules that import each other see all of each other:
 * make it known, `start()`; when all are started `bind()`, then `finish()`. A call from another module with tainted values is walked in
 * this one and reported among its findings, so take `result()` when all are finished.
 */
export type OpenAnalysis = {
  /** Walks the module's own statements. */
  start(): void;
  /** Looks again for imported names (all, or those given) that were not there at the start, since modules import each other. */
  bind(...names: readonly string[]): void;
  /** Walks the functions and classes that they define. One that is never finished walks only what is called. */
  finish(): void;
  result(): AnalysisResult;
  /** Value of a module-level name. */
  exported(name: string): Value | undefined;
};

/** Made once for a set of matchers, used for many modules. */
export type Analyser = {
  analyse(module: PyModule, options?: AnalyseOptions): AnalysisResult;
  /** As `analyse`, for scans across files. */
  open(module: PyModule, options?: AnalyseOptions): OpenAnalysis;
};
