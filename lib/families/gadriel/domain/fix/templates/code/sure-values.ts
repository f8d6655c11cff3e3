/** What a value surely is, for templates whose fix is right for a number or a text only. Whatever is not seen is not sure. */
import type { PyExpr } from '../../../../../../syntax/python.types.ts';
import type { PythonCode } from './python-code.ts';
import { isRebound, namesBoundBy, possibleTexts, valuesOf } from './scopes.ts';

/** What is known of names so far, so that each is looked at once however often and in whatever circles it is used. */
type Known = Map<string, boolean>;
type Test = (code: PythonCode, value: PyExpr, known?: Known) => boolean;

/** More names than this are not followed. */
const maxNames = 20;

/** What makes a number: functions, operators between numbers, types of names. */
type NumberRule = { readonly makers: ReadonlySet<string>; readonly operators: RegExp; readonly literal: RegExp; readonly type: RegExp };
const anyNumber: NumberRule = { makers: new Set(['int', 'float', 'len', 'round', 'abs', 'ord']), operators: /^(?:\*\*?|\/\/?|[-+])$/, literal: /^(?:int|float)$/, type: /^(?:int|float)$/ };
const wholeNumber: NumberRule = { makers: new Set(['int', 'len', 'ord']), operators: /^(?:\/\/|[-+*%])$/, literal: /^int$/, type: /^int$/ };

/** Methods of a text that give a text. */
export const textMethods = new Set(['strip', 'lstrip', 'rstrip', 'lower', 'upper', 'title', 'capitalize', 'casefold', 'replace', 'join', 'format', 'zfill', 'hexdigest', 'isoformat']);
/** What is looked up in these is a text, where it is there. */
const textTables = /^(?:flask\.request\.(?:args|form|values|cookies|headers)|os\.environ|sys\.argv)$/;
const djangoTables = /^(?:self\.)?request\.(?:GET|POST|COOKIES|headers)$/;
const lookUps = new Set(['get', 'pop', 'getlist', 'get_argument', 'getenv', 'getfirst', 'getvalue', 'setdefault']);

/** Whether a value is a number whenever the code runs to its end. */
export const isSurelyNumber: Test = (code, value, known = new Map()) => isNumber(code, value, anyNumber, known);

/** Whether a value is a whole number whenever the code runs to its end. */
export const isSurelyInt: Test = (code, value, known = new Map()) => isNumber(code, value, wholeNumber, known);

function isNumber(code: PythonCode, value: PyExpr, rule: NumberRule, known: Known): boolean {
  const of = (each: PyExpr): boolean => isNumber(code, each, rule, known);
  switch (value.type) {
    case 'Constant': return rule.literal.test(value.kind);
    case 'Name': return allBindings(code, value, (_code, each) => of(each), rule.type, known);
    case 'Call': {
      const type = value.args.find((each) => each.kind === 'keyword' && each.name === 'type')?.value;
      const lookedUp = value.func.type === 'Attribute' && value.func.attr === 'get' && type?.type === 'Name' && isBuiltin(code, type, rule.makers);
      return isBuiltin(code, value.func, rule.makers) || lookedUp;
    }
    case 'BinOp': return rule.operators.test(value.op) && of(value.left) && of(value.right);
    case 'UnaryOp': return value.op !== 'not' && of(value.operand);
    case 'IfExp': return of(value.body) && of(value.orelse);
    default: return false;
  }
}

