/** What a condition says of values when it is true, or false: checks that make a value safe on that way. */
import type { PyCall, PyCompare, PyExpr } from '../../../../syntax/python.types.ts';
import type { Value } from './model.types.ts';
import { evaluate } from './expressions.ts';
import { makeValue, SAFE, TAINTED } from './make-value.ts';
import { pathOf } from './paths.ts';
import { originOf } from './targets.ts';
import { clearBit } from './value-bits.ts';
import { constantOf, elementsOf, isNone, stringOf } from './values.ts';
import type { Walk } from './walk.ts';

/** A path that is clear for some kinds. */
export type Check = { readonly path: string; readonly root: string; readonly bits: number; readonly node: PyExpr | undefined };

const { all, path: pathBit, url: urlBit, log: logBit, shell: shellBit } = clearBit;
/** `x.startswith('/')` and `not x.startswith('//')`: only both together keep a redirect on this site. */
const oneSlash = 1 << 20;
const notTwoSlashes = 1 << 21;
const maximumChecks = 24;

/** Checks that hold when `test` has this truth. */
export const checksOf = (walk: Walk, test: PyExpr, truth: boolean, depth = 0): readonly Check[] => {
  if (depth > 20) return none;
  switch (test.type) {
    case 'UnaryOp': return test.op === 'not' ? checksOf(walk, test.operand, !truth, depth + 1) : none;
    case 'BoolOp': {
      const sides = test.values.slice(0, 40).map((value) => checksOf(walk, value, truth, depth + 1));
      return (test.op === 'and') === truth ? together(sides.flat()) : common(sides);
    }
    case 'Compare': return compareChecks(walk, test, truth);
    case 'Call': return callChecks(walk, test, truth);
    case 'NamedExpr': return checksOf(walk, test.value, truth, depth + 1);
    case 'Name': case 'Attribute': case 'Subscript': return truth ? none : emptyCheck(walk, test);
    default: return none;
  }
};

const none: readonly Check[] = [];

/** `if not x: …`: what is empty is harmless there. Only worth a write for tainted values. */
const emptyCheck = (walk: Walk, node: PyExpr): readonly Check[] =>
  node.type === 'Name' && walk.lookup(node.id)?.level === TAINTED ? [{ path: node.id, root: node.id, bits: all, node }] : none;

const together = (checks: readonly Check[]): readonly Check[] => {
  if (checks.length < 2) return checks;
  const bits = new Map<string, number>();
  for (const check of checks) bits.set(check.path, (bits.get(check.path) ?? 0) | check.bits);
  return checks.slice(0, maximumChecks).map((check) => {
    const sum = bits.get(check.path) ?? 0;
    return (sum & oneSlash) !== 0 && (sum & notTwoSlashes) !== 0 ? { ...check, bits: sum | urlBit } : check;
  });
};

/** What every one of several alternatives says. */
const common = (sides: readonly (readonly Check[])[]): readonly Check[] => {
  const [first, ...rest] = sides;
  if (first === undefined || sides.some((side) => side.length === 0)) return none;
  const shared = first.flatMap((check) => {
    const bits = rest.reduce((sum, side) =>
      sum & side.filter((other) => other.path === check.path).reduce((each, other) => each | other.bits, 0), check.bits);
    return bits === 0 ? [] : [{ ...check, bits }];
  });
  return shared;
};

/** Puts checks in force on the way being walked. */
export const applyChecks = (walk: Walk, checks: readonly Check[]): void => {
  for (const check of checks) {
    const bits = check.bits & ~(oneSlash | notTwoSlashes);
    if (bits === 0) continue;
    const { path, root, node } = check;
    const value = path === root ? walk.lookup(root) : node === undefined ? walk.lookupPath(path, root)
      : walk.quietly(() => evaluate(walk, node));
    if (value === undefined || value.level === SAFE && value.flags === 0 || (bits & ~value.cleared) === 0) continue;
    const clear = makeValue(value.level, value.flags, value.cleared | bits, value.name, value.shape, value.trace);
    if (path === root) walk.refine(root, clear);
    else walk.bindPath(path, root, clear);
  }
};

