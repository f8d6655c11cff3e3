/** Calls whose argument is a function that somebody else will call: threads, executors, `map`. */
import type { PyArgument, PyCall } from '../../../../syntax/python.types.ts';
import type { Value } from './model.types.ts';
import type { CallParts } from './call-event.ts';
import { elementOf } from './members.ts';
import { nodeOf } from './names.ts';
import { elementsOf } from './values.ts';
import type { Walk } from './walk.ts';

/** Where the function stands and how its arguments are given: one by one after it, as a list, or one element of each later argument. */
type Form = { readonly at: number; readonly keyword?: string; readonly given: 'rest' | 'list' | 'elements' };

const forms: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['Thread', { at: 1, keyword: 'target', given: 'list' }], ['Process', { at: 1, keyword: 'target', given: 'list' }],
  ['Timer', { at: 1, keyword: 'function', given: 'list' }], ['start_new_thread', { at: 0, given: 'list' }],
  ['apply_async', { at: 0, given: 'list' }], ['apply', { at: 0, given: 'list' }],
  ['run_in_executor', { at: 1, given: 'rest' }], ['to_thread', { at: 0, given: 'rest' }], ['submit', { at: 0, given: 'rest' }],
  ['call_soon', { at: 0, given: 'rest' }], ['call_soon_threadsafe', { at: 0, given: 'rest' }], ['call_later', { at: 1, given: 'rest' }],
  ['add_task', { at: 0, given: 'rest' }], ['run_in_threadpool', { at: 0, given: 'rest' }], ['run_sync', { at: 0, given: 'rest' }],
  ['map', { at: 0, given: 'elements' }], ['imap', { at: 0, given: 'elements' }], ['imap_unordered', { at: 0, given: 'elements' }],
  ['starmap', { at: 0, given: 'elements' }], ['filter', { at: 0, given: 'elements' }],
]);

/** The call that `node` leads to; undefined = it is no such call, or nothing is known of the function. */
export const deferredCall = (walk: Walk, node: PyCall, parts: CallParts): { readonly node: PyCall; readonly parts: CallParts } | undefined => {
  const form = forms.get(parts.last);
  if (form === undefined) return undefined;
  const { args, keywords } = parts;
  const target = (form.keyword === undefined ? undefined : keywords.get(form.keyword)) ?? args[form.at];
  if (target === undefined || !isFunction(target)) return undefined;
  const positional = node.args.filter((argument) => argument.kind === 'positional');
  const later = positional.slice(form.at + 1);
  let given: readonly Value[];
  let nodes: readonly PyArgument[] = [];
  let passed: ReadonlyMap<string, Value> = new Map();
  if (form.given === 'rest') {
    given = args.slice(form.at + 1);
    if (positional.length === args.length) nodes = later;
    passed = keywords;
  } else if (form.given === 'list') {
    const at = form.keyword === 'target' ? 3 : form.at + 1;
    given = elementsOf(keywords.get('args') ?? args[at]) ?? [];
    const list = (node.args.find((argument) => argument.kind === 'keyword' && argument.name === 'args') ?? positional[at])?.value;
    if (list?.type === 'Tuple' || list?.type === 'List') nodes = list.elements.map((value) => ({ kind: 'positional', value }));
    const named = keywords.get('kwargs') ?? keywords.get('kwds');
    passed = named?.shape?.type === 'Mapping' ? named.shape.entries : passed;
  } else {
    const elements = args.slice(form.at + 1).map((each) => elementOf(walk, each, node.end));
    given = parts.last === 'starmap' ? elementsOf(elements[0]) ?? elements : elements;
  }
  return {
    node: { ...node, args: nodes },
    parts: { callee: target, receiver: undefined, last: target.name?.last ?? '', args: given, keywords: passed, openArgs: false, openKeywords: false },
  };
};

/** A function of this repository, a bound one, or one of a library by its name. */
const isFunction = (value: Value): boolean => {
  const type = value.shape?.type;
  if (type === 'Function' || type === 'Bound') return true;
  return type === undefined && value.level === 0 && nodeOf(value.name)?.known === true;
};

/** The parts of a call of a bound function: its own arguments come first. */
export const unbound = (parts: CallParts): CallParts => {
  let at = parts;
  for (let links = 0; links < 4 && at.callee.shape?.type === 'Bound'; links += 1) {
    const { target, args, keywords } = at.callee.shape;
    at = { ...at, callee: target, receiver: undefined, last: target.name?.last ?? at.last, args: [...args, ...at.args],
      keywords: new Map([...keywords, ...at.keywords]), bound: (at.bound ?? 0) + args.length };
  }
  return at;
};
