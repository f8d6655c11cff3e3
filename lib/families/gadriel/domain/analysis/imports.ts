/** What imports bind. */
import type { PyImport, PyImportFrom } from '../../../../syntax/python.types.ts';
import { namedValue, ownNode } from './members.ts';
import type { Walk } from './walk.ts';

/** `import a.b` binds `a`; `import a.b as c` binds `a.b`. */
export const walkImport = (walk: Walk, statement: PyImport): void => {
  for (const alias of statement.names) {
    const [root = ''] = alias.name.split('.');
    const path = alias.asName === undefined ? root : alias.name;
    const node = walk.names.resolve(path);
    if (node !== undefined) walk.bind(alias.asName ?? root, node.value);
    // No name of it is asked for yet, but it comes before this one.
    if (walk.scope === walk.moduleScope) walk.options.resolveImport?.(`${alias.name}.`);
  }
};

/** `from a import b as c` binds `a.b`; relative modules keep their dots. A star import is searched for names not bound. */
export const walkImportFrom = (walk: Walk, statement: PyImportFrom): void => {
  const prefix = '.'.repeat(statement.level) + statement.module;
  const module = walk.names.resolve(prefix);
  if (module === undefined) return;
  for (const alias of statement.names) {
    if (alias.name === '*') {
      walk.starModules.push(module);
      continue;
    }
    const node = walk.names.child(module, alias.name);
    if (node === undefined) continue;
    const own = ownNode(walk, node);
    const found = own === undefined ? walk.options.resolveImport?.(node.path) : namedValue(walk, own, module.value, statement.start);
    walk.bind(alias.asName ?? alias.name, found ?? namedValue(walk, node, module.value, statement.start));
    if (found === undefined && walk.scope === walk.moduleScope && walk.options.resolveImport !== undefined) walk.lateImports.set(alias.asName ?? alias.name, node);
  }
};
