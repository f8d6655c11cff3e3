/** Templates that take values out of the text of a query: SQL, XPath and LDAP. */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import { importName } from '../code/add-import.ts';
import { argumentsEnd, keywordOf, positionalOf } from '../code/call-arguments.ts';
import { builtString, literalOf, wrapValues } from '../code/built-string.ts';
import { asText, madeText } from '../code/plain-values.ts';
import type { PythonCode } from '../code/python-code.ts';
import { driverOf, textRuleOf } from './sql-drivers.ts';
import { placeholders } from './sql-text.ts';
import { writtenTexts } from '../code/sure-values.ts';
import { decline, type PythonTemplate, type TemplateFix, type TemplateTable } from '../template.types.ts';
import { filterValues } from '../code/value-kind.ts';

const bound = 'The value is bound to a placeholder, so that the database never reads it as SQL.';

/** Values out of the text of a query and into its parameters. */
const parameterized: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  if (call === undefined) return decline('The query is not run by a call here.');
  const inner = code.nodes().find((node): node is PyCall => node.type === 'Call' && node.start >= call.start && node.end <= call.end
    && code.nameOf(node.func)?.startsWith('sqlalchemy.') === true && /(?:^|\.)text$/.test(code.source(node.func)));
  if (inner !== undefined) return bindText(code, inner);
  const method = call.func.type === 'Attribute' ? call.func.attr : code.source(call.func);
  const rawSql = method === 'RawSQL';
  if (!['execute', 'raw', 'RawSQL'].includes(method)) return decline(`How ${method} takes parameters is not known here.`);
  const driver = driverOf(code, method === 'execute' ? call : undefined);
  if (driver === undefined) return decline('Which database driver runs the query, and so which placeholder it takes, is not sure.');
  const argument = positionalOf(call, 0)?.value;
  const built = argument === undefined ? undefined : builtString(code, argument);
  const params = positionalOf(call, 1)?.value;
  const noParams = call.args.length === 1 || (rawSql && call.args.length === 2 && isEmpty(params));
  if (argument === undefined || built === undefined || !noParams) {
    return decline('The query is not put together in one place, or it has parameters already.');
  }
  const given = { placeholder: () => driver.style, percent: driver.percent, colons: false, numericLimit: !driver.textLimit, texts: driver.texts, plainOnly: driver.plainOnly === true };
  // With a list of parameters beside it, the text may have its percent signs doubled already.
  const doubled = method !== 'execute' && built.pieces.some((piece) => piece.kind === 'text' && piece.text.includes('%'));
  const query = doubled ? undefined : placeholders(code, built, given, rawSql);
  if (query === undefined) return decline('Whether percent signs are doubled in the query is not sure, so a placeholder can not be put into it.');
  if ('why' in query) return decline(query.why);
  const listed = rawSql || method === 'raw'
    ? `[${query.values.join(', ')}]`
    : query.values.length === 1
    ? `(${query.values[0]},)`
    : `(${query.values.join(', ')})`;
  return {
    edits: [
      { start: built.node.start, end: built.node.end, text: literalOf(code, query.text, built.node) },
      params === undefined
        ? { start: argumentsEnd(code, call), end: argumentsEnd(code, call), text: `, ${listed}` }
        : { start: params.start, end: params.end, text: listed },
    ],
    rationale: bound,
  };
};

const isEmpty = (node: PyExpr | undefined): boolean => (node?.type === 'Tuple' || node?.type === 'List') && node.elements.length === 0;

/** sqlalchemy binds by name, in the text itself, so it does not matter who runs it. */
function bindText(code: PythonCode, call: PyCall): TemplateFix {
  const argument = positionalOf(call, 0)?.value;
  const built = argument === undefined || call.args.length !== 1 ? undefined : builtString(code, argument);
  const names: string[] = [];
  const placeholder = (value: PyExpr): string => {
    const isFree = value.type === 'Name' && value.id !== 'self' && !names.includes(value.id) && built?.pieces.every((piece) => piece.kind === 'value' || !piece.text.includes(`:${value.id}`)) === true;
    const name = isFree ? value.id : `value_${names.length + 1}`;
    names.push(name);
    return `:${name}`;
  };
  const query = built === undefined ? undefined : placeholders(code, built, { placeholder, percent: 'kept', colons: true, numericLimit: true, texts: textRuleOf(code), plainOnly: false }, false);
  if (built === undefined || query === undefined) return decline('The query is not put together in one place.');
  if ('why' in query) return decline(query.why);
  return {
    edits: [
      { start: built.node.start, end: built.node.end, text: literalOf(code, query.text, built.node) },
      { start: call.end, end: call.end, text: `.bindparams(${names.map((name, index) => `${name}=${query.values[index]}`).join(', ')})` },
    ],
    rationale: bound,
  };
}

/** What xpath takes beside variables, by keyword or by place: of lxml and of parsel. */
const xpathKeywords = new Set(['self', '_path', 'query', 'namespaces', 'extensions', 'smart_strings']);

