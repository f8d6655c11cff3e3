/** What all events have in common, and handing them to matchers. */
import type { PyExpr, PySpan, PyStmt } from '../../../../syntax/python.types.ts';
import type { ClassInfo, FunctionInfo, Matcher, ModuleInfo, Report, Scene, Value } from './model.types.ts';
import { lambdaName } from './lambdas.ts';
import { makeValue } from './make-value.ts';
import { secretName } from './secret-names.ts';
import { flagBit } from './value-bits.ts';
import { BudgetSpent } from './walk.ts';
import type { Walk } from './walk.ts';

export class SceneAt implements Scene, PySpan {
  readonly start: number;
  readonly end: number;
  readonly module: ModuleInfo;
  readonly function: FunctionInfo | undefined;
  readonly class: ClassInfo | undefined;
  readonly inLoop: boolean;
  readonly inMain: boolean;
  readonly inTry: boolean;
  readonly inCall: boolean;
  readonly statement: PyStmt;
  protected readonly walk: Walk;

  constructor(walk: Walk, span: PySpan) {
    this.walk = walk;
    this.start = span.start;
    this.end = span.end;
    this.module = walk.info;
    const info = walk.frame.state?.info;
    this.function = info?.name === lambdaName ? info.parent : info;
    this.class = walk.class?.info;
    this.inLoop = walk.loopDepth > 0;
    this.inMain = walk.inMain;
    this.inTry = walk.tryDepth > 0;
    this.inCall = walk.callDepth > 0;
    // Events only come up inside statements.
    this.statement = walk.statement as PyStmt;
  }

  get feeds(): readonly string[] {
    return [...this.walk.feeds];
  }

  get insideCalls(): readonly string[] {
    return [...this.walk.insideCalls].reverse();
  }

  lookup(name: string): Value | undefined {
    return this.walk.lookup(name);
  }

  valueOf(node: PyExpr): Value {
    return this.walk.quietly(() => {
      const value = this.walk.evaluate(this.walk, node);
      // A plain name may be a secret by its name alone.
      return node.type === 'Name' && secretName(node.id) && (value.flags & flagBit.secret) === 0
        ? makeValue(value.level, value.flags | flagBit.secret, value.cleared, value.name, value.shape, value.trace) : value;
    });
  }

  report(report: Report): void {
    this.walk.findings.add(report, this);
  }
}

/** Runs matchers; one that fails must neither disturb the walk nor lose what others find, so its error is kept to be told. */
export const deliver = (walk: Walk, matchers: readonly Matcher[] | undefined, run: (matcher: Matcher) => void): void => {
  if (matchers === undefined) return;
  const { depth, quiet } = walk;
  for (const matcher of matchers) {
    try {
      run(matcher);
    } catch (error) {
      if (error instanceof BudgetSpent) throw error;
      walk.failure ??= String(error);
      walk.depth = depth;
      walk.quiet = quiet;
    }
  }
};
