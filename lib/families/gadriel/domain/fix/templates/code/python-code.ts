import { parsePython } from '../../../../../../syntax/python.ts';
import type { PyCall, PyExpr, PyModule, PySpan, PyStmt } from '../../../../../../syntax/python.types.ts';
import type { Finding } from '../../../finding.types.ts';

/** A node of the tree, expression or statement. */
export type PyNode = PyExpr | PyStmt;

/** A parsed text as templates look at it. */
export type PythonCode = {
  readonly text: string;
  readonly module: PyModule;
  /** The line end of the text: of its first line. */
  readonly newline: '\n' | '\r\n';
  /** Qualified names by the local name that an import gives them. */
  readonly imports: ReadonlyMap<string, string>;
  /** Where the finding begins; undefined without one. */
  readonly focus: number | undefined;
  /** Where the statement of the finding begins that runs as the module is loaded; undefined where it is in the body of a function, which runs later. */
  readonly loadsAt: number | undefined;
  /** The expression that stands exactly where the finding is, the outermost of several. */
  expressionAt(finding: Finding): PyExpr | undefined;
  /** That expression when it is a call. */
  callAt(finding: Finding): PyCall | undefined;
  /** The innermost statement around the start of the finding. */
  statementAt(finding: Finding): PyStmt | undefined;
  /** Where the comment that begins at an offset ends; undefined where none begins. */
  commentEnd(offset: number): number | undefined;
  /** The source text of a node. */
  source(node: PySpan): string;
  /** `subprocess.run` for `sp.run` after `import subprocess as sp`; of calls `name()`. Undefined for what no import explains. */
  nameOf(expression: PyExpr): string | undefined;
  /** The same, and where the expression is a variable that is assigned one thing only, the name of that. */
  originOf(expression: PyExpr): string | undefined;
  /** Every node in order of the tree, parents first. */
  nodes(): readonly PyNode[];
  parentOf(node: PyNode): PyNode | undefined;
};

/** Parses a text for the templates; never throws. */
export function openPython(text: string, finding?: Finding): PythonCode {
  const module = parsePython(text);
  const parents = new Map<PyNode, PyNode | undefined>();
  collect(module.body, undefined, parents);
  const nodes = [...parents.keys()];
  const imports = importsOf(nodes);
  const comments = new Map(module.comments.map(({ start, end }) => [start, end]));
  const starts = lineStarts(text);
  const offsetOf = (line: number, column: number): number => (starts[line - 1] ?? text.length) + column - 1;
  const expressionAt = (finding: Finding): PyExpr | undefined => {
    const [start, end] = [offsetOf(finding.line, finding.column), offsetOf(finding.end_line, finding.end_column)];
    return nodes.find((node): node is PyExpr => node.start === start && node.end === end && !statementTypes.has(node.type));
  };
  const nameOf = (expression: PyExpr): string | undefined => {
    if (expression.type === 'Name') return imports.get(expression.id) ?? (builtins.has(expression.id) ? expression.id : undefined);
    const inner = expression.type === 'Attribute' ? nameOf(expression.value) : expression.type === 'Call' ? nameOf(expression.func) : undefined;
    if (inner === undefined) return undefined;
    return expression.type === 'Attribute' ? `${inner}.${expression.attr}` : `${inner}()`;
  };
  const originOf = (expression: PyExpr, depth = 0): string | undefined => {
    const named = nameOf(expression);
    if (named !== undefined || depth > 8) return named;
    if (expression.type === 'Attribute') return suffixed(originOf(expression.value, depth + 1), `.${expression.attr}`);
    if (expression.type === 'Call') return suffixed(originOf(expression.func, depth + 1), '()');
    const value = expression.type === 'Name' ? onlyValueOf(expression.id, nodes) : undefined;
    return value === undefined ? undefined : originOf(value, depth + 1);
  };
  const found = finding === undefined ? undefined : offsetOf(finding.line, finding.column);
  return {
    text, module, imports, nameOf, expressionAt,
    focus: found,
    loadsAt: found === undefined ? undefined : loadsAt(nodes, found),
    newline: /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n',
    commentEnd: (offset) => comments.get(offset),
    originOf: (expression) => originOf(expression),
    callAt: (finding) => {
      const found = expressionAt(finding);
      return found?.type === 'Call' ? found : undefined;
    },
    statementAt: (finding) => {
      const start = offsetOf(finding.line, finding.column);
      return nodes.filter((node): node is PyStmt => statementTypes.has(node.type) && node.start <= start && start < node.end).at(-1);
    },
    source: ({ start, end }) => text.slice(start, end),
    nodes: () => nodes,
    parentOf: (node) => parents.get(node),
  };
}

function loadsAt(nodes: readonly PyNode[], offset: number): number | undefined {
  const holds = ({ start, end }: PyNode): boolean => start <= offset && offset < end;
  if (nodes.some((node) => (node.type === 'FunctionDef' && node.body.some(holds)) || (node.type === 'Lambda' && holds(node.body)))) return undefined;
  return nodes.find((node) => statementTypes.has(node.type) && holds(node))?.start;
}

const suffixed = (name: string | undefined, suffix: string): string | undefined => (name === undefined ? undefined : name + suffix);

const statementTypes: ReadonlySet<string> = new Set<PyStmt['type']>([
  'Expr', 'Assign', 'AugAssign', 'AnnAssign', 'Return', 'Raise', 'Assert', 'Delete', 'Global', 'Nonlocal', 'Pass', 'Break', 'Continue', 'Import',
  'ImportFrom', 'If', 'While', 'For', 'With', 'Try', 'Match', 'FunctionDef', 'ClassDef', 'TypeAlias', 'ErrorStmt',
]);

/** Builtins that templates ask for by name. */
const builtins = new Set(['eval', 'open', 'print']);

/** Walks whatever the tree consists of: nodes have a type and a place, what lies between them has not. */
function collect(part: unknown, parent: PyNode | undefined, parents: Map<PyNode, PyNode | undefined>): void {
  if (typeof part !== 'object' || part === null) return;
  if (Array.isArray(part)) {
    for (const each of part) collect(each, parent, parents);
    return;
  }
  const isNode = 'type' in part && 'start' in part;
  if (isNode) parents.set(part as PyNode, parent);
  for (const each of Object.values(part)) collect(each, isNode ? (part as PyNode) : parent, parents);
}

function importsOf(nodes: readonly PyNode[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const node of nodes) {
    if (node.type === 'Import') {
      for (const { name, asName } of node.names) names.set(asName ?? name.split('.')[0]!, asName === undefined ? name.split('.')[0]! : name);
    } else if (node.type === 'ImportFrom') {
      for (const { name, asName } of node.names) names.set(asName ?? name, `${'.'.repeat(node.level)}${node.module}.${name}`);
    }
  }
  return names;
}

/** What a variable is assigned, when the whole text assigns it once; a `with … as` counts as an assignment. */
function onlyValueOf(id: string, nodes: readonly PyNode[]): PyExpr | undefined {
  const values: PyExpr[] = [];
  const isIt = (target: PyExpr | undefined): boolean => target?.type === 'Name' && target.id === id;
  for (const node of nodes) {
    if (node.type === 'Assign' && node.targets.some(isIt)) values.push(node.value);
    if (node.type === 'AnnAssign' && isIt(node.target) && node.value !== undefined) values.push(node.value);
    if (node.type === 'With') values.push(...node.items.filter(({ target }) => isIt(target)).map(({ context }) => context));
  }
  return values.length === 1 ? values[0] : undefined;
}

/** Offsets at which lines begin, as the scanner counts lines. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length);
  return starts;
}
