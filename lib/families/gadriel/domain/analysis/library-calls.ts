/** Library functions whose result keeps the make of what goes in: containers, texts, paths, patterns. */
import type { PyCall } from '../../../../syntax/python.types.ts';
import type { Value } from './model.types.ts';
import type { CallParts } from './call-event.ts';
import { textValue, withoutShape } from './constants.ts';
import { containerValue, derive, sequenceValue } from './containers.ts';
import { joinBoth } from './join.ts';
import { makeValue, orUnknown, SAFE, safeValue, UNKNOWN, unknownValue } from './make-value.ts';
import { attributeOf, elementOf } from './members.ts';
import type { NameNode } from './names.ts';
import { flagLetters } from './pattern-checks.ts';
import { secretName } from './secret-names.ts';
import { formatPercent } from './string-formats.ts';
import { buildString } from './strings.ts';
import { clearBit, flagBit } from './value-bits.ts';
import { constantOf, elementsOf, numberOf, stringOf } from './values.ts';
import type { Walk } from './walk.ts';

type Special = (walk: Walk, parts: CallParts, node: PyCall) => Value | undefined;

const sequenceFrom = (kind: 'list' | 'tuple' | 'set'): Special => (walk, { args }, node) => {
  const first = args[0];
  if (first === undefined) return sequenceValue(kind, [], false);
  const shape = first.shape;
  if (shape?.type === 'Sequence') return makeValue(first.level, first.flags, first.cleared, undefined, { ...shape, kind }, first.trace);
  const element = elementOf(walk, first, node.end);
  return containerValue([element], { type: 'Sequence', kind, elements: [element], open: true });
};

const asText: Special = (_walk, { args }) => {
  const first = args[0];
  if (first === undefined) return textValue('');
  const number = numberOf(first);
  if (number !== undefined && constantOf(first)?.kind === 'int') return textValue(String(number));
  return stringOf(first) !== undefined || first.shape?.type === 'Built' ? first : undefined;
};

/** Takes the first argument as it is, make included. */
const same: Special = (_walk, { args }) => args[0];

/** `functools.partial(f, …)`: calls of the result are calls of the first argument, with the others in front. */
const partial: Special = (_walk, { args, keywords }) => {
  const [target, ...bound] = args;
  if (target === undefined || bound.length === 0 && keywords.size === 0) return target;
  return makeValue(target.level, target.flags, target.cleared, target.name, { type: 'Bound', target, args: bound, keywords }, target.trace);
};

const dict: Special = (_walk, { args, keywords, openKeywords }) => {
  const first = args[0];
  const base = first?.shape?.type === 'Mapping' ? first.shape : undefined;
  const entries = new Map([...(base?.entries ?? []), ...keywords]);
  const contents = [...(first === undefined ? [] : [first]), ...keywords.values()];
  return containerValue(contents,
    { type: 'Mapping', entries, open: openKeywords || base?.open === true || first !== undefined && base === undefined });
};

const getattr: Special = (walk, { args }, node) => {
  const [base, attr, fallback] = args;
  const name = stringOf(attr);
  if (base === undefined || name === undefined) return undefined;
  const value = attributeOf(walk, base, name, node.end);
  return fallback === undefined ? value : joinBoth(value, fallback);
};

const environment: Special = (walk, { args }, node) => {
  const key = stringOf(args[0]) ?? '';
  const secret = secretName(key) ? flagBit.secret : 0;
  const value = makeValue(UNKNOWN, flagBit.low | secret, 0, walk.names.resolve('os.getenv()'), undefined,
    walk.step(node.start, 'from the environment', undefined));
  return args[1] === undefined ? value : joinBoth(value, args[1]);
};

/** A compiled pattern keeps its text and flags: `elementsOf(value)` are these. */
const compiled: Special = (walk, { args }, node) => {
  const pattern = orUnknown(args[0]);
  const flags = node.args[1];
  return makeValue(pattern.level, pattern.flags, pattern.cleared, walk.names.resolve('re.compile()'),
    { type: 'Sequence', kind: 'tuple', elements: flags === undefined ? [pattern] : [pattern, textValue(flagLetters(walk, flags.value))], open: false },
    pattern.trace);
};

/** A path keeps its constant text (`Path('/srv')`), so that prefixes stay known. */
const joinPath: Special = (_walk, { args }) => {
  if (args.length > 0 && args.every((arg) => stringOf(arg) !== undefined)) return textValue(args.map((arg) => stringOf(arg)).join('/'));
  return undefined;
};

/** A text wrapped by a library (`sqlalchemy.text`) is still that text, under the library's name. */
const wrapped = (path: string): Special => (walk, { args }) => {
  const first = args[0];
  return first === undefined ? undefined
    : makeValue(first.level, first.flags, first.cleared, walk.names.resolve(path), first.shape, first.trace);
};

/** `re.sub('[^a-z0-9]', '', x)` leaves nothing but harmless characters; with a dot in the class, paths can still go up. */
const substituted: Special = (_walk, { args }) => {
  const [pattern, replacement, subject] = args;
  const kept = /^\[\^((?:[\w\s.-]|\\[wds.-])*)\][+*]?$/.exec(stringOf(pattern) ?? '')?.[1];
  const text = stringOf(replacement);
  if (subject === undefined || kept === undefined || text === undefined || !/^[\w.-]*$/.test(text)) return undefined;
  const bits = kept.replaceAll('\\.', '.').includes('.') ? clearBit.sql | clearBit.shell | clearBit.html | clearBit.log | clearBit.regex
    : clearBit.all;
  return makeValue(subject.level, subject.flags, subject.cleared | bits, undefined, undefined, subject.trace);
};