/** A check of the variable or path that `node` is, or of what it was derived from. */
const checkOf = (walk: Walk, node: PyExpr, bits: number, originBits: number): readonly Check[] => {
  let at = node;
  // `x.lower() in NAMES`, `x.strip() == 'a'`, `str(x) in …`
  if (at.type === 'Call' && at.func.type === 'Attribute' && at.args.length === 0
    && ['lower', 'upper', 'strip', 'casefold'].includes(at.func.attr)) at = at.func.value;
  if (at.type === 'Call' && at.func.type === 'Name' && at.func.id === 'str' && at.args.length === 1) at = at.args[0]?.value ?? at;
  if (at.type === 'NamedExpr') at = at.target;
  const checks: Check[] = [];
  const path = pathOf(at);
  if (path !== undefined && bits !== 0) checks.push({ ...path, bits, node: at });
  const origin = originOf(at) ?? (path === undefined ? undefined : originIn(walk, path.root));
  if (origin !== undefined && originBits !== 0) {
    checks.push({ path: origin, root: origin, bits: originBits, node: undefined });
    if (path !== undefined) checks.push({ path: path.root, root: path.root, bits: originBits, node: undefined });
  }
  return checks;
};

const originIn = (walk: Walk, name: string): string | undefined => walk.scope.origins?.get(name);

const hostNames = new Set(['netloc', 'hostname', 'host']);

const compareChecks = (walk: Walk, test: PyCompare, truth: boolean): readonly Check[] => {
  const op = test.ops[0];
  const rightNode = test.comparators[0];
  if (test.ops.length !== 1 || rightNode === undefined) return none;
  const positive = truth === (op === 'in' || op === '==' || op === 'is');
  if (op === 'in' || op === 'not in') {
    const left = walk.quietly(() => evaluate(walk, test.left));
    const needle = stringOf(left);
    if (needle !== undefined) return positive ? none : absenceChecks(walk, rightNode, needle);
    if (!positive || left.level === SAFE && left.flags === 0) return none;
    const right = walk.quietly(() => evaluate(walk, rightNode));
    if (right.level === TAINTED) return none;
    const elements = elementsOf(right);
    // Membership in a list of what the user sent proves nothing; in a table of the program it does.
    if (elements?.some((element) => element.level === TAINTED) === true) return none;
    return checkOf(walk, test.left, speaksOfPart(test.left) ? 0 : all, speaksOfHost(test.left) ? urlBit : 0);
  }
  if (op === '==' || op === '!=' || op === 'is' || op === 'is not') {
    if (!positive) return none;
    const [left, right] = walk.quietly(() => [evaluate(walk, test.left), evaluate(walk, rightNode)] as const);
    const [node, other, otherNode] = left.level >= right.level ? [test.left, right, rightNode] : [rightNode, left, test.left];
    if (Math.max(left.level, right.level) === SAFE && !speaksOfHost(node) && !isCommonPath(node) && !isCommonPath(otherNode)) return none;
    const common = isCommonPath(node) ? node : isCommonPath(otherNode) ? otherNode : undefined;
    if (common !== undefined) return pathsIn(walk, common);
    // `x == other_unknown` is no check, `x == 'constant'` and `x is None` are.
    if (constantOf(other) === undefined && other.level !== SAFE && !isNone(other)) return none;
    return checkOf(walk, node, speaksOfPart(node) ? 0 : all, speaksOfHost(node) ? urlBit : 0);
  }
  return none;
};

/** `x[0]`, `x.scheme`, `parsed.netloc`: a check of a part is none of the whole. */
const speaksOfPart = (node: PyExpr): boolean => node.type === 'Attribute'
  && (hostNames.has(node.attr) || node.attr === 'scheme' || node.attr === 'path');

const speaksOfHost = (node: PyExpr): boolean => {
  const at = node.type === 'Call' && node.func.type === 'Attribute' && node.args.length === 0 ? node.func.value : node;
  return at.type === 'Attribute' && hostNames.has(at.attr);
};

/** `os.path.commonpath([base, x]) == base`, also where the result is in a variable. */
const isCommonPath = (node: PyExpr): node is PyCall =>
  node.type === 'Call' && (node.func.type === 'Attribute' ? node.func.attr : node.func.type === 'Name' ? node.func.id : '').startsWith('common');

