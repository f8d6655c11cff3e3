/** What a condition says of values when it is true, or false: checks that make a value safe on that way. */
import type { PyCall, PyCompare, PyExpr } from '../../../../syntax/python.types.ts';
import type { Shape } from './model.types.ts';
import { answeredBy } from './answers.ts';
import { charactersOfSet, everyCharacter, textTests, withoutReplaced, type CharacterCheck } from './character-checks.ts';
import { evaluate } from './expressions.ts';
import { makeValue, SAFE, TAINTED } from './make-value.ts';
import { kindsByName } from './named-checks.ts';
import { pathOf } from './paths.ts';
import { patternCheck } from './pattern-checks.ts';
import { originOf } from './targets.ts';
import { clearBit, settled } from './value-bits.ts';
import { constantOf, elementsOf, isNone, stringOf } from './values.ts';
import type { Walk } from './walk.ts';

/** A path that is clear for some kinds. */
export type Check = { readonly path: string; readonly root: string; readonly bits: number; readonly node: PyExpr | undefined };

const { all, path: pathBit, url: urlBit, log: logBit, option: optionBit, up: upBit, rooted: rootedBit, resolved: resolvedBit } = clearBit;
/** `x.startswith('/')` and `not x.startswith('//')`: only both together keep a redirect on this site. */
const oneSlash = 1 << 28;
const notTwoSlashes = 1 << 29;
const everyKind = Object.values(clearBit).reduce((bits, bit) => bits | bit, 0);
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
    case 'Name': {
      const noted = notedTest(walk, test.id);
      if (noted === undefined) return truth ? none : emptyCheck(walk, test);
      const checks = checksOf(walk, noted, truth, depth + 1);
      return [...checks, ...truth ? groupChecks(test.id, noted, checks) : emptyCheck(walk, test)];
    }
    case 'Attribute': case 'Subscript': return truth ? none : emptyCheck(walk, test);
    default: return none;
  }
};

const none: readonly Check[] = [];

/** The condition that a variable holds, where the function gives it no other value. */
const notedTest = (walk: Walk, name: string): PyExpr | undefined => {
  const noted = walk.scope.tests?.get(name)?.node;
  const body = noted === undefined ? undefined : walk.frame.state?.info.node;
  if (body === undefined) return undefined;
  let known = assignedOnce.get(body);
  if (known === undefined) assignedOnce.set(body, known = new Map());
  let once = known.get(name);
  if (once === undefined) {
    once = assignments(walk.info.module.text.slice(body.start, body.end), name) === 1;
    known.set(name, once);
  }
  return once ? noted : undefined;
};

/** What holds for every character of a matched text holds for the groups of the match; what its beginning says does not. */
const groupChecks = (name: string, noted: PyExpr, checks: readonly Check[]): readonly Check[] => {
  const method = noted.type === 'Call' && noted.func.type === 'Attribute' ? noted.func.attr : '';
  const bits = checks.reduce((sum, check) => sum | spread(check.bits), 0) & ~(all | urlBit | optionBit | rootedBit | pathBit);
  return patternCalls.has(method) && bits !== 0 ? [{ path: name, root: name, bits, node: undefined }] : none;
};

/** How often a text has `name =` or `name: T =`; up to two, more does not matter. */
const assignments = (text: string, name: string): number => {
  let count = 0;
  for (let at = text.indexOf(name); at >= 0 && count < 2; at = text.indexOf(name, at + name.length)) {
    if (/\w/.test(text[at - 1] ?? '') || !/^\s*(?::[^=\n]{0,60})?=(?!=)/.test(text.slice(at + name.length, at + name.length + 80))) continue;
    count += 1;
  }
  return count;
};

/** Whether a function gives a variable its value in one place only, by function and name: the text is searched once. */
const assignedOnce = new WeakMap<object, Map<string, boolean>>();

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

/** Clear for everything is clear for each kind. */
const spread = (bits: number): number => ((bits & all) !== 0 ? bits | everyKind : bits);

