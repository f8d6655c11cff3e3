/** Where names are bound and what they hold: what a template has to know before it moves a value or uses a name. */
import type { PyExpr, PyStmt } from '../../../../../../syntax/python.types.ts';
import type { PyNode, PythonCode } from './python-code.ts';

/** The function or lambda around a node; undefined at the top of the text. */
export function functionAround(code: PythonCode, node: PyNode): PyNode | undefined {
  let at = code.parentOf(node);
  while (at !== undefined && at.type !== 'FunctionDef' && at.type !== 'Lambda') at = code.parentOf(at);
  return at;
}

/** The nodes inside a function, or all of the text. */
export function nodesIn(code: PythonCode, scope: PyNode | undefined): readonly PyNode[] {
  return scope === undefined ? code.nodes() : code.nodes().filter((node) => node.start >= scope.start && node.end <= scope.end && node !== scope);
}

/** What a statement or expression writes to; imports apart. */
function targetsOf(node: PyNode): readonly PyExpr[] {
  switch (node.type) {
    case 'Assign': return node.targets;
    case 'AugAssign': case 'AnnAssign': case 'For': case 'NamedExpr': return [node.target];
    case 'With': return node.items.flatMap(({ target }) => (target === undefined ? [] : [target]));
    case 'Comprehension': return node.clauses.map(({ target }) => target);
    case 'Delete': return node.targets;
    default: return [];
  }
}

function leavesOf(target: PyExpr): readonly PyExpr[] {
  if (target.type === 'Tuple' || target.type === 'List') return target.elements.flatMap(leavesOf);
  return target.type === 'Starred' ? leavesOf(target.value) : [target];
}

/** The names that a node binds otherwise than by an import. */
export function namesBoundBy(node: PyNode): readonly string[] {
  if (node.type === 'FunctionDef') return [node.name, ...node.params.map(({ name }) => name)];
  if (node.type === 'Lambda') return node.params.map(({ name }) => name);
  if (node.type === 'ClassDef' || node.type === 'TypeAlias') return [node.name];
  if (node.type === 'Try') return node.handlers.flatMap(({ name }) => name ?? []);
  if (node.type === 'Match') return node.cases.flatMap(({ binds }) => binds);
  return targetsOf(node).flatMap(leavesOf).flatMap((leaf) => (leaf.type === 'Name' ? leaf.id : []));
}

/** The name at the root of `a.b[0]`. */
export function rootOf(expression: PyExpr): string | undefined {
  let at = expression;
  while (at.type === 'Attribute' || at.type === 'Subscript') at = at.value;
  return at.type === 'Name' ? at.id : undefined;
}

/** Methods that only read what they are called on. */
const reading = new Set(['get', 'getlist', 'strip', 'lstrip', 'rstrip', 'lower', 'upper', 'title', 'format', 'join', 'split', 'startswith', 'endswith', 'encode', 'items', 'keys', 'values', 'copy']);

/** The names whose value a node may change: bound, written into, or called upon. */
function namesTouchedBy(node: PyNode): readonly string[] {
  if (node.type === 'Call' && node.func.type === 'Attribute' && !reading.has(node.func.attr)) return [rootOf(node.func.value) ?? ''];
  if (node.type === 'Import' || node.type === 'ImportFrom') return node.names.map(({ name, asName }) => asName ?? name.split('.')[0]!);
  return [...namesBoundBy(node), ...targetsOf(node).flatMap(leavesOf).map((leaf) => rootOf(leaf) ?? '')];
}

/** Whether the text gives a name another meaning somewhere than an import's: a use of the name may then mean that. */
export const isRebound = (code: PythonCode, name: string): boolean => code.nodes().some((node) => namesBoundBy(node).includes(name));

