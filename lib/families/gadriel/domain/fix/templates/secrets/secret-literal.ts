/** The template of secrets that are written in the code. */
import type { PyExpr, PyStmt } from '../../../../../../syntax/python.types.ts';
import type { Finding } from '../../../finding.types.ts';
import type { TextEdit } from '../../text-edit.ts';
import { importName } from '../code/add-import.ts';
import { variableName } from './environment-names.ts';
import type { PythonCode } from '../code/python-code.ts';
import { whyNotRead } from './secret-place.ts';
import { decline, type PythonTemplate } from '../template.types.ts';

type StringLiteral = PyExpr & { readonly type: 'Constant' };

/** A secret that is a whole string literal becomes a variable of the environment; as a fallback for one it is taken away. */
export const secretLiteral: PythonTemplate = (code, finding) => {
  const place = secretPlace(code, finding);
  if (place === undefined) return decline('The secret is part of a longer text.');
  const lookUp = lookUpAround(code, place);
  const stored = storedVariable(code, lookUp?.whole ?? place);
  if (stored !== undefined && (lookUp === undefined || code.source(lookUp.name) === stored.name)) return withoutStatement(code, stored.statement, stored.name);
  const why = whyNotRead(code, lookUp?.whole ?? place);
  if (why !== undefined) return decline(why);
  const os = importName(code, 'os');
  if (os === undefined) return decline('The name os means something else here.');
  const name = lookUp === undefined ? JSON.stringify(variableName(code, place, finding)) : code.source(lookUp.name);
  const { start, end } = lookUp ?? place;
  return {
    edits: [...os.edits, { start, end, text: `${os.name}.environ[${name}]` }],
    rationale: `The secret comes from the environment. Review: revoke it where it was issued, and set ${name.replace(/^["']|["']$/g, '')} to its successor; without it the code fails with a KeyError.`,
  };
};

/** The string literal whose whole text is the secret. */
function secretPlace(code: PythonCode, finding: Finding): StringLiteral | undefined {
  return code.nodes().find((node): node is StringLiteral => {
    if (node.type !== 'Constant' || node.kind !== 'str' || code.parentOf(node)?.type === 'Expr') return false;
    const prefix = /^[a-zA-Z]{0,2}["']{1,3}/.exec(code.text.slice(node.start, node.start + 5))?.[0];
    if (prefix === undefined || code.module.lineAt(node.start) !== finding.line) return false;
    const quotes = prefix.replace(/^[a-zA-Z]+/, '').length;
    return code.module.columnAt(node.start) + prefix.length === finding.column && code.module.columnAt(node.end) - quotes === finding.end_column
      && code.module.lineAt(node.end) === finding.end_line;
  });
}

/** A read of the environment for which the secret is the fallback: the range to replace, all of the expression, and the variable's name. */
type LookUp = { readonly start: number; readonly end: number; readonly whole: PyExpr; readonly name: PyExpr };

/**
 * `os.environ.get(NAME, secret)`, `os.getenv(NAME, secret)` and `os.getenv(NAME) or secret`. The name is read with brackets from
 * now on: what was a text stays one, where `get` alone would give None, and a header or an option without a value is easily sent.
 */
function lookUpAround(code: PythonCode, place: PyExpr): LookUp | undefined {
  const parent = code.parentOf(place);
  if (parent?.type === 'Call') {
    const name = parent.args.length === 2 && parent.args[1]!.value === place ? nameRead(code, parent) : undefined;
    return name === undefined ? undefined : { start: parent.start, end: parent.end, whole: parent, name };
  }
  if (parent?.type !== 'BoolOp' || parent.op !== 'or' || parent.values.at(-1) !== place) return undefined;
  const before = parent.values.at(-2)!;
  const name = before.type === 'Call' && before.args.length === 1 ? nameRead(code, before) : undefined;
  const isPlain = /^\s+or\s+$/.test(code.text.slice(before.end, place.start));
  return name === undefined || !isPlain ? undefined : { start: before.start, end: place.end, whole: parent, name };
}

/** The name of the variable that a call reads. */
function nameRead(code: PythonCode, call: PyExpr & { readonly type: 'Call' }): PyExpr | undefined {
  const [name] = call.args;
  return /^os\.(?:environ\.get|getenv)$/.test(code.nameOf(call.func) ?? '') && name?.kind === 'positional' ? name.value : undefined;
}

/** The statement that only puts a value into the environment: `os.environ[NAME] = secret`. */
function storedVariable(code: PythonCode, place: PyExpr): { readonly statement: PyStmt; readonly name: string } | undefined {
  const statement = code.parentOf(place);
  const target = statement?.type === 'Assign' && statement.targets.length === 1 ? statement.targets[0] : undefined;
  return statement?.type === 'Assign' && target?.type === 'Subscript' && code.nameOf(target.value) === 'os.environ' ? { statement, name: code.source(target.index) } : undefined;
}

/** A variable that the code puts into the environment is to be there already. */
function withoutStatement(code: PythonCode, statement: PyStmt, name: string): ReturnType<PythonTemplate> {
  const line = wholeLine(code, statement);
  if (line === undefined || !hasNeighbour(code, statement)) return decline(`The environment has to hold ${name} before the program starts: what puts it there in the code has to go.`);
  return { edits: [line], rationale: `The environment has to hold ${name} itself. Review: revoke the secret where it was issued, and set ${name} to its successor before the program starts.` };
}

/** The lines of a statement that shares them with nothing but a comment behind it. */
function wholeLine(code: PythonCode, statement: PyStmt): TextEdit | undefined {
  const start = code.text.lastIndexOf('\n', statement.start - 1) + 1;
  const next = code.text.indexOf('\n', statement.end);
  const end = next < 0 ? code.text.length : next + 1;
  const isAlone = /^[ \t]*$/.test(code.text.slice(start, statement.start)) && /^[ \t]*(?:#[^\n]*)?\r?\n?$/.test(code.text.slice(statement.end, end));
  return isAlone ? { start, end, text: '' } : undefined;
}

/** Whether something else stands in the block, which must not become empty. */
function hasNeighbour(code: PythonCode, statement: PyStmt): boolean {
  const parent = code.parentOf(statement);
  if (parent === undefined) return code.module.body.length > 1;
  return (parent.type === 'FunctionDef' || parent.type === 'With') && parent.body.length > 1;
}
