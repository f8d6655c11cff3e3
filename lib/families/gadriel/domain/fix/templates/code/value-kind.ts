import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import type { PythonCode } from './python-code.ts';
import { possibleTexts, rootOf, valuesOf } from './scopes.ts';

/** `single`: one plain value, to be escaped or bound; `safe`: it can do no harm as it is; `unsure`: it may be text of the language it stands in. */
export type ValueKind = 'single' | 'safe' | 'unsure';

/** How values of one kind of text are told: what makes them safe, and what shows that they are more than a value. */
export type Reading = {
  /** Qualified names of functions whose result is safe. */
  readonly sanitizers: RegExp;
  /** What their result is where it is no safe value: in a list of arguments the quotes for a shell would be part of it. */
  readonly sanitized?: 'unsure';
  /** Names of variables that hold text of the language, or several values. */
  readonly names: RegExp;
  /** The same of attributes and of the keys of requests and dicts. */
  readonly keys: RegExp;
  /** Written text that is text of the language. */
  readonly text: RegExp;
  /** Whether slices, defaults, loops and tables are looked at: where an empty value, an option or several words are not just a value. */
  readonly words?: true;
  /** What another function gives back. */
  readonly calls: 'single' | 'unsure';
};

/** Texts of a page: values of requests are plain, what functions give back may be markup. */
export const pageValues: Reading = {
  sanitizers: /^(?:(?:html|markupsafe|flask|jinja2|cgi|werkzeug\.utils|django\.utils\.html)\.(?:conditional_)?escape|bleach\.clean|nh3\.clean|tornado\.escape\.xhtml_escape|urllib\.parse\.(?:quote|quote_plus|urlencode))$/,
  names: /html|markup|^(?:rows?|body|content|page|head|header|footer|table|lis|items|options|links|nav|menu|form|parts?|pieces|snippet|fragment|template|svg|css|script|style|widget|inner|list|lines|cells)$/i,
  keys: /html|markup/i, text: /[<>]|&\w{1,10};/, calls: 'unsure',
};

/** Words of a command. */
export const shellValues: Reading = {
  sanitizers: /^(?:shlex|pipes)\.quote$/,
  names: /^(?:\w*_)?(?:flags?|opts?|options?|args?|argv|params?|cmds?|commands?|cmdline|extras?|files|paths|names|hosts|targets|words|lines?|script|arguments|list|patterns?|mode|quiet|redirect)$/i,
  keys: /^(?:\w*_)?(?:flags?|opts?|options?|args|argv|params|cmds?|commands?|cmdline|script|arguments|files|paths|names|hosts|targets|extras?|patterns?)$/i,
  // Empty, an option, or what a shell reads as more than a plain word.
  text: /^$|^-|[^\w@%+=:,./-]/, words: true, calls: 'unsure',
};

/** Words of a list of arguments. */
export const listValues: Reading = { ...shellValues, sanitized: 'unsure' };

/** Values outside quotes in SQL, where whatever is written is SQL. */
export const sqlValues: Reading = {
  sanitizers: /^$/,
  names: /^(?:\w*_)?(?:ids|vals|values|conds?|conditions?|where|clauses?|filters?|columns?|cols?|fields?|tables?|order|order_by|sort|sql|query|placeholders?|names|keys|items|list|expr|expression|parts?|fragment)$/i,
  keys: /^(?:\w*_)?(?:ids|where|clause|columns?|fields?|tables?|order|order_by|sort|sql|query|expr)$/i, text: /\S/, calls: 'unsure',
};

/** Values between quotes in SQL: any text, unless it is a list or already escaped for the quotes. */
export const quotedValues: Reading = { sanitizers: /^$/, names: /^(?:\w*_)?(?:ids|vals|values|escaped\w*|quoted\w*)$/i, keys: /^$/, text: /^[^\s\S]$/, calls: 'single' };

/** Values in a filter of LDAP. */
export const filterValues: Reading = {
  sanitizers: /(?:^|\.)escape_filter_chars$/, names: /filter|cond|clause|query|parts?$/i, keys: /filter|query/i, text: /[()]/, calls: 'unsure',
};

/** Functions that make numbers, which need no escaping anywhere. */
const numbers = new Set(['int', 'float', 'len', 'bool', 'round', 'abs', 'ord', 'id']);
/** Methods whose result is of the kind of what they are called on. */
const sameKind = new Set(['strip', 'lstrip', 'rstrip', 'lower', 'upper', 'title', 'capitalize', 'casefold', 'encode', 'decode']);
/** Methods that look one value up. */
const lookUps = new Set(['get', 'get_argument', 'getfirst', 'getvalue', 'getenv', 'group', 'hexdigest', 'isoformat', 'pop']);
/** Names under which texts are made safe: whether for this place is not known. */
const escaping = /escape|quote|literal|adapt|sanitize|clean|mogrify/i;

