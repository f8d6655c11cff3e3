/** Attribute and element chains as keys. */
import type { PyExpr } from '../../../../syntax/python.types.ts';

/** `a.b['c']` as one key with its root name; undefined when it is no such chain or longer than four links. */
export const pathOf = (node: PyExpr): { path: string; root: string } | undefined => {
  let suffix = '';
  let at = node;
  for (let links = 0; links < 5; links += 1) {
    if (at.type === 'Name') return { path: at.id + suffix, root: at.id };
    if (at.type === 'Attribute') suffix = `.${at.attr}${suffix}`;
    else if (at.type === 'Subscript' && at.index.type === 'Constant') suffix = `[${String(at.index.value)}]${suffix}`;
    else return undefined;
    at = at.value;
  }
  return undefined;
};
