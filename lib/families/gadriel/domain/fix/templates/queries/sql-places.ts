/** Where a value stands in SQL: what is before it and behind it says whether a parameter may take its place. */

const name = '(?:"\\w+"|`\\w+`|[a-z_]\\w*)';
const column = `${name}(?:\\.${name}){0,2}`;
const operand = `(?:[-+]?\\d[\\d.]*|'[^']*'|\\?|%s|:\\w+|${column})`;
/** No part of `->>`, `@>`, `:=` and their like. */
const comparison = '(?<![-<>=!@~&|#*:^])(?:<=|>=|<>|!=|==?|<|>)';
const list = `\\((?:\\s*${operand}\\s*,)*\\s*`;
const range = `between\\s+(?:${operand}\\s+and\\s+)?`;

/** Where a value stands for itself: behind a comparison, in a list of values, in a range, as a limit. Elsewhere it would be a name. */
const unquoted = new RegExp(`(?:${comparison}|\\b(?:like|limit|offset))\\s*$|\\b(?:values|in)\\s*${list}$|\\b${range}$`, 'i');
/** Where a text in quotes is a value of its own: a word before it (`x'…'`, `interval '…'`) would make it another thing. */
const quoted = new RegExp(`(?:${comparison}|[(,+]|\\|\\||\\b(?:like|ilike|glob|regexp|rlike|match|between|and|or|not|in|is|then|else|when|select|returning))\\s*$`, 'i');
const besideColumn = new RegExp(`(?:\\b(?:where|and|or|not|on|set|when)\\s+|[(,]\\s*)(${column})\\s*(?:${comparison}\\s*|\\s(?:not\\s+)?(?:in\\s*${list}|${range}|i?like\\s*))$`, 'i');
/** What may stand behind a value; a bracket there would make it the name of a function. */
const follows = /^(?:\s*(?:$|[),;=<>+*/-]|\|\||::)|\s+(?:and|or|order|group|limit|offset|having|union|intersect|except|returning|on|where|then|else|end|when|between|not|is|like|in|collate|escape|from|as|for|asc|desc|(?:left|right|inner|cross|natural)?\s?join)\b)/i;

/** The result of a function of texts in a comparison. */
const textResult = new RegExp(`\\b(?:lower|upper|trim|ltrim|rtrim|concat|substr|substring)\\s*\\([^()]*\\)\\s*${comparison}\\s*$`, 'i');

/** Names of columns that hold no texts, as far as names tell. */
const otherType = /(?:^|_)(?:id|uuid|guid|at|on|day|month|year|age|count|amount|price|total|number)$|date|time/i;
const otherEnd = /[a-z](?:Id|At|On)$/;
const isOfOtherType = (plain: string): boolean => otherType.test(plain) || otherEnd.test(plain);

/** More of a query than this does not matter to a place; a bracket stands for what is before it all. */
const lastPart = (before: string): string => `(${before}`.slice(-300);

/** Whether a value outside quotes is a value there; `before` ends where it stands. */
export const isValuePlace = (before: string): boolean => unquoted.test(lastPart(before));

/** Whether a text in quotes that open at the end of `before` is a whole value. */
export const isTextPlace = (before: string): boolean => quoted.test(lastPart(before));

/** Whether a value may be followed by this. */
export const mayFollow = (after: string): boolean => follows.test(after);

/**
 * Whether a database that makes a number of a text only where the column asks for it does so there: beside a plain column and where
 * rows are stored (sqlite's affinity, https://www.sqlite.org/datatype3.html). Results of functions and sums have no such type,
 * nor have the names that the query gives to them.
 */
export function columnConverts(before: string, query: string): boolean {
  const end = lastPart(before);
  if (/\b(?:like|limit|offset)\s*$/i.test(end)) return true;
  if (/\bvalues\s*\([^()]*$/i.test(end)) return /^[\s(]*(?:insert|replace)\b/i.test(before);
  const plain = bareName(besideColumn.exec(end)?.[1]);
  return plain !== undefined && !/^\s*with\b/i.test(query) && !new RegExp(`(?:\\bas|[)\\d])\\s+["\`]?${plain}\\b`, 'i').test(query);
}

/** Whether a text may well meet a column of another type there, by the names of the columns. */
export function meetsOtherType(before: string): boolean {
  const plain = bareName(besideColumn.exec(lastPart(before))?.[1]);
  if (plain !== undefined) return isOfOtherType(plain);
  const inserted = /\binto\s+[\w."`]+\s*\(([^()]*)\)/i.exec(before);
  if (inserted !== null) return inserted[1]!.split(',').some((each) => isOfOtherType(bareName(each)!));
  // Of results only those of functions of texts are known to be texts.
  return new RegExp(`\\)\\s*${comparison}\\s*$`).test(lastPart(before)) && !textResult.test(lastPart(before));
}

/** Whether a text surely meets a text there: a result of a function of texts, a pattern, or by its name a column that is inserted into. */
export function meetsText(before: string): boolean {
  const end = lastPart(before);
  if (textResult.test(end) || /\bi?like\s*$/i.test(end)) return true;
  return /\binto\s+[\w."`]+\s*\([^()]*\)\s*values\s*\([^()]*$/i.test(before) && !meetsOtherType(before);
}

/** Whether the last clause that has begun sorts or groups. */
export const isGrouping = (before: string): boolean =>
  /^(?:group|order)/i.test([...before.matchAll(/\b(?:(?:group|order)\s+by|select|where|having|limit|offset|on|values|set|union)\b/gi)].at(-1)?.[0] ?? '');

const bareName = (written: string | undefined): string | undefined => written?.trim().split('.').at(-1)!.replace(/["`]/g, '');