/** What every one of several alternatives says. */
const common = (sides: readonly (readonly Check[])[]): readonly Check[] => {
  const [first, ...rest] = sides;
  if (first === undefined || sides.some((side) => side.length === 0)) return none;
  const shared = first.flatMap((check) => {
    const bits = rest.reduce((sum, side) =>
      sum & side.filter((other) => other.path === check.path).reduce((each, other) => each | spread(other.bits), 0), spread(check.bits));
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
    const clear = makeValue(value.level, value.flags, settled(value.cleared | bits), value.name, value.shape, value.trace);
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

const noneOps: ReadonlySet<string | undefined> = new Set(['is', 'is not', '==', '!=']);
const patternCalls: ReadonlySet<string> = new Set(['match', 'fullmatch', 'search']);

/** The call of a pattern whose result is held against None: `re.match(…) is not None`, or `m is None` after `m = re.match(…)`. */
const matchOf = (walk: Walk, node: PyExpr): PyExpr | undefined => {
  const call = node.type === 'Name' ? walk.scope.tests?.get(node.id)?.node : node;
  if (call?.type !== 'Call') return undefined;
  const { func } = call;
  return patternCalls.has(func.type === 'Attribute' ? func.attr : func.type === 'Name' ? func.id : '') ? call : undefined;
};

const compareChecks = (walk: Walk, test: PyCompare, truth: boolean): readonly Check[] => {
  const op = test.ops[0];
  const rightNode = test.comparators[0];
  if (test.ops.length !== 1 || rightNode === undefined) return none;
  if (rightNode.type === 'Constant' && rightNode.kind === 'none') {
    const match = matchOf(walk, test.left);
    if (match !== undefined && noneOps.has(op)) return truth === (op === 'is not' || op === '!=') ? checksOf(walk, test.left.type === 'Name' && notedTest(walk, test.left.id) !== undefined ? test.left : match, true) : none;
  }
  const positive = truth === (op === 'in' || op === '==' || op === 'is');
  if (op === 'in' || op === 'not in') {
    const left = walk.quietly(() => evaluate(walk, test.left));
    const needle = stringOf(left) ?? separators.get(left.name?.path ?? '');
    if (needle !== undefined) return positive ? none : absenceChecks(walk, rightNode, needle);
    // `ROOT in p.parents`: the path is below it.
    if (positive && rightNode.type === 'Attribute' && rightNode.attr === 'parents' && left.level !== TAINTED) {
      return isResolved(walk, rightNode.value) ? checkOf(walk, rightNode.value, pathBit, pathBit) : none;
    }
    if (!positive || left.level === SAFE && left.flags === 0) return none;
    const right = walk.quietly(() => evaluate(walk, rightNode));
    if (right.level === TAINTED) return none;
    const elements = elementsOf(right);
    // Membership in a list of what the user sent proves nothing; in a table of the program it does.
    if (elements?.some((element) => element.level === TAINTED) === true) return none;
    return checkOf(walk, test.left, speaksOfPart(test.left) ? 0 : all, speaksOfHost(test.left) ? urlBit : 0);
  }
  if (truth ? op === '<=' || op === '<' : op === '>') return ofCharacters(walk, charactersOfSet(walk, test.left, rightNode));
  if (op === '==' || op === '!=' || op === 'is' || op === 'is not') {
    if (!positive) return none;
    const [left, right] = walk.quietly(() => [evaluate(walk, test.left), evaluate(walk, rightNode)] as const);
    const common = commonPathOf(walk, test.left) ?? commonPathOf(walk, rightNode);
    if (common !== undefined) return pathsIn(walk, common);
    const [node, other, otherNode] = left.level >= right.level ? [test.left, right, rightNode] : [rightNode, left, test.left];
    if (Math.max(left.level, right.level) === SAFE && !speaksOfHost(node)) return none;
    // The host of one URL compared with that of another: the usual check that a redirect stays on this site.
    if (speaksOfHost(node) && speaksOfHost(otherNode)) return [node, otherNode].flatMap((each) => checkOf(walk, each, 0, urlBit));
    // `x == other_unknown` is no check, `x == 'constant'` and `x is None` are; a resolved path may be the root itself.
    if (constantOf(other) === undefined && other.level !== SAFE && !isNone(other)) {
      return other.level !== TAINTED && isResolved(walk, node) ? checkOf(walk, node, pathBit, pathBit) : none;
    }
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

/** `os.path.commonpath([base, x])`. Not commonprefix: it compares letters, so `/srv` is a prefix of `/srv-other`. */
const isCommonPath = (node: PyExpr): node is PyCall =>
  node.type === 'Call' && (node.func.type === 'Attribute' ? node.func.attr : node.func.type === 'Name' ? node.func.id : '') === 'commonpath';

/** The same where the result is in a variable. */
const commonPathOf = (walk: Walk, node: PyExpr): PyCall | undefined => {
  if (node.type !== 'Name') return isCommonPath(node) ? node : undefined;
  const noted = walk.scope.tests?.get(node.id)?.node;
  return noted !== undefined && isCommonPath(noted) && notedTest(walk, node.id) !== undefined ? noted : undefined;
};

const pathsIn = (walk: Walk, node: PyCall): readonly Check[] => {
  const first = node.args[0]?.value;
  const nodes = first?.type === 'List' || first?.type === 'Tuple' ? first.elements : node.args.map((argument) => argument.value);
  // A way up that is still in a path is compared as written.
  return nodes.flatMap((each) => (isResolved(walk, each) ? checkOf(walk, each, pathBit, pathBit) : none));
};

/** Names of `/` and `..`. */
const separators: ReadonlyMap<string, string> = new Map([['os.sep', '/'], ['os.path.sep', '/'], ['os.pardir', '..'], ['os.path.pardir', '..']]);

/** `x.split('/')` and `path.parts` are the text or path again. */
const wholeOf = (node: PyExpr): PyExpr => {
  if (node.type === 'Call' && node.func.type === 'Attribute' && node.func.attr === 'split') return node.func.value;
  return node.type === 'Attribute' && node.attr === 'parts' ? node.value : node;
};

/** A text that is not in `node`: no way up, no second line. An absolute path needs no way up. */
const absenceChecks = (walk: Walk, node: PyExpr, needle: string): readonly Check[] => {
  const bits = needle === '..' || needle === '../' ? upBit : needle === '/' ? pathBit : needle === '\n' || needle === '\r' ? logBit : 0;
  return bits === 0 ? none : checkOf(walk, wholeOf(node), bits, bits);
};

const safeUrl = new Set(['url_has_allowed_host_and_scheme', 'is_safe_url', 'is_safe_redirect_url', 'is_safe_redirect', 'is_local_url',
  'is_relative_url']);

/** The function that is called, where its body may be in sight: others need not be evaluated once more. */
const knownFunction = (walk: Walk, func: PyExpr): Shape | undefined => {
  if (func.type === 'Name') return walk.lookup(func.id)?.shape;
  if (func.type !== 'Attribute' || func.value.type !== 'Name') return undefined;
  const owner = walk.lookup(func.value.id)?.shape?.type;
  return owner === 'Instance' || owner === 'Class' || walk.options.resolveImport !== undefined ? walk.quietly(() => evaluate(walk, func)).shape : undefined;
};

const patternMethods = new Set(['fullmatch', 'match', 'search', 'findall']);

const ofCharacters = (walk: Walk, check: CharacterCheck | undefined): readonly Check[] =>
  (check === undefined ? none : checkOf(walk, check.subject, check.bits, 0));

const callChecks = (walk: Walk, test: PyCall, truth: boolean): readonly Check[] => {
  const func = test.func;
  const last = func.type === 'Attribute' ? func.attr : func.type === 'Name' ? func.id : '';
  const first = test.args[0]?.value;
  if (last === 'bool' && first !== undefined && test.args.length === 1) return checksOf(walk, first, truth, 10);
  if (last === 'startswith' && func.type === 'Attribute' && first !== undefined) return startChecks(walk, func.value, first, truth);
  if (patternMethods.has(last)) {
    const check = patternCheck(walk, test, last, truth);
    return check === undefined ? none : checkOf(walk, check.subject, check.bits, 0);
  }
  const shape = test.args.length === 0 ? undefined : knownFunction(walk, func);
  if (shape?.type === 'Function') return answeredBy(walk, shape, test, truth).flatMap(({ node, bits }) => checkOf(walk, node, bits, bits & (urlBit | pathBit)));
  if (!truth) {
    if (last === 'isabs' && first !== undefined) return checkOf(walk, first, rootedBit, 0);
    // A name without a folder, as basename() makes it.
    if (last === 'dirname' && first !== undefined) return checkOf(walk, first, pathBit, 0);
    return last === 'is_absolute' && func.type === 'Attribute' ? checkOf(walk, func.value, rootedBit, 0) : none;
  }
  if (func.type === 'Attribute') {
    if (textTests.has(last) && test.args.length === 0) {
      const rest = withoutReplaced(walk, func.value);
      return rest === undefined ? checkOf(walk, func.value, all, 0) : ofCharacters(walk, rest);
    }
    if (last === 'issubset' && first !== undefined) return ofCharacters(walk, charactersOfSet(walk, func.value, first));
    if (last === 'is_relative_to') return isResolved(walk, func.value) ? checkOf(walk, func.value, pathBit, pathBit) : none;
    // `host.endswith('.example.com')`
    if (last === 'endswith' && first !== undefined && speaksOfHost(func.value)) {
      return stringOf(walk.quietly(() => evaluate(walk, first)))?.startsWith('.') === true ? checkOf(walk, func.value, 0, urlBit) : none;
    }
  }
  if (first === undefined) return none;
  if (safeUrl.has(last)) return checkOf(walk, first, urlBit, urlBit);
  if (last === 'isinstance') {
    const type = test.args[1]?.value;
    const types = type?.type === 'Tuple' ? type.elements : type === undefined ? [] : [type];
    return types.length > 0 && types.every((each) => each.type === 'Name' && ['int', 'float', 'bool', 'complex'].includes(each.id))
      ? checkOf(walk, first, all, 0) : none;
  }
  if (last === 'all' && first.type === 'Comprehension') return ofCharacters(walk, everyCharacter(walk, first));
  const named = kindsByName(last);
  const nodes = named.anyArgument ? test.args.slice(0, 3).map((argument) => argument.value) : [first];
  return named.bits === 0 ? none : nodes.flatMap((node) => checkOf(walk, node, named.bits, named.bits & (urlBit | pathBit)));
};

const startChecks = (walk: Walk, subject: PyExpr, prefixNode: PyExpr, truth: boolean): readonly Check[] => {
  const prefix = walk.quietly(() => evaluate(walk, prefixNode));
  const texts = (elementsOf(prefix) ?? [prefix]).map((each) => stringOf(each) ?? separators.get(each.name?.path ?? ''));
  if (!truth) {
    const bits = texts.reduce((sum, text) => sum | (text === '//' ? notTwoSlashes : text === '-' ? optionBit : text === '/' ? rootedBit : 0), 0);
    return bits === 0 ? none : checkOf(walk, subject, bits, 0);
  }
  if (texts.every((text) => text === '/')) return checkOf(walk, subject, oneSlash, 0);
  // Scheme and host are fixed only when the slash after the host is part of the prefix.
  if (texts.every((text) => text !== undefined && /^https?:\/\/[^/]+\//.test(text))) return checkOf(walk, subject, urlBit, urlBit);
  return prefix.level < TAINTED && isResolved(walk, subject) ? checkOf(walk, subject, pathBit, pathBit) : none;
};

const resolvers = new Set(['realpath', 'abspath', 'normpath', 'resolve']);

/** Whether a path has had its `..` removed: by the value, or by the call that makes it, `str(path.resolve())` included. */
const isResolved = (walk: Walk, node: PyExpr): boolean => {
  let at = node;
  for (let links = 0; links < 4 && at.type === 'Call'; links += 1) {
    const last = at.func.type === 'Attribute' ? at.func.attr : at.func.type === 'Name' ? at.func.id : '';
    if (resolvers.has(last)) return true;
    const argument = at.args[0]?.value;
    if (argument === undefined) break;
    at = argument;
  }
  return (walk.quietly(() => evaluate(walk, node)).cleared & resolvedBit) !== 0;
};

/** A statement that throws unless its argument is fine: `int(x)`, `ipaddress.ip_address(x)`, `path.relative_to(base)`. */
export const statementChecks = (walk: Walk, node: PyCall, callee: string | undefined): readonly Check[] => {
  const func = node.func;
  if (func.type === 'Attribute' && func.attr === 'relative_to') return isResolved(walk, func.value) ? checkOf(walk, func.value, pathBit, pathBit) : none;
  const first = node.args[0]?.value;
  if (first === undefined || callee === undefined) return none;
  const throwing = ['int', 'float', 'uuid.UUID', 'ipaddress.ip_address', 'ipaddress.IPv4Address', 'ipaddress.ip_network',
    'decimal.Decimal', 'datetime.datetime.strptime'];
  return throwing.includes(callee) ? checkOf(walk, first, all, 0) : none;
};
