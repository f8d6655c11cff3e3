/** What imports bind. */
import type { PyImport, PyImportFrom } from '../../../../syntax/python.types.ts';
import type { Walk } from './walk.ts';

/** `import a.b` binds `a`; `import a.b as c` binds `a.b`. */
export const walkImport = (walk: Walk, statement: PyImport): void => {
  for (const alias of statement.names) {
    const [root = ''] = alias.name.split('.');
    const path = alias.asName === undefined ? root : alias.name;
    const node = walk.names.resolve(path);
    if (node !== undefined) walk.bind(alias.asName ?? root, node.value);
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
    walk.bind(alias.asName ?? alias.name, walk.options.resolveImport?.(node.path) ?? node.value);
  }
};
