import { parse } from 'py-ast';
import type { PyArgument, PyExpr, PyModule, PyParam, PyStmt, PyStringPart } from '../../lib/syntax/python.types.ts';

/** A tree reduced to what both parsers agree on, as nested lists. */
export type Shape = string | readonly Shape[];

const list = (items: readonly PyExpr[]): Shape[] => items.map(exprShape);
const maybe = (item: PyExpr | undefined): Shape => (item === undefined ? '' : exprShape(item));
const block = (items: readonly PyStmt[]): Shape[] => items.map(statementShape);

/** The shape of our typed tree. */
export function shapeOf(module: PyModule): Shape[] {
  return block(module.body);
}

function argumentShape(argument: PyArgument): Shape {
  const value = exprShape(argument.value);
  if (argument.kind === 'keyword') return ['keyword', argument.name, value];
  if (argument.kind === 'doublestar') return ['keyword', '', value];
  return argument.kind === 'star' ? ['Starred', value] : value;
}

/** Positional arguments first, as the oracle keeps them apart. */
function argumentShapes(args: readonly PyArgument[]): Shape[] {
  const named = (argument: PyArgument): boolean => argument.kind === 'keyword' || argument.kind === 'doublestar';
  return [...args.filter((argument) => !named(argument)), ...args.filter(named)].map(argumentShape);
}

function paramShapes(params: readonly PyParam[]): Shape[] {
  return params.map((param) => [param.kind, param.name, maybe(param.annotation), maybe(param.default)]);
}

function partShape(part: PyStringPart): Shape {
  if (part.type === 'Text') return part.value === '...' ? ['Constant', ''] : ['str', part.value];
  return ['Formatted', exprShape(part.value), part.conversion, part.spec.map(partShape)];
}

function exprShape(expr: PyExpr): Shape {
  switch (expr.type) {
    case 'Name': return ['Name', expr.id];
    case 'Constant': return (expr.kind === 'str' && expr.value !== '...') || expr.kind === 'bytes' ? ['str', expr.value] : ['Constant', expr.kind === 'bool' ? String(expr.value) : ''];
    case 'JoinedStr': return ['JoinedStr', expr.parts.map(partShape)];
    case 'Attribute': return ['Attribute', exprShape(expr.value), expr.attr];
    case 'Subscript': return ['Subscript', exprShape(expr.value), exprShape(expr.index)];
    case 'Slice': return ['Slice', list(expr.parts)];
    case 'Call': return ['Call', exprShape(expr.func), argumentShapes(expr.args)];
    case 'BinOp': return ['BinOp', exprShape(expr.left), exprShape(expr.right)];
    case 'BoolOp': return ['BoolOp', list(expr.values)];
    case 'UnaryOp': return ['UnaryOp', exprShape(expr.operand)];
    case 'Compare': return ['Compare', exprShape(expr.left), list(expr.comparators)];
    case 'IfExp': return ['IfExp', exprShape(expr.test), exprShape(expr.body), exprShape(expr.orelse)];
    case 'Lambda': return ['Lambda', paramShapes(expr.params), exprShape(expr.body)];
    case 'List': case 'Tuple': case 'Set': return [expr.type, list(expr.elements)];
    case 'Dict': return ['Dict', expr.entries.map((entry) => [maybe(entry.key), exprShape(entry.value)])];
    case 'Comprehension': return [expr.kind, exprShape(expr.element), maybe(expr.value), expr.clauses.map((clause) => [exprShape(clause.target), exprShape(clause.iter), list(clause.conditions)])];
    case 'Await': return ['Await', exprShape(expr.value)];
    case 'Yield': return ['Yield', maybe(expr.value)];
    case 'Starred': return ['Starred', exprShape(expr.value)];
    case 'NamedExpr': return ['NamedExpr', exprShape(expr.target), exprShape(expr.value)];
    case 'ErrorExpr': return ['ErrorExpr', list(expr.children)];
  }
}

