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
  const names = new NameTable({
    sources: [...sourceTable, ...(options.extra?.sources ?? [])],
    sanitizers: [...sanitizerTable, ...(options.extra?.sanitizers ?? [])],
  });
  const indexes = new Map<Profile, MatcherIndex>();
  const indexFor = (profile: Profile): MatcherIndex => {
    const index = indexes.get(profile) ?? indexMatchers(options.matchers, profile, names);
    indexes.set(profile, index);
    return index;
  };
  const open = (module: PyModule, analyseOptions: AnalyseOptions = {}): OpenAnalysis => {
    const walk = new Walk(names, indexFor(analyseOptions.profile ?? 'default'), moduleInfo(module, analyseOptions), analyseOptions, evaluate);
    let incomplete: string | undefined;
    try {
      walkModule(walk);
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error;
      incomplete = 'the analysis budget for this file was used up';
    }
    if (walk.cut) incomplete ??= 'code nested too deeply was left out';
    if (walk.failure !== undefined) incomplete ??= `a rule failed: ${walk.failure}`;
    return { result: () => walk.result(incomplete), exported: (name) => walk.moduleScope.vars.get(name) ?? walk.starImported(name) };
  };
  return {
    open,
    analyse(module: PyModule, analyseOptions?: AnalyseOptions): AnalysisResult {
      // Only here: modules that stay open hold names.
      if (names.prune()) indexes.clear();
      return open(module, analyseOptions).result();
    },
  };
};

const walkModule = (walk: Walk): void => {
  walkBlock(walk, walk.info.module.body);
  // Functions are walked when the module's own names are all known; walking may find nested ones.
  for (const [node, state] of walk.queue) {
    walk.queue.delete(node);
    summarise(walk, state);
  }
  for (const { node, state, frame, statement } of walk.definedClasses) {
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