/** Whether a value is a text whenever the code runs to its end. */
export function isSurelyText(code: PythonCode, value: PyExpr, known: Known = new Map()): boolean {
  switch (value.type) {
    case 'Constant': return value.kind === 'str';
    case 'JoinedStr': return true;
    case 'Name': return allBindings(code, value, isSurelyText, /^str$/, known);
    case 'Subscript': return value.index.type !== 'Slice' ? isTextTable(code, value.value) : isSurelyText(code, value.value, known);
    case 'Call': {
      if (isBuiltin(code, value.func, new Set(['str', 'repr', 'input']))) return true;
      if (value.func.type !== 'Attribute') return false;
      const { attr, value: owner } = value.func;
      if (attr === 'hexdigest' || attr === 'isoformat') return true;
      if (textMethods.has(attr)) return isSurelyText(code, owner, known);
      // Without a default it may be None.
      return attr === 'get' && isTextTable(code, owner) && value.args.length === 2 && value.args[1]!.kind !== 'doublestar' && isSurelyText(code, value.args[1]!.value, known)
        && !(value.args[1]!.kind === 'keyword' && value.args[1]!.name === 'type');
    }
    // What is added to a text is one, or it fails.
    case 'BinOp': return (value.op === '+' && (isSurelyText(code, value.left, known) || isSurelyText(code, value.right, known))) || (value.op === '%' && isSurelyText(code, value.left, known));
    case 'BoolOp': return value.values.every((each) => isSurelyText(code, each, known));
    case 'IfExp': return isSurelyText(code, value.body, known) && isSurelyText(code, value.orelse, known);
    default: return false;
  }
}

/** The texts of the code that a value may be: what is assigned, chosen, or the default of a look-up or of a parameter; no keys. */
export function writtenTexts(code: PythonCode, value: PyExpr, seen: Set<string> = new Set()): readonly string[] {
  const of = (each: PyExpr): readonly string[] => writtenTexts(code, each, seen);
  switch (value.type) {
    case 'Constant': return value.kind === 'str' ? [value.value] : [];
    case 'JoinedStr': return value.parts.flatMap((part) => (part.type === 'Text' ? part.value : of(part.value)));
    case 'Name': {
      if (seen.has(value.id) || seen.size > maxNames) return [];
      seen.add(value.id);
      return [...possibleTexts(code, value), ...(valuesOf(code, value) ?? []).flatMap(of)];
    }
    case 'Subscript': return [...possibleTexts(code, value), ...(value.value.type === 'Dict' ? of(value.value) : [])];
    case 'Dict': return value.entries.flatMap((entry) => of(entry.value));
    case 'BoolOp': return value.values.flatMap(of);
    case 'IfExp': return [...of(value.body), ...of(value.orelse)];
    case 'BinOp': return [...of(value.left), ...of(value.right)];
    case 'Tuple': return value.elements.flatMap(of);
    case 'Call': {
      const key = value.func.type === 'Attribute' && lookUps.has(value.func.attr) ? 1 : 0;
      return [...(value.func.type === 'Attribute' ? of(value.func.value) : []), ...value.args.slice(key).flatMap((each) => of(each.value))];
    }
    default: return [];
  }
}

/** Whether a function is one of these builtins, by its name. */
export const isBuiltin = (code: PythonCode, callee: PyExpr, names: ReadonlySet<string>): boolean =>
  callee.type === 'Name' && names.has(callee.id) && !code.imports.has(callee.id) && !isRebound(code, callee.id);

const isTextTable = (code: PythonCode, table: PyExpr): boolean => textTables.test(code.nameOf(table) ?? '') || djangoTables.test(code.source(table));

/** Whether all that binds a name, wherever in the file, gives it such a value: assignments, and parameters by their annotation. */
function allBindings(code: PythonCode, { id }: PyExpr & { readonly type: 'Name' }, test: Test, annotated: RegExp, known: Known): boolean {
  const before = known.get(id);
  if (before !== undefined || code.imports.has(id) || known.size > maxNames) return before === true;
  known.set(id, false);
  const binders = code.nodes().filter((node) => namesBoundBy(node).includes(id));
  const all = binders.length > 0 && binders.every((node) => {
    if (node.type === 'FunctionDef' && node.name !== id) {
      const annotation = node.params.find(({ name }) => name === id)!.annotation;
      return annotation !== undefined && annotated.test(code.source(annotation));
    }
    if (node.type === 'Assign') return node.targets.every(({ type }) => type === 'Name') && test(code, node.value, known);
    return node.type === 'AnnAssign' && node.value !== undefined && test(code, node.value, known);
  });
  known.set(id, all);
  return all;
}