const pathsIn = (walk: Walk, node: PyCall): readonly Check[] => {
  const first = node.args[0]?.value;
  const nodes = first?.type === 'List' || first?.type === 'Tuple' ? first.elements : node.args.map((argument) => argument.value);
  return nodes.flatMap((each) => checkOf(walk, each, pathBit, pathBit));
};

/** A text that is not in `node`: no way up, no second line. */
const absenceChecks = (walk: Walk, node: PyExpr, needle: string): readonly Check[] => {
  const bits = needle === '..' || needle === '/' || needle === '../' ? pathBit : needle === '\n' || needle === '\r' ? logBit : 0;
  return bits === 0 ? none : checkOf(walk, node, bits, bits);
};

const textTests = new Set(['isdigit', 'isalnum', 'isdecimal', 'isnumeric', 'isidentifier', 'isalpha']);
const validators = /^_*(?:(?:is|has|check|verify|validate)_*)?(?:safe|valid|allowed|permitted|trusted|whitelisted|allowlisted|authorized)(?!.*(?:file|extension|ext$|type|image|user|token))/i;
/** `is_within_directory(base, path)` and the like: a check of a path by name, whichever argument is the path. */
const withinNames = /^_*(?:is_?)?(?:within|inside|subpath|sub_path|contained|path_in|in_directory|safe_join|under)(?:_|$|[A-Z])|^_*(?:is_?|check_?|verify_?|validate_?|has_?)*(?:safe|valid|allowed|check|verify|validate)_?\w{0,30}path/i;
const safeUrl = new Set(['url_has_allowed_host_and_scheme', 'is_safe_url', 'is_safe_redirect_url', 'is_safe_redirect', 'is_local_url',
  'is_relative_url']);

const callChecks = (walk: Walk, test: PyCall, truth: boolean): readonly Check[] => {
  const func = test.func;
  const last = func.type === 'Attribute' ? func.attr : func.type === 'Name' ? func.id : '';
  const first = test.args[0]?.value;
  if (last === 'startswith' && func.type === 'Attribute' && first !== undefined) return startChecks(walk, func.value, first, truth);
  if (!truth) return none;
  if (func.type === 'Attribute') {
    if (textTests.has(last) && test.args.length === 0) return checkOf(walk, func.value, all, 0);
    if (last === 'is_relative_to') return checkOf(walk, func.value, pathBit, pathBit);
  }
  if (first === undefined) return none;
  if (last === 'fullmatch' || last === 'match') return matchChecks(walk, test, last);
  if (withinNames.test(last)) return test.args.slice(0, 3).flatMap((argument) => checkOf(walk, argument.value, pathBit, pathBit));
  if (safeUrl.has(last)) return checkOf(walk, first, urlBit, urlBit);
  if (last === 'isinstance') {
    const type = test.args[1]?.value;
    const types = type?.type === 'Tuple' ? type.elements : type === undefined ? [] : [type];
    return types.length > 0 && types.every((each) => each.type === 'Name' && ['int', 'float', 'bool', 'complex'].includes(each.id))
      ? checkOf(walk, first, all, 0) : none;
  }
  if (last === 'all' && first.type === 'Comprehension') return everyCharacter(walk, first.clauses[0]?.iter, first.element,
    first.clauses[0]?.target);
  return validators.test(last) ? checkOf(walk, first, all, urlBit | pathBit) : none;
};

/** `all(c in ALLOWED for c in x)`, `all(c.isalnum() for c in x)`. */
const everyCharacter = (walk: Walk, iterated: PyExpr | undefined, element: PyExpr, target: PyExpr | undefined): readonly Check[] => {
  if (iterated === undefined || target?.type !== 'Name') return none;
  const name = target.id;
  const speaks = element.type === 'Compare' ? element.left.type === 'Name' && element.left.id === name && element.ops[0] === 'in'
    : element.type === 'Call' && element.func.type === 'Attribute' && element.func.value.type === 'Name' && element.func.value.id === name
      && textTests.has(element.func.attr);
  return speaks ? checkOf(walk, iterated, all, 0) : none;
};

