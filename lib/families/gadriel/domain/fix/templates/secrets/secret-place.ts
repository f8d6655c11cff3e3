/** Where a secret may be read from the environment instead: in places that are reached only when the value is wanted. */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import type { PyNode, PythonCode } from '../code/python-code.ts';

const early = 'is needed as soon as the code is read, where the environment may lack it';
const fallback = 'A fallback is worked out even where another value is given, and the environment may lack it: take it away, so that the value has to be given.';

/**
 * Why an expression can not become `os.environ[…]`, which raises where the variable is missing; undefined where it can.
 * Everything that is worked out together with it is looked at, up to the statement, function or lambda that runs it.
 */
export function whyNotRead(code: PythonCode, place: PyExpr): string | undefined {
  let at: PyNode = place;
  for (let parent = code.parentOf(at); parent !== undefined; [at, parent] = [parent, code.parentOf(parent)]) {
    const why = whyNotUnder(code, parent, at);
    if (why !== undefined) return why;
    const isBody = parent.type === 'Lambda' || parent.type === 'FunctionDef' || parent.type === 'ClassDef';
    if (isBody) return undefined;
  }
  return undefined;
}

function whyNotUnder(code: PythonCode, parent: PyNode, at: PyNode): string | undefined {
  switch (parent.type) {
    case 'Lambda': return at === parent.body ? undefined : `A default of a parameter ${early}.`;
    case 'FunctionDef': return within(parent.body, at) ? undefined : `A default of a parameter, an annotation or a decorator ${early}.`;
    case 'ClassDef': return within(parent.body, at) ? whyNotInClass(parent, at) : `What a class is made with ${early}.`;
    case 'AnnAssign': return at === parent.annotation ? 'A type can not be read from the environment.' : isDefaultName(code.source(parent.target)) ? fallback : undefined;
    case 'Assign': return parent.targets.some((target) => isDefaultName(code.source(target))) ? fallback : undefined;
    case 'Subscript': return /\b(?:Literal|Annotated)$/.test(code.source(parent.value)) ? 'A type can not be read from the environment.' : undefined;
    case 'TypeAlias': return 'A type can not be read from the environment.';
    case 'Match': return parent.cases.some(({ values }) => within(values, at)) ? 'A pattern takes no call.' : undefined;
    case 'Call': return whyNotArgument(code, parent, at);
    case 'Dict': return at.type !== 'Dict' && parent.entries.some(({ key, value }) => value === at && key?.type === 'Constant' && key.kind === 'str' && isDefaultName(key.value)) ? fallback : undefined;
    case 'ErrorExpr': case 'ErrorStmt': return 'The code around it is no valid Python.';
    default: return undefined;
  }
}

const within = (list: readonly PyNode[], node: PyNode): boolean => list.includes(node);

const isDefaultName = (name: string): boolean => /default|fallback/i.test(name);

/** Fields of dataclasses and of pydantic have a default for who gives no value; constants of a class are read by everybody. */
function whyNotInClass(parent: PyNode & { readonly type: 'ClassDef' }, at: PyNode): string | undefined {
  const bases = parent.bases.map(({ value }) => (value.type === 'Attribute' ? value.attr : value.type === 'Name' ? value.id : ''));
  const isConstant = at.type === 'AnnAssign' && /\bClassVar$/.test(at.annotation.type === 'Subscript' ? lastOf(at.annotation.value) : lastOf(at.annotation));
  const isField = at.type === 'AnnAssign' ? !isConstant && (parent.decorators.length > 0 || bases.length > 0) : bases.some((name) => /(?:Settings|Model)$/.test(name));
  return isField && (at.type === 'AnnAssign' || at.type === 'Assign') ? `The default of a field ${early}, even if a value is given: let the field have none.` : undefined;
}

const lastOf = (node: PyExpr): string => (node.type === 'Attribute' ? node.attr : node.type === 'Name' ? node.id : '');

/** Functions whose further arguments are what they give back where they find nothing, or what they put into the environment. */
const looksUp = /(?:^|\.)(?:get\w{0,60}|pop|setdefault|putenv|setenv|next|config|env(?:iron)?(?:\.\w{1,60})?)$/i;

function whyNotArgument(code: PythonCode, call: PyCall, at: PyNode): string | undefined {
  const index = call.args.findIndex(({ value }) => value === at);
  const argument = call.args[index];
  if (argument === undefined) return undefined;
  const isFallback = argument.kind === 'keyword' ? isDefaultName(argument.name) || /^(?:missing|initial)$/.test(argument.name) : index > 0 && looksUp.test(code.source(call.func));
  return isFallback ? fallback : undefined;
}