/** What a value is, as far as the text shows; variables are followed to what they are assigned. */
export function valueKind(code: PythonCode, value: PyExpr, reading: Reading, depth = 0): ValueKind {
  const of = (each: PyExpr): ValueKind => valueKind(code, each, reading, depth + 1);
  if (depth > 6) return 'unsure';
  if (reading.words === true && possibleTexts(code, value).some((text) => reading.text.test(text))) return 'unsure';
  switch (value.type) {
    case 'Constant': return value.kind !== 'str' ? 'safe' : reading.text.test(value.value) ? 'unsure' : 'single';
    case 'Name': {
      const values = reading.names.test(value.id) ? undefined : valuesOf(code, value);
      return values === undefined || (values.length === 0 && mayBeSafeAlready(code, value, reading)) ? 'unsure' : worst(values.map(of));
    }
    case 'Attribute': return reading.keys.test(value.attr) || mayBeSafeAlready(code, value, reading) ? 'unsure' : 'single';
    case 'Subscript': return (value.index.type === 'Slice' && reading.words === true) || isTextOf(value.index, reading.keys) || mayBeSafeAlready(code, value, reading) ? 'unsure' : 'single';
    case 'Call': return callKind(code, value, reading, of);
    case 'JoinedStr': return worst(value.parts.map((part) => (part.type === 'Formatted' ? of(part.value) : reading.text.test(part.value) ? 'unsure' : 'single')));
    case 'BinOp': return value.op === '*' ? 'unsure' : value.op === '+' || value.op === '%' ? worst([of(value.left), ...(value.right.type === 'Tuple' ? value.right.elements : [value.right]).map(of)]) : 'single';
    case 'BoolOp': return worst(value.values.map(of));
    case 'IfExp': return worst([of(value.body), of(value.orelse)]);
    case 'Compare': case 'UnaryOp': return 'single';
    default: return 'unsure';
  }
}

function callKind(code: PythonCode, call: PyCall, reading: Reading, of: (value: PyExpr) => ValueKind): ValueKind {
  const name = code.nameOf(call.func) ?? code.source(call.func);
  const [first] = call.args;
  if (reading.sanitizers.test(name)) return reading.sanitized ?? 'safe';
  if (numbers.has(name)) return 'safe';
  // What a person types is one value, as that of a request.
  if (name === 'input' && reading.words === true) return 'single';
  if (name === 'str' && first !== undefined) return worst([of(first.value), 'single']);
  if (call.func.type === 'Attribute') {
    const { attr } = call.func;
    // A list as a text, or a text that is made safe by hand.
    if (attr === 'join' || attr === 'replace' || attr === 'translate' || attr === 'sub') return 'unsure';
    if (sameKind.has(attr)) return worst([of(call.func.value), 'single']);
    if (lookUps.has(attr)) {
      const fallback = call.args[1]?.value;
      return mayBeSafeAlready(code, call.func, reading) || isTextOf(first?.value, reading.keys) || (reading.words === true && attr !== 'group' && fallback !== undefined && !isEmptyText(fallback) && of(fallback) === 'unsure') ? 'unsure' : 'single';
    }
  }
  return escaping.test(name) ? 'unsure' : reading.calls;
}

/**
 * Whether a parameter, an attribute or an element may have been made safe before it came here: where the file keeps what a
 * sanitizer gives, beyond the text that it is put into. What comes from a request or from another module is none of that.
 */
function mayBeSafeAlready(code: PythonCode, value: PyExpr, reading: Reading): boolean {
  if (code.imports.has(rootOf(value) ?? '') || /\brequest\b/.test(code.source(value))) return false;
  return code.nodes().some((node) => node.type === 'Call' && reading.sanitizers.test(code.nameOf(node.func) ?? '-') && !isPartOfText(code, node));
}

/** Whether a value goes into a text where it stands: by an f-string, `+`, `%` or `.format`. */
function isPartOfText(code: PythonCode, node: PyExpr): boolean {
  const parent = code.parentOf(node);
  switch (parent?.type) {
    case 'JoinedStr': case 'BinOp': return true;
    case 'Tuple': return isPartOfText(code, parent);
    case 'Call': return parent.func.type === 'Attribute' && parent.func.attr === 'format';
    default: return false;
  }
}

/** Whether a value is looked up with an empty text for what is not there. */
export function mayBeEmpty(code: PythonCode, value: PyExpr, depth = 0): boolean {
  if (value.type === 'Name') return depth < 6 && (valuesOf(code, value) ?? []).some((each) => mayBeEmpty(code, each, depth + 1));
  return value.type === 'Call' && value.func.type === 'Attribute' && lookUps.has(value.func.attr) && value.args.slice(1).some((each) => isEmptyText(each.value));
}

const isEmptyText = (value: PyExpr): boolean => value.type === 'Constant' && value.kind === 'str' && value.value === '';
const isTextOf = (value: PyExpr | undefined, pattern: RegExp): boolean => value?.type === 'Constant' && value.kind === 'str' && pattern.test(value.value);

/** Of several possible values the one that asks for most care; of none it is just a value. */
function worst(kinds: readonly ValueKind[]): ValueKind {
  if (kinds.includes('unsure')) return 'unsure';
  return kinds.length > 0 && kinds.every((kind) => kind === 'safe') ? 'safe' : 'single';
}