const startChecks = (walk: Walk, subject: PyExpr, prefixNode: PyExpr, truth: boolean): readonly Check[] => {
  const prefix = walk.quietly(() => evaluate(walk, prefixNode));
  const text = stringOf(prefix);
  if (!truth) {
    if (text === '//') return checkOf(walk, subject, notTwoSlashes, 0);
    if (text === '-') return checkOf(walk, subject, shellBit, 0);
    return none;
  }
  if (text === '/') return checkOf(walk, subject, oneSlash, 0);
  // Scheme and host are fixed only when the slash after the host is part of the prefix.
  if (text !== undefined && /^https?:\/\/[^/]+\//.test(text)) return checkOf(walk, subject, urlBit, urlBit);
  const value = walk.quietly(() => evaluate(walk, subject));
  return prefix.level < TAINTED && isResolved(walk, subject, value) ? checkOf(walk, subject, pathBit, pathBit) : none;
};

const resolvers = /(?:realpath|abspath|normpath|resolve|absolute)$/;

/** Whether a path has had its `..` removed: by the call that made it. */
const isResolved = (walk: Walk, node: PyExpr, value: Value): boolean => {
  const name = value.name?.path ?? '';
  if (/os\.path\.(?:realpath|abspath|normpath)\(\)$/.test(name) || name === 'pathlib.Path()') return true;
  // `str(path.resolve()).startswith(str(base))`
  let at = node;
  for (let links = 0; links < 4 && at.type === 'Call'; links += 1) {
    const last = at.func.type === 'Attribute' ? at.func.attr : at.func.type === 'Name' ? at.func.id : '';
    if (resolvers.test(last)) return true;
    const argument = at.args[0]?.value;
    if (argument === undefined) return false;
    at = argument;
  }
  return at.type === 'Name' && at !== node && isResolved(walk, at, walk.lookup(at.id) ?? value);
};

/** A full match against a constant pattern that does not let everything through. */
const matchChecks = (walk: Walk, test: PyCall, last: string): readonly Check[] => {
  const func = test.func;
  const compiled = func.type === 'Attribute' ? walk.quietly(() => evaluate(walk, func.value)) : undefined;
  const isCompiled = compiled?.name?.path === 're.compile()';
  const patternNode = test.args[0]?.value;
  if (patternNode === undefined) return none;
  // A compiled pattern from elsewhere: a full match says that it is meant as a check.
  if (compiled !== undefined && !isCompiled && test.args.length === 1) return last === 'fullmatch' && compiled.level < TAINTED
    ? checkOf(walk, patternNode, all, 0) : none;
  const subject = isCompiled ? patternNode : test.args[1]?.value;
  const pattern = stringOf(isCompiled ? elementsOf(compiled)?.[0] : walk.quietly(() => evaluate(walk, patternNode)));
  if (pattern === undefined || subject === undefined) return none;
  if (last === 'match' && !/(?:\$|\\Z)\)?$/.test(pattern)) return none;
  return isLax(pattern) ? none : checkOf(walk, subject, all, 0);
};

/** Whether a pattern takes any text: a repeated dot, `\S`, or a class that says only what is not in it. */
const isLax = (pattern: string): boolean => /(?<!\\)(?:\.|\\[SDW]|\[\^[^\]]*\])[*+{]/.test(pattern);

/** A statement that throws unless its argument is fine: `int(x)`, `ipaddress.ip_address(x)`, `path.relative_to(base)`. */
export const statementChecks = (walk: Walk, node: PyCall, callee: string | undefined): readonly Check[] => {
  const func = node.func;
  if (func.type === 'Attribute' && func.attr === 'relative_to') return checkOf(walk, func.value, pathBit, pathBit);
  const first = node.args[0]?.value;
  if (first === undefined || callee === undefined) return none;
  const throwing = ['int', 'float', 'uuid.UUID', 'ipaddress.ip_address', 'ipaddress.IPv4Address', 'ipaddress.ip_network',
    'decimal.Decimal', 'datetime.datetime.strptime'];
  return throwing.includes(callee) ? checkOf(walk, first, all, 0) : none;
};
