/** Templates that take values out of the text of a query: SQL, XPath and LDAP. */
import type { PyCall, PyExpr } from '../../../../../syntax/python.types.ts';
import { importName } from './add-import.ts';
import { argumentsEnd, keywordOf, positionalOf } from './call-arguments.ts';
import { builtString, literalOf, wrapValues, type Built, type Piece } from './built-string.ts';
import type { PythonCode } from './python-code.ts';
import { decline, type PythonTemplate, type TemplateFix, type TemplateTable } from './template.types.ts';

/** How a driver writes a placeholder (PEP 249's paramstyle of the module). */
type Style = '?' | '%s';

const styles: Readonly<Record<string, Style>> = {
  sqlite3: '?', pyodbc: '?', duckdb: '?', apsw: '?', psycopg2: '%s',
  psycopg: '%s', pymysql: '%s', MySQLdb: '%s', mysql: '%s', django: '%s', mariadb: '?', pymssql: '%s',
};

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
  const style = method === 'execute' ? styleOf(code, call) : '%s';
  if (style === undefined) return decline('Which database driver runs the query, and so which placeholder it takes, is not sure.');
  const argument = positionalOf(call, 0)?.value;
  const built = argument === undefined ? undefined : builtString(code, argument);
  const params = positionalOf(call, 1)?.value;
  const noParams = call.args.length === 1 || (rawSql && call.args.length === 2 && isEmpty(params));
  if (argument === undefined || built === undefined || !noParams) {
    return decline('The query is not put together in one place, or it has parameters already.');
  }
  const query = placeholders(code, built, () => style, style === '%s');
  if (query === undefined) return decline('A value stands where a placeholder can not: as a name of a table or column, or inside a quoted text.');
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

/** By what the cursor comes from, else by the one driver that the file imports. */
function styleOf(code: PythonCode, call: PyCall): Style | undefined {
  const origin = code.originOf(call.func)?.split('.')[0];
  const known = origin === undefined ? undefined : styles[origin];
  if (known !== undefined) return known;
  const found = new Set([...code.imports.values()].map((name) => styles[name.split('.')[0]!]).filter((style) => style !== undefined));
  return found.size === 1 ? [...found][0] : undefined;
}

/** sqlalchemy binds by name, in the text itself, so it does not matter who runs it. */
function bindText(code: PythonCode, call: PyCall): TemplateFix {
  const argument = positionalOf(call, 0)?.value;
  const built = argument === undefined || call.args.length !== 1 ? undefined : builtString(code, argument);
  const names: string[] = [];
  const query = built === undefined ? undefined : placeholders(code, built, (value) => {
    const name = value.type === 'Name' && !names.includes(value.id) ? value.id : `value_${names.length + 1}`;
    names.push(name);
    return `:${name}`;
  }, false);
  if (built === undefined || query === undefined) {
    return decline('The query is not put together in one place, or a value stands where a placeholder can not.');
  }
  return {
    edits: [
      { start: built.node.start, end: built.node.end, text: literalOf(code, query.text, built.node) },
      { start: call.end, end: call.end, text: `.bindparams(${names.map((name, index) => `${name}=${query.values[index]}`).join(', ')})` },
    ],
    rationale: bound,
  };
}

/** A query of more parts is made by a program, not by hand. */
const maxPieces = 100;

type Query = { readonly text: string; readonly values: readonly string[] };

/** Where a value stands for itself: behind a comparison, in a list of values, as a limit. Elsewhere it would be a name. */
const valuePlace = /(?:[=<>]|\b(?:like|limit|offset|values\s?\(|in\s?\())\s*$|\b(?:values|in)\s*\([^()]*,\s*$|\bbetween\s[^']*$/i;

/** The query with a placeholder for each value; a quoted text around a value becomes part of the value. */
function placeholders(code: PythonCode, { pieces }: Built, placeholder: (value: PyExpr) => string, doublePercent: boolean): Query | undefined {
  const values: string[] = [];
  let text = '';
  if (pieces.length > maxPieces) return undefined;
  let rest = [...pieces];
  const plain = (written: string): string => (doublePercent ? written.replaceAll('%', '%%') : written);
  while (rest.length > 0) {
    const [piece, ...others] = rest as [Piece, ...Piece[]];
    rest = others;
    if (piece.kind === 'text') {
      text += plain(piece.text);
      continue;
    }
    const source = code.source(piece.value);
    const open = /'([^'"\\{}\n]{0,100})$/.exec(text.slice(-101));
    const insideQuotes = open !== null && (text.split("'").length - 1) % 2 === 1;
    if (!insideQuotes) {
      if ((text.split("'").length - 1) % 2 === 1 || !valuePlace.test(text.slice(-300))) return undefined;
      text += placeholder(piece.value);
      values.push(source);
      continue;
    }
    const next = rest[0];
    const close = next?.kind === 'text' ? /^([^'"\\{}\n]{0,100})'/.exec(next.text) : null;
    if (next?.kind !== 'text' || close === null) return undefined;
    const [before, after] = [doublePercent ? open[1]!.replaceAll('%%', '%') : open[1]!, close[1]!];
    // Inside an f-string older Pythons take neither quotes of the same kind nor backslashes.
    if (before + after !== '' && /["\\\n{}]/.test(source)) return undefined;
    text = text.slice(0, text.length - open[0].length) + placeholder(piece.value);
    values.push(before + after === '' ? source : `f"${before}{${source}}${after}"`);
    rest[0] = { kind: 'text', text: next.text.slice(close[0].length) };
  }
  return { text, values };
}

/** lxml's XPath takes variables as keywords. */
const xpathVariables: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const argument = call === undefined ? undefined : positionalOf(call, 0)?.value;
  const built = argument === undefined ? undefined : builtString(code, argument);
  if (call?.func.type !== 'Attribute' || call.func.attr !== 'xpath' || argument === undefined || built === undefined || call.args.length !== 1) {
    return decline('The expression is not put together in one place.');
  }
  let text = '';
  const names: string[] = [];
  const values: string[] = [];
  for (const [index, piece] of built.pieces.entries()) {
    if (piece.kind === 'text') {
      // The quotes round a value go: a variable is a value already.
      const afterValue = index > 0 ? piece.text.slice(1) : piece.text;
      if (index > 0 && !/^['"]/.test(piece.text)) return decline('A value is part of a longer text.');
      text += afterValue;
      continue;
    }
    if (!/['"]$/.test(text)) return decline('A value stands where a variable can not.');
    const name = piece.value.type === 'Name' && !names.includes(piece.value.id) ? piece.value.id : `value_${names.length + 1}`;
    names.push(name);
    values.push(`${name}=${code.source(piece.value)}`);
    text = `${text.slice(0, -1)}$${name}`;
  }
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
  const built = call?.args.map(({ value }) => builtString(code, value)).find((each) => each !== undefined);
  const roots = new Set([...code.imports.values()].map((name) => name.split('.')[0]!));
  const module = roots.has('ldap3') ? 'ldap3.utils.conv' : roots.has('ldap') ? 'ldap.filter' : undefined;
  if (call === undefined || built === undefined || module === undefined || keywordOf(call, 'filter_format') !== undefined) {
    return decline('The filter is not put together here, or its library is not known.');
  }
  const imported = importName(code, module, 'escape_filter_chars');
  if (imported === undefined) return decline('The name escape_filter_chars means something else here.');
  return {
    edits: [...imported.edits, ...wrapValues(code, built, (source) => `${imported.name}(${source})`)],
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