function statementShape(statement: PyStmt): Shape {
  switch (statement.type) {
    case 'Expr': return ['Expr', exprShape(statement.value)];
    case 'Assign': return ['Assign', list(statement.targets), exprShape(statement.value)];
    case 'AugAssign': return ['AugAssign', exprShape(statement.target), exprShape(statement.value)];
    case 'AnnAssign': return ['AnnAssign', exprShape(statement.target), exprShape(statement.annotation), maybe(statement.value)];
    case 'Return': return ['Return', maybe(statement.value)];
    case 'Raise': return ['Raise', maybe(statement.exc), maybe(statement.cause)];
    case 'Assert': return ['Assert', exprShape(statement.test), maybe(statement.message)];
    case 'Delete': return ['Delete', list(statement.targets)];
    case 'Global': case 'Nonlocal': return [statement.type, statement.names];
    case 'Pass': case 'Break': case 'Continue': return statement.type;
    case 'Import': return ['Import', statement.names.map((alias) => [alias.name, alias.asName ?? ''])];
    case 'ImportFrom': return ['ImportFrom', statement.module, String(statement.level), statement.names.map((alias) => [alias.name, alias.asName ?? ''])];
    case 'If': return ['If', exprShape(statement.test), block(statement.body), block(statement.orelse)];
    case 'While': return ['While', exprShape(statement.test), block(statement.body), block(statement.orelse)];
    case 'For': return ['For', String(statement.async), exprShape(statement.target), exprShape(statement.iter), block(statement.body), block(statement.orelse)];
    case 'With': return ['With', String(statement.async), statement.items.map((item) => [exprShape(item.context), maybe(item.target)]), block(statement.body)];
    case 'Try': return ['Try', block(statement.body), statement.handlers.map((handler) => [maybe(handler.exception), handler.name ?? '', block(handler.body)]), block(statement.orelse), block(statement.finalbody)];
    case 'Match': return ['Match', exprShape(statement.subject), statement.cases.map((clause) => [maybe(clause.guard), block(clause.body)])];
    case 'FunctionDef': return ['FunctionDef', String(statement.async), statement.name, paramShapes(statement.params), list(statement.decorators), maybe(statement.returns), block(statement.body)];
    case 'ClassDef': return ['ClassDef', statement.name, argumentShapes(statement.bases), list(statement.decorators), block(statement.body)];
    case 'TypeAlias': return ['TypeAlias', statement.name, exprShape(statement.value)];
    case 'ErrorStmt': return ['ErrorStmt', list(statement.children)];
  }
}

/** A node of py-ast, read by field name: its types name every field, which would say nothing here. */
type OracleNode = { readonly nodeType: string; readonly [field: string]: unknown };

/** The shape of the same text as py-ast sees it; throws its SyntaxError. */
export function oracleShapeOf(text: string): Shape[] {
  return (parse(text) as unknown as { body: OracleNode[] }).body.map(oracleShape);
}

function oracleParams(args: OracleNode): Shape[] {
  const nodes = (field: string): OracleNode[] => (args[field] ?? []) as OracleNode[];
  const positional = [...nodes('posonlyargs'), ...nodes('args')];
  const defaults = nodes('defaults');
  const param = (kind: string, arg: OracleNode, value?: unknown): Shape => [kind, arg['arg'] as string, oracle(arg['annotation']), oracle(value)];
  const single = (kind: string, field: string): Shape[] => (args[field] ? [param(kind, args[field] as OracleNode)] : []);
  return [
    ...positional.map((arg, place) => param('positional', arg, defaults[place - positional.length + defaults.length])),
    ...single('star', 'vararg'),
    ...nodes('kwonlyargs').map((arg, place) => param('keyword', arg, nodes('kw_defaults')[place])),
    ...single('doublestar', 'kwarg'),
  ];
}

function oracle(value: unknown): Shape {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(oracle);
  return typeof value === 'object' ? oracleShape(value as OracleNode) : String(value);
}