/** `quote(x, safe='')` quotes slashes too: what is left is one name of a path. */
const quoted: Special = (_walk, { args, keywords }) => {
  const [text, given] = args;
  const safe = stringOf(given ?? keywords.get('safe'));
  if (text === undefined || safe === undefined || safe.includes('/')) return undefined;
  return makeValue(text.level, text.flags, text.cleared | clearBit.path | clearBit.url, undefined, undefined, text.trace);
};

/** `super()`: the instance or class that the method was called with, seen from the bases of the class around. */
const above: Special = (walk, { args }) => {
  const self = walk.frame.given[0];
  const shape = self?.shape;
  const owner = walk.class?.info;
  if (self === undefined || shape?.type !== 'Instance' || owner === undefined || args.length === 1) return undefined;
  return makeValue(self.level, self.flags, self.cleared, self.name, { ...shape, above: owner }, self.trace);
};

const resolvedImport: Special = (walk, { args }) => {
  const name = stringOf(args[0]);
  return name === undefined ? undefined : walk.names.resolve(name)?.value;
};

const lines: Special = (_walk, { args }) => {
  const elements = elementsOf(args[0]);
  return elements === undefined ? undefined : buildString('join', elements.flatMap((element, at) => (at === 0 ? [element] : [' ', element])));
};

const zipped: Special = (walk, { args }, node) =>
  sequenceValue('list', [sequenceValue('tuple', args.map((arg) => elementOf(walk, arg, node.end)), false)], true);

const enumerated: Special = (walk, { args }, node) =>
  sequenceValue('list', [sequenceValue('tuple', [safeValue, elementOf(walk, orUnknown(args[0]), node.end)], false)], true);

const mapped: Special = (_walk, { args }) => {
  const shape = args[0]?.name;
  const items = args[1];
  if (items === undefined) return undefined;
  // `map(int, …)`, `map(shlex.quote, …)`: the function decides.
  const node = shape as NameNode | undefined;
  if (node !== undefined && (node.effect === 'safe' || node.clears !== 0)) {
    const element = node.effect === 'safe' ? safeValue
      : makeValue(items.level, items.flags, items.cleared | node.clears, undefined, undefined, items.trace);
    return sequenceValue('list', [element], true);
  }
  return sequenceValue('list', [derive(items)], true);
};

const specials: ReadonlyMap<string, Special> = new Map<string, Special>([
  ['list', sequenceFrom('list')], ['tuple', sequenceFrom('tuple')], ['set', sequenceFrom('set')], ['frozenset', sequenceFrom('set')],
  ['sorted', sequenceFrom('list')], ['reversed', sequenceFrom('list')], ['iter', same], ['collections.deque', sequenceFrom('list')],
  ['next', (walk, { args }, node) => (args[0] === undefined ? undefined : elementOf(walk, args[0], node.end))],
  ['str', asText], ['textwrap.dedent', asText], ['unicode', asText], ['bytes', asText], ['inspect.cleandoc', asText],
  ['copy.copy', same], ['copy.deepcopy', same], ['typing.cast', (_walk, { args }) => args[1]], ['asyncio.wait_for', same],
    ['contextlib.closing', same],
  ['asyncio.shield', same], ['asyncio.ensure_future', same], ['asyncio.create_task', same], ['functools.wraps', () => unknownValue],
  ['types.MappingProxyType', same],
  ['functools.partial', partial], ['functools.lru_cache', same], ['dict', dict], ['collections.OrderedDict', dict], ['getattr', getattr],
  ['os.getenv', environment], ['os.environ.get', environment], ['os.environ.pop', environment], ['re.compile', compiled],
    ['os.path.join', joinPath],
  ['importlib.import_module', resolvedImport], ['__import__', resolvedImport], ['shlex.join', lines], ['zip', zipped], ['enumerate', enumerated],
  ['map', mapped], ['filter', (_walk, { args }) => (args[1] === undefined ? undefined : withoutShape(args[1]))],
  ['format', (_walk, { args }) => (args[0] === undefined ? undefined : derive(args[0]))],
  ['sqlalchemy.text', wrapped('sqlalchemy.text()')], ['sqlalchemy.sql.text', wrapped('sqlalchemy.text()')],
  ['sqlalchemy.sql.expression.text', wrapped('sqlalchemy.text()')], ['psycopg2.sql.SQL', wrapped('psycopg2.sql.SQL()')],
    ['psycopg.sql.SQL', wrapped('psycopg2.sql.SQL()')],
  ['re.sub', substituted], ['super', above],
  ['urllib.parse.quote', quoted],
  ['operator.mod', (_walk, { args }) => formatPercent(orUnknown(args[0]), orUnknown(args[1]))],
  ['operator.add', (_walk, { args }) => buildString('concat', [orUnknown(args[0]), orUnknown(args[1])])],
]);

/** The result of a library function treated one by one; undefined = by the tables. */
export const specialCall = (walk: Walk, name: NameNode, node: PyCall, parts: CallParts): Value | undefined => {
  const special = specials.get(name.path);
  const result = special?.(walk, parts, node);
  // `shlex.join` clears whatever it makes.
  return result !== undefined && name.clears !== 0 && result.level > SAFE
    ? makeValue(result.level, result.flags, result.cleared | name.clears, result.name, result.shape, result.trace) : result;
};
