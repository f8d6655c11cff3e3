/** Fields of data models that check their types: pydantic and its kin. */
import type { PyExpr } from '../../../../syntax/python.types.ts';
import type { ClassInfo, Value } from './model.types.ts';
import { derive } from './containers.ts';
import { makeValue, safeValue } from './make-value.ts';
import { annotationName, scalarTypes } from './routes.ts';
import type { Walk } from './walk.ts';

const checkingBases = /^(?:pydantic\.|sqlmodel\.SQLModel$|msgspec\.Struct$|ninja\.Schema$|beanie\.)/;

/** Whether objects of a class hold only values of the types that its fields are annotated with. */
export const checksFields = (info: ClassInfo): boolean => info.bases.some((base) => checkingBases.test(base));

const lists = new Set(['list', 'set', 'tuple', 'frozenset', 'typing.List', 'typing.Set', 'typing.Tuple', 'typing.Sequence', 'typing.Optional']);

/** Whether an annotation lets only numbers, dates, members of an Enum and the like through, lists of them included. */
export const isScalarAnnotation = (walk: Walk, node: PyExpr | undefined, depth = 0): boolean => {
  const name = annotationName(walk, node);
  if (name !== undefined && scalarTypes.has(name)) return true;
  if (node?.type !== 'Subscript' || name === undefined || !lists.has(name) || depth > 3) return false;
  const inner = node.index.type === 'Tuple' ? node.index.elements : [node.index];
  return inner.every((each) => each.type === 'Constant' && each.kind === 'ellipsis' || isScalarAnnotation(walk, each, depth + 1));
};

/** A field of a tainted model: safe, a model again, or tainted text; undefined = the class body annotates no such field. */
export const modelField = (walk: Walk, base: Value, info: ClassInfo, attr: string): Value | undefined => {
  if (!checksFields(info)) return undefined;
  for (const statement of info.node.body) {
    if (statement.type !== 'AnnAssign' || statement.target.type !== 'Name' || statement.target.id !== attr) continue;
    if (isScalarAnnotation(walk, statement.annotation)) return safeValue;
    const name = annotationName(walk, statement.annotation);
    const local = name?.startsWith('.') === true ? walk.lookup(name.slice(1)) : undefined;
    const inner = local?.shape?.type === 'Class' ? walk.classes.get(local.shape.info)?.instance : undefined;
    return inner === undefined ? derive(base) : makeValue(base.level, base.flags, base.cleared, inner.name, inner.shape, base.trace);
  }
  return undefined;
};