function oracleShape(node: OracleNode): Shape {
  const pick = (...fields: string[]): Shape[] => fields.map((field) => oracle(node[field]));
  const nodes = (field: string): OracleNode[] => (node[field] ?? []) as OracleNode[];
  const keywords = (): Shape[] => nodes('keywords').map((keyword) => ['keyword', ...['arg', 'value'].map((field) => oracle(keyword[field]))]);
  const clauses = (): Shape => nodes('generators').map((clause) => ['target', 'iter', 'ifs'].map((field) => oracle(clause[field])));
  const aliases = (): Shape => nodes('names').map((alias) => [oracle(alias['name']), oracle(alias['asname'])]);
  const type = node.nodeType;
  switch (type) {
    case 'Name': return ['Name', ...pick('id')];
    case 'Constant': {
      const { value } = node;
      if (typeof value === 'string' && value !== '...') return ['str', value];
      return value instanceof Uint8Array ? ['str', Buffer.from(value).toString('latin1')] : ['Constant', typeof value === 'boolean' ? String(value) : ''];
    }
    case 'FormattedValue': {
      const spec = node['format_spec'] as OracleNode | undefined;
      const conversion = node['conversion'] as number;
      return ['Formatted', ...pick('value'), conversion > 0 ? String.fromCharCode(conversion) : '', spec ? oracle(spec['values']) : []];
    }
    case 'Slice': return ['Slice', ['lower', 'upper', 'step'].flatMap((field) => (node[field] ? [oracle(node[field])] : []))];
    case 'Call': return ['Call', ...pick('func'), [...nodes('args').map(oracleShape), ...keywords()]];
    case 'Lambda': return ['Lambda', oracleParams(node['args'] as OracleNode), ...pick('body')];
    case 'Dict': return ['Dict', nodes('values').map((value, place) => [oracle(nodes('keys')[place]), oracleShape(value)])];
    case 'ListComp': return ['list', ...pick('elt'), '', clauses()];
    case 'SetComp': return ['set', ...pick('elt'), '', clauses()];
    case 'GeneratorExp': return ['generator', ...pick('elt'), '', clauses()];
    case 'DictComp': return ['dict', ...pick('key', 'value'), clauses()];
    case 'YieldFrom': return ['Yield', ...pick('value')];
    case 'Global': case 'Nonlocal': return [type, node['names'] as string[]];
    case 'Pass': case 'Break': case 'Continue': return type;
    case 'Import': return ['Import', aliases()];
    case 'ImportFrom': return ['ImportFrom', ...pick('module'), String(node['level'] ?? 0), aliases()];
    case 'For': case 'AsyncFor': return ['For', String(type === 'AsyncFor'), ...pick('target', 'iter', 'body', 'orelse')];
    case 'With': case 'AsyncWith': return ['With', String(type === 'AsyncWith'), nodes('items').map((item) => ['context_expr', 'optional_vars'].map((field) => oracle(item[field]))), ...pick('body')];
    case 'Try': case 'TryStar': return ['Try', ...pick('body'), nodes('handlers').map((handler) => ['type', 'name', 'body'].map((field) => oracle(handler[field]))), ...pick('orelse', 'finalbody')];
    case 'Match': return ['Match', ...pick('subject'), nodes('cases').map((clause) => ['guard', 'body'].map((field) => oracle(clause[field])))];
    case 'FunctionDef': case 'AsyncFunctionDef': return ['FunctionDef', String(type === 'AsyncFunctionDef'), ...pick('name'), oracleParams(node['args'] as OracleNode), ...pick('decorator_list', 'returns', 'body')];
    case 'ClassDef': return ['ClassDef', ...pick('name'), [...nodes('bases').map(oracleShape), ...keywords()], ...pick('decorator_list', 'body')];
    case 'TypeAlias': return ['TypeAlias', oracle((node['name'] as OracleNode)['id']), ...pick('value')];
    default: return [type, ...pick(...(fieldsOf[type] ?? []))];
  }
}

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  JoinedStr: ['values'], Attribute: ['value', 'attr'], Subscript: ['value', 'slice'], BinOp: ['left', 'right'], BoolOp: ['values'],
  UnaryOp: ['operand'], Compare: ['left', 'comparators'], IfExp: ['test', 'body', 'orelse'], List: ['elts'], Tuple: ['elts'], Set: ['elts'],
  Await: ['value'], Yield: ['value'], Starred: ['value'], NamedExpr: ['target', 'value'], Expr: ['value'], Assign: ['targets', 'value'],
  AugAssign: ['target', 'value'], AnnAssign: ['target', 'annotation', 'value'], Return: ['value'], Raise: ['exc', 'cause'],
  Assert: ['test', 'msg'], Delete: ['targets'], If: ['test', 'body', 'orelse'], While: ['test', 'body', 'orelse'],
};
