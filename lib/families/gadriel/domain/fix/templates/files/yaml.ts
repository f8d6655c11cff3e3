/** The template for documents that PyYAML loads with tags (L3-029). */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import { importName } from '../code/add-import.ts';
import { argumentOf, setKeyword } from '../code/call-arguments.ts';
import type { PythonCode } from '../code/python-code.ts';
import { isRebound } from '../code/scopes.ts';
import { decline, type PythonTemplate, type TemplateFix } from '../template.types.ts';
import { placesOf, type Carries } from '../code/value-paths.ts';

const rationale = 'The safe loader makes plain data only. Review: documents with tags of Python are refused.';
/** What gives a loader tags of its own. Without saying for which, that is for every loader but the safe one. */
const registering = new Set([
  'add_constructor', 'add_multi_constructor', 'add_implicit_resolver', 'add_path_resolver', 'add_to_loader_class', 'yaml_constructors', 'yaml_multi_constructors',
  'yaml_implicit_resolvers', 'YAMLObject', 'YAMLObjectMetaclass', 'add_representer', 'add_multi_representer',
]);

/** Any way of loading YAML with tags by the one without, where no tags are known that the documents may need. */
export const safeYaml: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const name = call === undefined ? undefined : code.nameOf(call.func);
  if (call === undefined || name === undefined || !name.startsWith('yaml.')) return decline('The document is not loaded by PyYAML here.');
  if (hasOwnTags(code)) return decline('The file has tags of its own, which the safe loader refuses until they are registered for it.');
  if (writesTags(code)) return decline('The file writes YAML by a dumper that may put tags of Python into it, which the safe loader refuses: write by yaml.safe_dump first, and the documents that are there anew.');
  if (isObject(code, call)) return decline('An attribute of what is loaded is read, which plain data has not: the documents hold objects.');
  const unsafe = /^yaml\.(?:unsafe|full)_load(_all)?$/.exec(name);
  if (unsafe !== null) return byName(code, call.func, `safe_load${unsafe[1] ?? ''}`);
  return /^yaml\.load(?:_all)?$/.test(name) ? byLoader(code, call) : decline('The loader is chosen elsewhere.');
};

const hasOwnTags = (code: PythonCode): boolean => code.nodes().some((node) =>
  (node.type === 'Attribute' && registering.has(node.attr)) || (node.type === 'Name' && registering.has(code.nameOf(node)?.split('.').at(-1) ?? node.id))
  || (node.type === 'Constant' && node.kind === 'str' && node.value.includes('!!python/')));

/** Whether the file dumps by PyYAML with another dumper than a safe one. */
const writesTags = (code: PythonCode): boolean => code.nodes().some((node) => {
  if (node.type !== 'Call' || !/^yaml\.(?:dump(?:_all)?|C?Dumper)$/.test(code.nameOf(node.func) ?? '')) return false;
  const dumper = argumentOf(node, 2, 'Dumper')?.value;
  return dumper === undefined || !/^yaml\.(?:\w+\.)?C?SafeDumper$/.test(code.nameOf(dumper) ?? '');
});

/** Methods of dicts, lists, texts and dates, which plain data has. */
const plainMethods = new Set([
  'get', 'items', 'keys', 'values', 'pop', 'popitem', 'update', 'setdefault', 'copy', 'append', 'extend', 'insert', 'remove', 'sort', 'reverse', 'index', 'count', 'clear', 'isoformat', 'strftime', 'split', 'splitlines',
  'strip', 'lstrip', 'rstrip', 'lower', 'upper', 'title', 'replace', 'format', 'join', 'startswith', 'endswith', 'encode', 'isdigit', 'casefold', 'partition', 'rsplit', 'removeprefix', 'removesuffix', 'find', 'add', 'union', '__getitem__',
]);

/** What is looked up in a document, or gone through, may be an object as well. */
const carriesElement: Carries = (code, place, around) => (around.type === 'Subscript' && around.value === place)
  || (around.type === 'Attribute' && /^(?:get|pop|setdefault|items|values)$/.test(around.attr)) || (around.type === 'Call' && around.func === place && place.type === 'Attribute')
  || (around.type === 'Call' && around.func !== place && /^(?:list|tuple|next|sorted|reversed)$/.test(code.source(around.func)));

const isObject = (code: PythonCode, call: PyCall): boolean => placesOf(code, [call], carriesElement).some((place) => {
  const around = code.parentOf(place);
  return around?.type === 'Attribute' && !plainMethods.has(around.attr);
});

function byName(code: PythonCode, func: PyExpr, safe: string): TemplateFix {
  if (func.type === 'Attribute') return { edits: [{ start: func.end - func.attr.length, end: func.end, text: safe }], rationale };
  const imported = importName(code, 'yaml', safe);
  return imported === undefined ? decline(`The name ${safe} means something else here.`)
    : { edits: [...imported.edits, { start: func.start, end: func.end, text: imported.name }], rationale };
}

function byLoader(code: PythonCode, call: PyCall): TemplateFix {
  if (call.args.some(({ kind }) => kind === 'star' || kind === 'doublestar')) return decline('The loader may be among the arguments that are passed on.');
  const given = argumentOf(call, 1, 'Loader')?.value;
  if (given !== undefined && !isPlainLoader(code, given)) return decline('The loader is not one of PyYAML itself: what documents it is made for is not known here.');
  // Where the module was imported in whatever way, its members are at hand.
  const loader = call.func.type === 'Attribute' ? { name: `${code.source(call.func.value)}.SafeLoader`, edits: [] } : importName(code, 'yaml', 'SafeLoader');
  if (loader === undefined) return decline('The name SafeLoader means something else here.');
  const put = given === undefined ? setKeyword(code, call, 'Loader', loader.name) : { start: given.start, end: given.end, text: loader.name };
  return { edits: [...loader.edits, put], rationale };
}

/** Whether an expression names a loader of PyYAML: no class or variable of the file's own. */
const isPlainLoader = (code: PythonCode, loader: PyExpr): boolean =>
  /^yaml\.(?:\w+\.)?C?(?:Unsafe|Full)?Loader$/.test(code.nameOf(loader) ?? '') && !(loader.type === 'Name' && isRebound(code, loader.id));