/** A name that stands nowhere in the text: the first of these, else numbered. */
export function freeName(code: PythonCode, wanted: string): string {
  const isFree = (name: string): boolean => !new RegExp(`\\b${name}\\b`).test(code.text);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}_${number}`;
    if (isFree(name)) return name;
  }
}

/** The innermost statement around a node. */
export function statementOf(code: PythonCode, node: PyNode): PyStmt | undefined {
  let at: PyNode | undefined = node;
  while (at !== undefined && !isStatement(code, at)) at = code.parentOf(at);
  return at as PyStmt | undefined;
}

const isStatement = (code: PythonCode, node: PyNode): boolean => blocksOf(code, code.parentOf(node)).some((block) => block.includes(node as PyStmt));

/** The lists of statements that a statement has; of no statement those of the module. */
function blocksOf(code: PythonCode, node: PyNode | undefined): readonly (readonly PyStmt[])[] {
  if (node === undefined) return [code.module.body];
  switch (node.type) {
    case 'If': case 'While': case 'For': return [node.body, node.orelse];
    case 'With': case 'FunctionDef': case 'ClassDef': return [node.body];
    case 'Try': return [node.body, node.orelse, node.finalbody, ...node.handlers.map(({ body }) => body)];
    case 'Match': return node.cases.map(({ body }) => body);
    default: return [];
  }
}

/**
 * What a variable surely holds where it is read, with every name in it as it was: it is assigned once and read once, in the
 * same list of statements (a `with` or `try` between them runs once), and nothing that the value is made of is written in between.
 */
export function loneAssignment(code: PythonCode, use: PyExpr & { readonly type: 'Name' }): PyExpr | undefined {
  const scope = functionAround(code, use);
  const nodes = nodesIn(code, scope);
  if (nodes.filter((node) => node.type === 'Name' && node.id === use.id).length !== 2) return undefined;
  if (code.nodes().some((node) => (node.type === 'Global' || node.type === 'Nonlocal') && node.names.includes(use.id))) return undefined;
  const assignment = nodes.find((node) => node.type === 'Assign' && node.targets.length === 1 && node.targets[0]!.type === 'Name' && node.targets[0]!.id === use.id);
  if (assignment?.type !== 'Assign' || assignment.end > use.start || !sharesBlock(code, assignment, use)) return undefined;
  const names = new Set(code.nodes().filter((node) => node.start >= assignment.value.start && node.end <= assignment.value.end).flatMap((node) => (node.type === 'Name' ? node.id : [])));
  const touched = nodes.some((node) => node.start >= assignment.end && node.start < use.start
    && (node.end < use.end || node.type === 'With') && namesTouchedBy(node).some((name) => names.has(name)));
  return touched ? undefined : assignment.value;
}

function sharesBlock(code: PythonCode, assignment: PyStmt, use: PyExpr): boolean {
  const parent = code.parentOf(assignment);
  const block = blocksOf(code, parent).find((each) => each.includes(assignment));
  let at = statementOf(code, use);
  // A loop's condition is read again after its body has run.
  if (at === undefined || at.type === 'While' || parent?.type === 'ClassDef') return false;
  while (!block!.includes(at)) {
    const around = code.parentOf(at);
    if (around?.type !== 'With' && !(around?.type === 'Try' && around.body.includes(at))) return false;
    at = around;
  }
  return true;
}

/** What a name may hold in the innermost function that binds it, else at the top: undefined where it grows step by step. */
export function valuesOf(code: PythonCode, use: PyExpr & { readonly type: 'Name' }): readonly PyExpr[] | undefined {
  const values: PyExpr[] = [];
  let scope = functionAround(code, use);
  const binds = (node: PyNode): boolean => namesBoundBy(node).includes(use.id);
  while (scope !== undefined && !binds(scope) && !nodesIn(code, scope).some(binds)) scope = functionAround(code, scope);
  const binders = nodesIn(code, scope).filter((node) => binds(node) && (scope !== undefined || functionAround(code, node) === undefined));
  for (const node of binders) {
    if (node.type === 'AugAssign') return undefined;
    if (node.type === 'Assign') values.push(...node.targets.flatMap((target) => assigned(target, node.value, use.id)));
    if ((node.type === 'AnnAssign' || node.type === 'NamedExpr') && node.value !== undefined) values.push(node.value);
  }
  return values;
}

/** The part of a value that goes to a name: of `a, b = x, y` the one at its place. */
function assigned(target: PyExpr, value: PyExpr, id: string): readonly PyExpr[] {
  if (target.type === 'Name') return target.id === id ? [value] : [];
  if (target.type !== 'Tuple' || value.type !== 'Tuple' || target.elements.length !== value.elements.length) return [];
  return target.elements.flatMap((element, index) => assigned(element, value.elements[index]!, id));
}

/**
 * Texts that a value may be besides what it is assigned: the default of a parameter, elements of a list that a loop goes through,
 * elements of a table that is looked up. Those that stand in the file; a value may always be others.
 */
export function possibleTexts(code: PythonCode, use: PyExpr): readonly string[] {
  if (use.type === 'Subscript') return textsIn(code, use.value);
  if (use.type !== 'Name') return [];
  const texts: string[] = [];
  for (let scope = functionAround(code, use); scope !== undefined; scope = functionAround(code, scope)) {
    if (scope.type === 'FunctionDef') for (const { name, default: given } of scope.params) if (name === use.id && given !== undefined) texts.push(...textsIn(code, given));
  }
  for (const node of code.nodes()) {
    if (node.type !== 'For' || !namesBoundBy(node).includes(use.id)) continue;
    const iterated = node.iter.type === 'Call' ? node.iter.args.map(({ value }) => value) : [node.iter];
    texts.push(...iterated.flatMap((each) => textsIn(code, each)));
  }
  return texts;
}

/** The texts written in an expression, or in what its name is assigned somewhere in the file. */
function textsIn(code: PythonCode, value: PyExpr): readonly string[] {
  const within = ({ start, end }: PyNode): readonly string[] =>
    code.nodes().flatMap((each) => (each.type === 'Constant' && each.kind === 'str' && each.start >= start && each.end <= end ? [each.value] : []));
  if (value.type !== 'Name') return value.type === 'Call' ? [] : within(value);
  return code.nodes().flatMap((node) => (node.type === 'Assign' && node.targets.some((target) => target.type === 'Name' && target.id === value.id) ? within(node.value) : []));
}
