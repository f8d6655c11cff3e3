/** Methods of strings and containers, whatever their receiver is called. */
import type { PyAttribute, PyCall, PyExpr } from '../../../../syntax/python.types.ts';
import type { Value } from './model.types.ts';
import type { CallParts } from './call-event.ts';
import { textValue, withoutShape } from './constants.ts';
import { containerValue, derive, sequenceValue } from './containers.ts';
import { joinBoth } from './join.ts';
import { makeValue, SAFE, safeValue, TAINTED, unknownValue } from './make-value.ts';
import { elementOf } from './members.ts';
import type { NameNode } from './names.ts';
import { noted } from './operators.ts';
import { formatMethod, joinStrings } from './string-formats.ts';
import { buildString } from './strings.ts';
import { store } from './targets.ts';
import { clearBit, settled } from './value-bits.ts';
import { constantOf, stringOf } from './values.ts';
import type { Walk } from './walk.ts';

/** Methods whose result says nothing that could be injected: truths, counts, positions. */
export const safeMethods: ReadonlySet<string> = new Set(`isdigit isalnum isalpha isdecimal isnumeric isidentifier isascii islower isupper isspace
  isprintable istitle startswith endswith count find rfind index rindex __len__ __contains__ exists is_file is_dir bit_length hexdigest digest
  is_relative_to is_absolute fileno tell isatty timestamp total_seconds getlength qsize empty full has_key issubset issuperset isdisjoint`.split(/\s+/));

const keepText = new Set(['strip', 'lstrip', 'rstrip', 'encode', 'decode', 'expandtabs', 'lower', 'upper', 'title', 'capitalize',
  'casefold', 'swapcase']);
const textMethods = new Set([...keepText, 'format', 'format_map', 'join', 'replace', 'zfill', 'ljust', 'rjust', 'center', 'translate',
  'removeprefix', 'removesuffix']);
const builders = new Set(['format', 'format_map', 'join', 'replace']);
const splitters = new Set(['split', 'rsplit', 'splitlines', 'partition', 'rpartition']);
const adders = new Set(['append', 'extend', 'insert', 'add', 'appendleft', 'extendleft', 'push', 'put', 'put_nowait']);

/**
 * Value of `receiver.method(…)` where the method is one of strings, lists or dicts. Undefined = not such a call; decide by
 * the callee's name.
 */
export const methodCall = (walk: Walk, func: PyAttribute, receiver: Value, parts: CallParts, name: NameNode | undefined): Value | undefined => {
  const { args, keywords } = parts;
  const attr = func.attr;
  const shape = receiver.shape;
  // `os.path.join`, `re.split`, `psycopg2.sql.SQL('…').format`: functions of libraries and methods of their objects.
  if (shape?.type === 'Instance' || shape?.type === 'Class' || shape?.type === 'Function') return undefined;
  if (name !== undefined && shape === undefined && receiver.level < TAINTED) {
    // Text of a known origin (a file, the environment, an archive) is text all the same.
    const text = receiver.flags !== 0 && attr !== 'format' && attr !== 'join';
    if (!text || !textMethods.has(attr) && !splitters.has(attr)) return writerCall(walk, func, receiver, parts);
  }
  if (textMethods.has(attr)) {
    const text = textCall(attr, receiver, parts);
    return builders.has(attr) && text !== receiver ? noted(walk, func.start, text) : text;
  }
  if (splitters.has(attr)) return splitCall(attr, receiver, args);
  if (shape?.type === 'Mapping' || shape?.type === 'Sequence') return containerCall(walk, func, receiver, parts);
  if (safeMethods.has(attr)) return safeValue;
  if (adders.has(attr) && attr !== 'put' && attr !== 'push' && attr !== 'add') {
    const worst = containerValue(args, undefined);
    if (worst.level > receiver.level || (worst.flags & ~receiver.flags) !== 0) store(walk, func.value, joinBoth(receiver, derive(worst)));
    return safeValue;
  }
  if (attr === 'update' && receiver.name === undefined) {
    const worst = containerValue([...args, ...keywords.values()], undefined);
    if (worst.level === TAINTED && receiver.level < TAINTED) store(walk, func.value, derive(worst));
    return safeValue;
  }
  return undefined;
};

