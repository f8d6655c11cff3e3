/** The state of one walk over one module: where it is, what names mean there, and what was reported. */
import type { PyClassDef, PyExpr, PyFunctionDef, PyStmt } from '../../../../syntax/python.types.ts';
import type { AnalyseOptions, ClassInfo, FunctionInfo, ModuleInfo, RawFinding, TraceStep, Value } from './model.types.ts';
import { Findings } from './findings.ts';
import { unknownValue } from './make-value.ts';
import type { MatcherIndex } from './matcher-index.ts';
import { namedValue, ownNode } from './members.ts';
import { assumedMembers, assumedModules } from './name-tables.ts';
import type { NameNode, NameTable } from './names.ts';
import { Branches, Scope } from './scope.ts';
import type { Answers, ClassState, Frame, FunctionState, Place } from './walk.types.ts';

/** Thrown inside a walk when the budget is used up; never leaves `analyse`. */
export class BudgetSpent extends Error {}

/** States by the infos that values carry, of all modules: a value may come out of another module than the one being walked. */
const functionStates = new WeakMap<FunctionInfo, FunctionState>();

const classStates = new WeakMap<ClassInfo, ClassState>();

/** Recursion over nested code stops here; deeper code is unknown. Keeps hostile nesting off the JavaScript stack. */
const maximumDepth = 300;

const maximumTrace = 12;

/** Paths remembered of one variable. */
const maximumPaths = 64;

export class Walk {
  readonly names: NameTable;
  readonly index: MatcherIndex;
  readonly info: ModuleInfo;
  readonly options: AnalyseOptions;
  /** Handed in, since scenes of events need it and must not import what makes events. */
  readonly evaluate: (walk: Walk, node: PyExpr) => Value;
  readonly findings: Findings;
  readonly branches = new Branches();
  readonly moduleScope = new Scope(undefined, 'module');
  readonly functions = functionStates;
  readonly classes = classStates;
  /** Functions met but not walked on their own yet. */
  queue = new Map<PyFunctionDef, FunctionState>();
  /** Classes met; matchers hear of them when the methods have been walked. */
  readonly definedClasses: { node: PyClassDef; state: ClassState; frame: Frame; statement: PyStmt | undefined }[] = [];
  starModules: NameNode[] = [];
  private readonly starSought = new Set<string>();
  /** The module's own statements are being walked: what they bind later is not known yet. */
  defining = false;
  /** Imports that found nothing while they were walked, perhaps since the other module imports this one. */
  readonly lateImports = new Map<string, NameNode>();

  scope = this.moduleScope;
  frame: Frame = { state: undefined, scope: this.moduleScope, given: [], returns: undefined, checked: undefined, refined: false,
    returned: false, loop: undefined, answers: undefined };
  class: ClassState | undefined;
  statement: PyStmt | undefined;
  /** What the value being made is for: assignment targets, keyword names, dict keys. */
  feeds: string[] = [];
  insideCalls: string[] = [];
  use: 'discarded' | 'assigned' | 'returned' | 'argument' | 'with' | 'other' = 'other';
  loopDepth = 0;
  tryDepth = 0;
  /** Functions being walked again for one call. */
  callDepth = 0;
  /** Functions being summarised from inside a call. */
  lazyDepth = 0;
  /** A call that matchers wait for was met in the function being walked. */
  touched = false;
  /** The call just evaluated never returns. */
  callEnds = false;
  /** Callee of the call just evaluated. */
  lastCallee: Value = unknownValue;
  /** For the next function entered: it is walked for what its result says. */
  answers: Answers | undefined;
  /** The way being walked has ended. */
  ended = false;
  inMain = false;
  /** Events are off: a value is looked up for its own sake. */
  quiet = 0;
  steps = 0;
  depth = 0;
  /** Something was nested too deeply to be looked at. */
  cut = false;
  /** The first error a matcher has thrown. */
  failure: string | undefined;
  private readonly budget: number;