/** The quote that a text of XPath leaves open; there is no escape in XPath. */
function openQuote(text: string): string {
  let quote = '';
  for (const character of text) {
    if (quote === '' && /['"]/.test(character)) quote = character;
    else if (character === quote) quote = '';
  }
  return quote;
}

/** lxml's XPath takes variables as keywords. */
const xpathVariables: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const argument = call === undefined ? undefined : positionalOf(call, 0)?.value;
  const built = argument === undefined ? undefined : builtString(code, argument);
  if (call?.func.type !== 'Attribute' || call.func.attr !== 'xpath' || argument === undefined || built === undefined || call.args.length !== 1) {
    return decline('The expression is not put together in one place.');
  }
  // Browsers driven by a program have a method of this name that takes no variables.
  if (![...code.imports.values()].some((name) => /^(?:lxml|parsel|scrapy)\b/.test(name))) return decline('Whether this library takes variables is not known.');
  let [text, quote] = ['', ''];
  const names: string[] = [];
  const values: string[] = [];
  for (const piece of built.pieces) {
    if (piece.kind === 'text') {
      // The quotes round a value go: a variable is a value already.
      if (names.length > 0 && !piece.text.startsWith(quote)) return decline('A value is part of a longer text.');
      const afterValue = names.length > 0 ? piece.text.slice(1) : piece.text;
      quote = openQuote(afterValue);
      text += afterValue;
      continue;
    }
    if (quote === '' || !text.endsWith(quote)) return decline('A value stands where a variable can not.');
    const isFree = piece.value.type === 'Name' && !names.includes(piece.value.id) && !xpathKeywords.has(piece.value.id) && !text.includes(`$${piece.value.id}`);
    const name = isFree && piece.value.type === 'Name' ? piece.value.id : `value_${names.length + 1}`;
    names.push(name);
    // A number would be compared as one, and other objects not be taken.
    const value = asText(code, piece);
    if (value === undefined) return decline('The name str means something else here.');
    values.push(`${name}=${value}`);
    text = `${text.slice(0, -1)}$${name}`;
  }
  if (built.pieces.at(-1)?.kind === 'value') return decline('A value is part of a longer text.');
  return {
    edits: [
      { start: built.node.start, end: built.node.end, text: literalOf(code, text, built.node) },
      { start: argumentsEnd(code, call), end: argumentsEnd(code, call), text: `, ${values.join(', ')}` },
    ],
    rationale: 'The value is a variable of the expression, so that it is never read as part of it.',
  };
};

/** Filters have no parameters: their values are escaped where they stand. */
const ldapFilter: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const texts = (call?.args ?? []).flatMap(({ value }) => builtString(code, value) ?? []);
  // Names of entries are escaped in another way than filters.
  const [built] = texts.filter(({ pieces: [first] }) => first?.kind === 'text' && first.text.startsWith('('));
  const roots = new Set([...code.imports.values()].map((name) => name.split('.')[0]!));
  const module = roots.has('ldap3') ? 'ldap3.utils.conv' : roots.has('ldap') ? 'ldap.filter' : undefined;
  if (call === undefined || built === undefined || texts.length !== 1 || module === undefined || keywordOf(call, 'filter_format') !== undefined) {
    return decline('The filter is not put together here, or its library is not known.');
  }
  const imported = importName(code, module, 'escape_filter_chars');
  if (imported === undefined) return decline('The name escape_filter_chars means something else here.');
  const values = built.pieces.flatMap((piece) => (piece.kind === 'value' ? piece : []));
  const wildcard = values.some(({ value }) => writtenTexts(code, value).some((written) => /[()*\\]/.test(written)));
  const escapable = new Map(values.map((piece) => [piece.value, asText(code, piece)]));
  if (values.some((piece) => madeText(code, piece) === undefined)) return decline('The name str means something else here.');
  const edits = wildcard ? undefined : wrapValues(code, built, filterValues, (_source, _isText, value) => `${imported.name}(${escapable.get(value)})`);
  if (edits === undefined) return decline('Whether a value is a pattern or a filter of its own is not sure.');
  let before = '';
  for (const piece of built.pieces) {
    if (piece.kind === 'value' && !/[=:]$/.test(before.replace(/[*\w .@-]*$/, ''))) return decline('A value stands where the name of an attribute does: which may be asked for has to be decided.');
    before += piece.kind === 'text' ? piece.text : 'x';
  }
  return {
    edits: [...imported.edits, ...edits],
    rationale: 'The value can no longer close its part of the filter.',
  };
};

/** Queries, by rule. */
export const queryTemplates: TemplateTable = {
  'CODE-W1-L3-014': parameterized,
  'CODE-W1-L3-015': parameterized,
  'CODE-W1-L3-016': parameterized,
  'CODE-W1-L3-019': ldapFilter,
  'CODE-W1-L3-020': xpathVariables,
};