/** `buffer.write(tainted)`: what comes out of the buffer later is tainted. */
const writerCall = (walk: Walk, func: PyAttribute, receiver: Value, parts: CallParts): Value | undefined => {
  const path = receiver.name?.path;
  if (path !== 'io.StringIO()' && path !== 'io.BytesIO()' || func.attr !== 'write') return undefined;
  const written = containerValue(parts.args, undefined);
  if (written.level > receiver.level) store(walk, func.value,
    makeValue(written.level, written.flags | receiver.flags, written.cleared, receiver.name, undefined, written.trace));
  return safeValue;
};

const textCall = (attr: string, receiver: Value, parts: CallParts): Value => {
  const { args, keywords } = parts;
  const text = stringOf(receiver);
  if (attr === 'format') {
    const rest = parts.openArgs || parts.openKeywords ? keywords.get('**') ?? containerValue([...args, unknownValue], undefined) : undefined;
    return formatMethod(receiver, args, keywords, rest);
  }
  if (attr === 'format_map') {
    const map = args[0];
    const named = map?.shape?.type === 'Mapping' ? map.shape.entries : keywords;
    return formatMethod(receiver, [], named, map === undefined ? undefined : derive(map));
  }
  if (attr === 'join') return args[0] === undefined ? derive(receiver) : joinStrings(receiver, args[0]);
  if (attr === 'replace') {
    const [from, to] = [stringOf(args[0]), stringOf(args[1])];
    if (text !== undefined && from !== undefined && to !== undefined && from !== '') return textValue(text.replaceAll(from, () => to));
    // A constant for a constant leaves the dynamic parts where they are.
    if (args[1] === undefined || to !== undefined && from !== undefined) return receiver.shape?.type === 'Built' ? receiver : derive(receiver);
    return buildString('replace', [receiver, args[1]]);
  }
  if (text !== undefined) {
    const kind = constantOf(receiver)?.kind === 'bytes' ? 'bytes' : 'str';
    switch (attr) {
      case 'lower': case 'casefold': return textValue(text.toLowerCase(), kind);
      case 'upper': return textValue(text.toUpperCase(), kind);
      case 'strip': return args.length === 0 ? textValue(text.trim(), kind) : safeValue;
      case 'encode': return textValue(text, 'bytes');
      case 'decode': return textValue(text);
      default: return safeValue;
    }
  }
  if (attr === 'lstrip' && stringOf(args[0])?.includes('/') === true) return withoutSlash(derive(receiver));
  return keepText.has(attr) && receiver.shape?.type === 'Built' ? receiver : derive(receiver);
};

const splitCall = (attr: string, receiver: Value, args: readonly Value[]): Value => {
  const text = stringOf(receiver);
  const separator = args[0] === undefined ? undefined : stringOf(args[0]);
  if (text !== undefined && attr === 'split' && args.length <= 1 && (args.length === 0 || separator !== undefined && separator !== '')) {
    const words = separator === undefined ? text.trim().split(/\s+/) : text.split(separator);
    return sequenceValue('list', words.slice(0, 64).map((word) => textValue(word)), words.length > 64);
  }
  const shape = receiver.shape;
  // `f"grep {x} file".split()`: words in order, as far as blanks in the constant text say.
  if (shape?.type === 'Built' && attr === 'split' && args.length === 0) return sequenceValue('list', wordsOf(shape.parts, shape.via), true);
  const element = withoutShape(receiver);
  return receiver.level === SAFE && receiver.flags === 0 ? safeValue : makeValue(receiver.level, receiver.flags, receiver.cleared, undefined,
    { type: 'Sequence', kind: 'list', elements: [separator === '/' ? withoutSlash(derive(element)) : derive(element)], open: true }, receiver.trace);
};

/** A piece between slashes, or a text whose leading slashes are off. */
const withoutSlash = (value: Value): Value =>
  (value.level === SAFE ? value : makeValue(value.level, value.flags, settled(value.cleared | clearBit.rooted), value.name, value.shape, value.trace));

const wordsOf = (parts: readonly (string | Value)[], via: Parameters<typeof buildString>[0]): Value[] => {
  const words: Value[] = [];
  let word: (string | Value)[] = [];
  const flush = (): void => {
    if (word.length > 0) words.push(word.length === 1 && typeof word[0] === 'object' ? derive(word[0]) : buildString(via, word));
    word = [];
  };
  for (const part of parts) {
    if (typeof part !== 'string') {
      word.push(part);
      continue;
    }
    part.split(/\s+/).forEach((piece, at) => {
      if (at > 0) flush();
      if (piece !== '') word.push(piece);
    });
  }
  flush();
  return words;
};