  constructor(names: NameTable, index: MatcherIndex, info: ModuleInfo, options: AnalyseOptions, evaluate: Walk['evaluate']) {
    this.names = names;
    this.index = index;
    this.info = info;
    this.options = options;
    this.evaluate = evaluate;
    this.findings = new Findings(info);
    this.budget = options.budget ?? 400_000 + info.module.text.length * 4;
  }

  /** Counts one node and goes one level down; false = too deep, look no further. Pair a true with `up`. */
  down(): boolean {
    this.steps += 1;
    if (this.steps > this.budget) throw new BudgetSpent();
    if (this.depth >= maximumDepth) {
      this.cut = true;
      return false;
    }
    this.depth += 1;
    return true;
  }

  up(): void {
    this.depth -= 1;
  }

  /** Value of a name here, through enclosing functions, the module and builtins. */
  lookup(name: string): Value | undefined {
    let scope: Scope | undefined = this.scope;
    if (scope.globals?.has(name) === true) scope = this.moduleScope;
    for (let first = true; scope !== undefined; scope = scope.parent) {
      // Class bodies are no enclosing scope for functions inside them.
      if (first || scope.kind !== 'class') {
        const value = scope.vars.get(name);
        if (value !== undefined) return value;
      }
      if (scope.kind !== 'inner') first = false;
    }
    return this.index.builtins.get(name) ?? this.fromStarImports(name) ?? this.assumed(name);
  }

  /** A name that nothing in sight binds but that can only be a well-known module. */
  private assumed(name: string): Value | undefined {
    // Imported elsewhere in the file, so that it is not in scope here means something.
    if (assumedModules.has(name)) return this.info.imports.has(name) ? undefined : this.names.top(name).value;
    const member = assumedMembers.find(([each, imported]) => each === name && this.info.imports.has(imported));
    return member === undefined ? undefined : this.names.resolve(member[2])?.value;
  }

  /** Looks once more for what an import has not found, now that more modules are known. */
  bindLate(name: string): void {
    const node = this.lateImports.get(name);
    if (node === undefined) return;
    // Two modules that pass a name on to each other ask each other.
    this.lateImports.delete(name);
    const value = this.options.resolveImport?.(node.path);
    if (value === undefined) this.lateImports.set(name, node);
    else if (this.moduleScope.vars.get(name) === node.value) this.moduleScope.vars.set(name, value);
  }

  /** What a star import brings in of a module in sight; a name that begins with an underscore is not brought. */
  starImported(name: string): Value | undefined {
    // Two modules that import all of each other ask each other.
    if (this.starModules.length === 0 || name.startsWith('_') || this.starSought.has(name)) return undefined;
    this.starSought.add(name);
    try {
      for (const module of this.starModules) {
        const node = this.names.child(module, name);
        if (node === undefined) continue;
        const own = ownNode(this, node);
        const value = own === undefined ? this.options.resolveImport?.(node.path) : namedValue(this, own, module.value, this.statement?.start ?? 0);
        if (value !== undefined) return value;
      }
      return undefined;
    } finally {
      this.starSought.delete(name);
    }
  }

  private fromStarImports(name: string): Value | undefined {
    const imported = this.starImported(name);
    if (imported !== undefined) return imported;
    for (const module of this.starModules) {
      const node = this.names.child(module, name);
      if (node !== undefined && (this.index.calls.has(name) || node.source !== undefined || node.clears !== 0
        || module === this.starModules[0])) return namedValue(this, node, module.value, this.statement?.start ?? 0);
    }
    return undefined;
  }

  /** The scope that an assignment to `name` goes to. */
  target(name: string): Scope {
    let scope = this.scope;
    while (scope.kind === 'inner' && scope.parent !== undefined) scope = scope.parent;
    if (scope.globals?.has(name) === true) return this.moduleScope;
    if (scope.nonlocals?.has(name) === true) {
      for (let outer = scope.parent; outer !== undefined; outer = outer.parent) if (outer.kind === 'function'
        && outer.vars.has(name)) return outer;
    }
    return scope;
  }

