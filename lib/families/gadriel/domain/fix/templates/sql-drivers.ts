/** What is known of the drivers that run queries: their placeholders, and what they do with a text that is bound. */
import type { PyCall } from '../../../../../syntax/python.types.ts';
import type { PythonCode } from './python-code.ts';
import type { TextRule } from './sql-text.ts';

/** `style`: how placeholders are written (PEP 249's paramstyle); `textLimit`: whether the database takes a text for a number of rows. */
export type Driver = { readonly style: '?' | '%s'; readonly texts: TextRule; readonly textLimit: boolean };

/** psycopg leaves the type of a text open, as that of a text in quotes; MySQL and SQL Server make numbers of texts. */
const postgres: Driver = { style: '%s', texts: 'converts', textLimit: true };
const mysql: Driver = { style: '%s', texts: 'converts', textLimit: false };
const sqlite: Driver = { style: '?', texts: 'columns', textLimit: true };
/** What is behind it may be any database: the least that one of them does. */
const unsure: Driver = { style: '?', texts: 'typed', textLimit: false };

const drivers: Readonly<Record<string, Driver>> = {
  sqlite3: sqlite, apsw: sqlite, psycopg2: postgres, psycopg: postgres, pymysql: mysql, MySQLdb: mysql, mysql, pymssql: mysql,
  mariadb: { ...mysql, style: '?' }, django: { style: '%s', texts: 'columns', textLimit: false }, pyodbc: unsure, duckdb: unsure,
};

/** The driver that a call runs its query by: by what its cursor comes from, else the kind that the file imports; without a call Django's. */
export function driverOf(code: PythonCode, call: PyCall | undefined): Driver | undefined {
  if (call === undefined) return drivers.django;
  const known = (name: string | undefined): Driver[] => (name !== undefined && Object.hasOwn(drivers, name) ? [drivers[name]!] : []);
  const [origin] = known(code.originOf(call.func)?.split('.')[0]);
  if (origin !== undefined) return origin;
  const found = [...code.imports.values()].flatMap((name) => known(name.split('.')[0]));
  if (found.length === 0 || new Set(found.map(({ style }) => style)).size !== 1) return undefined;
  return { style: found[0]!.style, texts: strictest(found.map(({ texts }) => texts)), textLimit: found.every(({ textLimit }) => textLimit) };
}

/**
 * The same of SQLAlchemy, by the addresses of databases in the file: some of its dialects cast what is bound to a type
 * (`$1::VARCHAR`), so where the database is not sure, texts are bound only for texts.
 */
export function textRuleOf(code: PythonCode): TextRule {
  const engines = code.nodes().filter((node): node is PyCall => node.type === 'Call' && /(?:^|\.)create_(?:async_)?engine$/.test(code.source(node.func)));
  const rules = engines.map(({ args: [first] }): TextRule => {
    const value = first?.value;
    const [part] = value?.type === 'JoinedStr' ? value.parts : [];
    const address = value?.type === 'Constant' && value.kind === 'str' ? value.value : part?.type === 'Text' ? part.value : '';
    return /^sqlite(?:\+\w+)?:/.test(address) ? 'columns' : /^(?:(?:mysql|mariadb)(?:\+\w+)?|postgresql\+psycopg2):/.test(address) ? 'converts' : 'typed';
  });
  return rules.length === 0 ? 'typed' : strictest(rules);
}

const strictest = (rules: readonly TextRule[]): TextRule => (['typed', 'columns', 'converts'] as const).find((rule) => rules.includes(rule))!;