const containerCall = (walk: Walk, func: PyAttribute, receiver: Value, parts: CallParts): Value => {
  const { args, keywords } = parts;
  const shape = receiver.shape;
  const first = args[0];
  const attr = func.attr;
  if (shape?.type === 'Mapping') {
    const key = stringOf(first);
    if (attr === 'get' || attr === 'pop' || attr === 'setdefault') {
      const entry = key === undefined ? undefined : shape.entries.get(key);
      const fallback = args[1] ?? safeValue;
      if (attr === 'setdefault' && key !== undefined
        && entry === undefined) store(walk, func.value, withEntries(receiver, [[key, fallback]], shape.open));
      if (entry !== undefined && !shape.open) return entry;
      return joinBoth(entry ?? (shape.entries.size === 0 && !shape.open ? safeValue : derive(receiver)), fallback);
    }
    if (attr === 'update') {
      const more = first?.shape?.type === 'Mapping' ? first.shape : undefined;
      const updated = withEntries(receiver, [...(more?.entries ?? []), ...keywords], shape.open || more?.open === true
        || first !== undefined && more === undefined);
      store(walk, func.value, first === undefined ? updated : containerValue([updated, first], updated.shape));
      return safeValue;
    }
    if (attr === 'values' || attr === 'items') return sequenceValue('list', [derive(receiver)], true);
    if (attr === 'copy') return receiver;
    return attr === 'keys' && !shape.open ? sequenceValue('list', [...shape.entries.keys()].map((each) => textValue(each)), false)
      : derive(receiver);
  }
  if (shape?.type !== 'Sequence') return unknownValue;
  switch (attr) {
    case 'append': case 'add': case 'push': case 'appendleft': case 'put':
      if (first !== undefined) grow(walk, func.value, receiver, [...shape.elements, first], shape.open || walk.loopDepth > 0);
      return safeValue;
    case 'insert': {
      const item = args[1];
      if (item !== undefined) grow(walk, func.value, receiver, [...shape.elements, item], true);
      return safeValue;
    }
    case 'extend': case 'update': {
      if (first === undefined) return safeValue;
      const more = first.shape?.type === 'Sequence' ? first.shape : undefined;
      grow(walk, func.value, receiver, [...shape.elements, ...(more?.elements ?? [derive(first)])], shape.open || more?.open !== false
        || walk.loopDepth > 0);
      return safeValue;
    }
    case 'pop': case 'popleft': return elementOf(walk, receiver, func.end);
    case 'copy': return receiver;
    default: return safeMethods.has(attr) ? safeValue : derive(receiver);
  }
};

const grow = (walk: Walk, node: PyExpr, receiver: Value, elements: readonly Value[], open: boolean): void => {
  const shape = receiver.shape;
  if (shape?.type !== 'Sequence') return;
  // A long list that is not made worse stays as it is: adding one by one must not cost the square of the length.
  const added = elements.slice(shape.elements.length);
  if (shape.elements.length >= 64 && shape.open
    && added.every((each) => each.level <= receiver.level && (each.flags & ~receiver.flags) === 0)) return;
  store(walk, node, sequenceValue(shape.kind, elements, open));
};

const withEntries = (receiver: Value, added: readonly (readonly [string, Value])[], open: boolean): Value => {
  const shape = receiver.shape;
  const entries = new Map(shape?.type === 'Mapping' ? shape.entries : []);
  for (const [key, value] of added) if (entries.size < 256) entries.set(key, value);
  return containerValue([receiver, ...added.map(([, value]) => value)], { type: 'Mapping', entries, open });
};

const modelCalls = /\.(?:chat\.completions\.(?:create|parse)|chat\.complete|generate_content|responses\.(?:create|parse)|messages\.create|ChatCompletion\.a?create)$/;

/** `anything.chat.completions.create(…)`: calls that only clients of language models have, whatever the receiver is. */
export const namesLanguageModel = (node: PyCall): boolean => {
  let path = '';
  let at: PyExpr = node.func;
  for (let links = 0; links < 4 && at.type === 'Attribute'; links += 1) {
    path = `.${at.attr}${path}`;
    at = at.value;
  }
  if (!modelCalls.test(path)) return false;
  // `responses.create` and `messages.create` are names of other services too: those take no `model`.
  return !/responses|messages/.test(path) || node.args.some((argument) => argument.kind === 'keyword' && argument.name === 'model');
};
