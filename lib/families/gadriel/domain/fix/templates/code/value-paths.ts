import type { PyExpr } from '../../../../../../syntax/python.types.ts';
import type { PyNode, PythonCode } from './python-code.ts';
import { functionAround } from './scopes.ts';

/** Whether what stands around a place of a value holds the value too, or what matters of it. */
export type Carries = (code: PythonCode, place: PyNode, around: PyNode) => boolean;

/**
 * The places of a file where one of these values surely or possibly is: where it is made, where what it is assigned to is read, where a
 * function that returns it is called, and what `carries` it further. Other files, and parameters that it is passed to, are not seen.
 */
export function placesOf(code: PythonCode, values: readonly PyNode[], carries: Carries): readonly PyNode[] {
  const places = new Set<PyNode>(values);
  const file = openFile(code);
  for (const place of places) {
    for (const next of onwards(code, file, place, code.parentOf(place)!, carries)) places.add(next);
  }
  return [...places];
}

/** Where the variables of a file are read and its functions called, each told once so that a file of one name is not gone through again and again. */
type File = { readsOf(target: PyExpr): readonly PyNode[]; callsOf(statement: PyNode): readonly PyNode[] };

function openFile(code: PythonCode): File {
  const named = new Map<string, PyNode[]>();
  const put = (key: string, node: PyNode): void => void (named.get(key)?.push(node) ?? named.set(key, [node]));
  for (const node of code.nodes()) {
    if (node.type === 'Name' || node.type === 'Attribute' || node.type === 'Subscript') put(code.source(node), node);
    if (node.type === 'Call' && (node.func.type === 'Name' || node.func.type === 'Attribute')) put(`${node.func.type === 'Name' ? node.func.id : node.func.attr}()`, node);
  }
  const told = new Set<string>();
  const once = (key: string, nodes: () => readonly PyNode[]): readonly PyNode[] => (told.has(key) ? [] : told.add(key) && nodes());
  return {
    // A name is read in its function, anything else in the whole file.
    readsOf: (target) => {
      const source = code.source(target);
      const scope = target.type === 'Name' ? functionAround(code, target) : undefined;
      return once(`${scope?.start} ${source}`, () => (named.get(source) ?? []).filter((node) => !isTarget(code, node) && (scope === undefined || (scope.start <= node.start && node.end <= scope.end))));
    },
    callsOf: (statement) => {
      const made = functionAround(code, statement);
      return made?.type === 'FunctionDef' ? once(`${made.name}()`, () => named.get(`${made.name}()`) ?? []) : [];
    },
  };
}

function isTarget(code: PythonCode, node: PyNode): boolean {
  const around = code.parentOf(node);
  return around?.type === 'Assign' ? around.value !== node : (around?.type === 'AnnAssign' || around?.type === 'NamedExpr' || around?.type === 'For') && around.target === node;
}

function onwards(code: PythonCode, file: File, place: PyNode, around: PyNode, carries: Carries): readonly PyNode[] {
  switch (around.type) {
    case 'Assign': return around.value === place ? around.targets.flatMap((target) => file.readsOf(target)) : [];
    case 'AnnAssign': return around.value === place ? file.readsOf(around.target) : [];
    case 'NamedExpr': return around.value === place ? [around, ...file.readsOf(around.target)] : [];
    case 'For': return around.iter === place ? elementsOf(around.target).flatMap((each) => file.readsOf(each)) : [];
    case 'Comprehension': return around.clauses.flatMap(({ target, iter }) => (iter === place ? elementsOf(target).flatMap((each) => file.readsOf(each)) : []));
    case 'Return': return file.callsOf(around);
    case 'BoolOp': case 'Await': return [around];
    case 'IfExp': return around.test === place ? [] : [around];
    default: return carries(code, place, around) ? [around] : [];
  }
}

const elementsOf = (target: PyExpr): readonly PyExpr[] => (target.type === 'Tuple' ? target.elements : [target]);
