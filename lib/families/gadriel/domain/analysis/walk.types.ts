/** What a walk keeps of functions, classes and loops. */
import type { ClassInfo, FunctionInfo, TraceStep, Value } from './model.types.ts';
import type { NameNode } from './names.ts';
import type { Changes, Scope } from './scope.ts';
import type { Walk } from './walk.ts';

/** A function of this module: its scope of definition and what walking it has shown. */
export type FunctionState = {
  readonly info: FunctionInfo;
  /** The walk of the module it is defined in. */
  readonly home: Walk;
  readonly scope: Scope;
  readonly owner: ClassState | undefined;
  readonly kind: 'plain' | 'static' | 'class' | 'property';
  /** Walked with unknown parameters; `undefined` = not yet. */
  summary: Summary | undefined;
  /** Summaries for calls with values of interest, by their signature. */
  readonly calls: Map<string, Summary>;
  active: boolean;
  /** What its result says of its parameters; `undefined` = not asked yet. */
  answers: Answers | undefined;
  readonly value: Value;
};

/** Per parameter, the kinds it is clear for when the function's result is true, or false; undefined = it never is. */
export type Answers = { whenTrue: readonly number[] | undefined; whenFalse: readonly number[] | undefined };

export type Summary = {
  readonly returns: Value;
  /** No way through the function returns. */
  readonly ends: boolean;
  /** Per parameter, the kinds it was checked for on every way that returns. */
  readonly checked: readonly number[];
  /** Some call in it, or in what it calls, was one that matchers wait for. */
  readonly touched: boolean;
  /** Per parameter, the newest step of the trace that it came in with. */
  readonly entries?: readonly (TraceStep | undefined)[];
};

/** A class of this module. */
export type ClassState = {
  readonly info: ClassInfo;
  readonly bases: readonly (ClassState | NameNode)[];
  /** Class body and `self.x = …` of all methods, joined. */
  readonly attributes: Map<string, Value>;
  readonly methods: Map<string, FunctionState>;
  /** What `__init__` puts on `self`, in terms of its parameters when it is walked on its own. */
  readonly initial: Map<string, Value>;
  /** Those parameters. */
  initialParams: readonly Value[] | undefined;
  /** Attributes that are also written elsewhere. */
  readonly rewritten: Set<string>;
  readonly value: Value;
  readonly instance: Value;
};

/** A loop being walked: ends of ways that left it early. */
export type LoopFrame = { readonly mark: number; readonly breaks: Changes[]; readonly continues: Changes[] };

/** The function body being walked. */
export type Frame = {
  readonly state: FunctionState | undefined;
  readonly scope: Scope;
  /** Parameters as passed. */
  readonly given: Value[];
  returns: Value | undefined;
  checked: readonly number[] | undefined;
  /** Some variable was checked. */
  refined: boolean;
  /** Set while the body is walked for what its result says. */
  readonly answers: Answers | undefined;
  /** Some way out of the body exists. */
  returned: boolean;
  loop: LoopFrame | undefined;
};

/** What is saved and restored round the walk of a function's body. */
export type Place = Pick<Walk, 'scope' | 'frame' | 'class' | 'statement' | 'feeds' | 'insideCalls' | 'use' | 'loopDepth' | 'tryDepth' | 'ended' | 'inMain' | 'touched'>;