  bind(name: string, value: Value, scope = this.target(name)): void {
    const paths = scope.roots?.get(name);
    if (paths !== undefined) {
      for (const path of paths) if (scope.vars.has(path)) this.branches.set(scope, path, undefined);
    }
    this.branches.set(scope, name, value);
  }

  /** A variable's value is the same but more is known of it: in its own scope, or as a local copy of an outer one. */
  refine(name: string, value: Value): void {
    this.frame.refined = true;
    for (let scope: Scope | undefined = this.scope; scope !== undefined; scope = scope.parent) {
      if (scope.vars.has(name)) {
        // Outer variables are refined only here; the copy goes with the branch.
        this.branches.set(scope === this.scope || scope.kind === 'inner' || this.scope.kind === 'inner' ? scope : this.scope, name, value);
        return;
      }
    }
  }

  /** Sets what is known of a path such as `self.session`. */
  bindPath(path: string, root: string, value: Value): void {
    const scope = this.target(root);
    scope.roots ??= new Map();
    const paths = scope.roots.get(root);
    if (paths === undefined) scope.roots.set(root, new Set([path]));
    else if (paths.size < maximumPaths) paths.add(path);
    else if (!paths.has(path)) return;
    this.branches.set(scope, path, value);
  }

  /** What was last written to, or checked of, a path in this function or around it. */
  lookupPath(path: string, root: string): Value | undefined {
    for (let scope: Scope | undefined = this.scope; scope !== undefined; scope = scope.parent) {
      if (scope.roots?.has(root) === true) {
        const value = scope.vars.get(path);
        if (value !== undefined) return value;
      }
      // A local of the same name hides what is known of an outer one.
      if (scope.vars.has(root)) return undefined;
    }
    return undefined;
  }

  /** A trace step in front of `previous`; long traces keep their beginning. */
  step(offset: number, note: string, previous: TraceStep | undefined, module = this.info): TraceStep {
    const length = previous?.length ?? 0;
    return length >= maximumTrace && previous !== undefined ? previous : { offset, note, previous, length: length + 1, module };
  }

  /** Where the walk is, to come back to after a function's body. */
  place(): Place {
    return {
      scope: this.scope, frame: this.frame, class: this.class, statement: this.statement, feeds: this.feeds, insideCalls: this.insideCalls,
      use: this.use, loopDepth: this.loopDepth, tryDepth: this.tryDepth, ended: this.ended, inMain: this.inMain, touched: this.touched,
    };
  }

  enterFunction(state: FunctionState, scope: Scope): void {
    this.restore({
      scope, class: state.owner ?? this.enclosingClass(state), statement: this.statement, feeds: [], insideCalls: [], use: 'other',
        loopDepth: 0, tryDepth: 0,
      ended: false, inMain: false, touched: false,
      frame: { state, scope, given: [], returns: undefined, checked: undefined, refined: false, returned: false, loop: undefined, answers: this.answers },
    });
    this.answers = undefined;
  }

  restore(place: Place): void {
    this.scope = place.scope;
    this.frame = place.frame;
    this.class = place.class;
    this.statement = place.statement;
    this.feeds = place.feeds;
    this.insideCalls = place.insideCalls;
    this.use = place.use;
    this.loopDepth = place.loopDepth;
    this.tryDepth = place.tryDepth;
    this.ended = place.ended;
    this.inMain = place.inMain;
    this.touched = place.touched;
  }

  /** The class around a function inside a method. */
  private enclosingClass(state: FunctionState): ClassState | undefined {
    for (let info = state.info.parent; info !== undefined; info = info.parent) if (info.class !== undefined) return this.classes.get(info.class);
    return undefined;
  }

  /** Runs `look` without events. */
  quietly<T>(look: () => T): T {
    this.quiet += 1;
    try {
      return look();
    } finally {
      this.quiet -= 1;
    }
  }

  result(incomplete: string | undefined): { findings: readonly RawFinding[]; incomplete: string | undefined; steps: number } {
    return { findings: this.findings.sorted(), incomplete, steps: this.steps };
  }
}
