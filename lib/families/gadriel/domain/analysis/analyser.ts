/** The analysis engine's front: tables and matchers once, then one module after another. */
import type { PyModule, PyStmt } from '../../../../syntax/python.types.ts';
import type { AnalyseOptions, Analyser, AnalyserOptions, AnalysisResult, ModuleInfo, OpenAnalysis, Profile } from './model.types.ts';
import { classEvent } from './events.ts';
import { evaluate } from './expressions.ts';
import { summarise } from './functions.ts';
import { indexMatchers } from './matcher-index.ts';
import type { MatcherIndex } from './matcher-index.ts';
import { NameTable } from './names.ts';
import { sanitizerTable } from './sanitizer-table.ts';
import { sourceTable } from './source-table.ts';
import { walkBlock } from './statements.ts';
import { BudgetSpent, Walk } from './walk.ts';

/**
 * Prepares matchers and tables. The analyser is synchronous, keeps no state between modules but its name table, and its
 * `analyse` never throws on any tree: a spent budget is told by `incomplete`.
 */
export const createAnalyser = (options: AnalyserOptions): Analyser => {
  const names = new NameTable({ sources: sourceTable, sanitizers: sanitizerTable }, options.extra);
  const indexes = new Map<Profile, MatcherIndex>();
  const indexFor = (profile: Profile): MatcherIndex => {
    const index = indexes.get(profile) ?? indexMatchers(options.matchers, profile, names);
    indexes.set(profile, index);
    return index;
  };
  const open = (module: PyModule, analyseOptions: AnalyseOptions = {}): OpenAnalysis => {
    const walk = new Walk(names, indexFor(analyseOptions.profile ?? 'default'), moduleInfo(module, analyseOptions), analyseOptions, evaluate);
    let incomplete: string | undefined;
    const within = (step: () => void): void => {
      if (incomplete !== undefined) return;
      try {
        step();
      } catch (error) {
        if (!(error instanceof BudgetSpent)) throw error;
        incomplete = 'the analysis budget for this file was used up';
      }
    };
    return {
      start: () => within(() => walkBody(walk)),
      bind: (...names) => (names.length > 0 ? names : [...walk.lateImports.keys()]).forEach((name) => walk.bindLate(name)),
      finish: () => within(() => walkFunctions(walk)),
      result: () => walk.result(incomplete ?? shortfall(walk)),
      exported: (name) => walk.moduleScope.vars.get(name) ?? walk.starImported(name),
    };
  };
  return {
    open,
    analyse(module: PyModule, analyseOptions?: AnalyseOptions): AnalysisResult {
      // Only here: modules that stay open hold names.
      if (names.prune()) indexes.clear();
      const analysis = open(module, analyseOptions);
      analysis.start();
      analysis.finish();
      return analysis.result();
    },
  };
};

const shortfall = (walk: Walk): string | undefined => {
  if (walk.cut) return 'code nested too deeply was left out';
  return walk.failure === undefined ? undefined : `a rule failed: ${walk.failure}`;
};

const walkBody = (walk: Walk): void => {
  walk.defining = true;
  walkBlock(walk, walk.info.module.body);
  walk.defining = false;
};

/** Functions are walked when the names of their own module, and of those that it imports, are all known; walking may find nested ones. */
const walkFunctions = (walk: Walk): void => {
  for (const [node, state] of walk.queue) {
    walk.queue.delete(node);
    summarise(walk, state);
  }
  for (const { node, state, frame, statement } of walk.definedClasses.splice(0)) {
    walk.frame = frame;
    walk.class = state;
    walk.statement = statement;
    classEvent(walk, node, state.info);
  }
};

const testPath = /(?:^|\/)(?:tests?|testing|conftest\.py$|test_[^/]*$|[^/]*_tests?\.py$)/i;
const settingsPath = /(?:^|\/)(?:settings|config|configuration|conf|local_settings|production|base)(?:\/[^/]*|[_\w]*)\.py$|settings[_\w]*\.py$/i;

const moduleInfo = (module: PyModule, options: AnalyseOptions): ModuleInfo => {
  const path = (options.path ?? '').replaceAll('\\', '/');
  const imports = new Set<string>();
  collectImports(module.body, imports, 0);
  return { module, path, imports, isTest: testPath.test(path), isSettings: settingsPath.test(path), profile: options.profile ?? 'default' };
};

/** Root modules imported at module level, in branches and in functions of the first levels. */
const collectImports = (body: readonly PyStmt[], into: Set<string>, depth: number): void => {
  if (depth > 6) return;
  for (const statement of body) {
    switch (statement.type) {
      case 'Import':
        for (const { name } of statement.names) into.add(name.split('.')[0] ?? name);
        break;
      case 'ImportFrom':
        if (statement.level === 0) into.add(statement.module.split('.')[0] ?? statement.module);
        break;
      case 'If': case 'Try': case 'With': case 'FunctionDef': case 'ClassDef':
        collectImports(statement.body, into, depth + 1);
        if (statement.type === 'Try') for (const handler of statement.handlers) collectImports(handler.body, into, depth + 1);
        if (statement.type === 'If') collectImports(statement.orelse, into, depth + 1);
        break;
      default: break;
    }
  }
};
