/** What is known of the drivers that run queries: their placeholders, and what they do with a text that is bound. */
import type { PyCall } from '../../../../../../syntax/python.types.ts';
import type { PythonCode } from '../code/python-code.ts';
import { valuesOf } from '../code/scopes.ts';
import type { Placeholders, TextRule } from './sql-text.ts';

/**
 * `style`: how placeholders are written (PEP 249's paramstyle); `textLimit`: whether the database takes a text for a number of rows;
 * `percent`: what becomes of the query's own percent signs; `plainOnly`: whether only texts and numbers can be bound.
 */
export type Driver = { readonly style: '?' | '%s'; readonly texts: TextRule; readonly textLimit: boolean; readonly percent: Placeholders['percent']; readonly plainOnly?: true };

/** psycopg2 puts values in as texts in quotes; MySQL and SQL Server make numbers of texts. */
const postgres: Driver = { style: '%s', texts: 'converts', textLimit: true, percent: 'doubled' };
const mysql: Driver = { style: '%s', texts: 'converts', textLimit: false, percent: 'doubled' };
/** These look for `%s` only, and would leave two percent signs where one was. */
const plainPercent: Driver = { ...mysql, percent: 'refused' };
const sqlite: Driver = { style: '?', texts: 'columns', textLimit: true, percent: 'kept', plainOnly: true };
/** What is behind it may be any database: the least that one of them does. */
const unsure: Driver = { style: '?', texts: 'typed', textLimit: false, percent: 'kept' };

const drivers: Readonly<Record<string, Driver>> = {
  sqlite3: sqlite, apsw: sqlite, psycopg2: postgres, pymysql: mysql, MySQLdb: mysql, mysql: plainPercent, pymssql: plainPercent,
  // Its parameters go to the server, without a type: https://www.psycopg.org/psycopg3/docs/basic/from_pg2.html
  psycopg: { ...postgres, texts: 'placed', textLimit: false },
  mariadb: { ...plainPercent, style: '?' }, django: { style: '%s', texts: 'columns', textLimit: false, percent: 'doubled' }, pyodbc: unsure, duckdb: unsure,
};

/** The driver that a call runs its query by: by what its cursor comes from, else the kind that the file imports; without a call Django's. */
export function driverOf(code: PythonCode, call: PyCall | undefined): Driver | undefined {
  if (call === undefined) return drivers.django;
  const known = (name: string | undefined): Driver[] => (name !== undefined && Object.hasOwn(drivers, name) ? [drivers[name]!] : []);
  const [origin] = known(code.originOf(call.func)?.split('.')[0]);
  if (origin !== undefined) return origin;
  const found = [...code.imports.values()].flatMap((name) => known(name.split('.')[0]));
  if (found.length === 0 || new Set(found.map(({ style }) => style)).size !== 1) return undefined;
  return {
    style: found[0]!.style, texts: strictest(found.map(({ texts }) => texts)), textLimit: found.every(({ textLimit }) => textLimit),
    percent: found.find(({ percent }) => percent === 'refused')?.percent ?? found[0]!.percent, ...(found.some(({ plainOnly }) => plainOnly === true) ? { plainOnly: true } : {}),
  };
}

/**
 * The same of SQLAlchemy, by the addresses of databases in the file: some of its dialects cast what is bound to a type
 * (`$1::VARCHAR`), so where the database is not sure, texts are bound only for texts, and by those that are known to cast only where nothing else is meant.
 */
export function textRuleOf(code: PythonCode): TextRule {
  const engines = code.nodes().filter((node): node is PyCall => node.type === 'Call' && /(?:^|\.)create_(?:async_)?engine$/.test(code.source(node.func)));
  const rules = engines.map(({ args: [first] }): TextRule => {
    const values = first?.value.type === 'Name' ? valuesOf(code, first.value) : undefined;
    const value = values?.length === 1 ? values[0] : first?.value;
    const [part] = value?.type === 'JoinedStr' ? value.parts : [];
    const address = value?.type === 'Constant' && value.kind === 'str' ? value.value : part?.type === 'Text' ? part.value : '';
    return /^sqlite(?:\+\w+)?:/.test(address) ? 'columns' : /^(?:(?:mysql|mariadb)(?:\+\w+)?|postgresql\+psycopg2):/.test(address) ? 'converts'
      : /^(?:postgresql\+(?!psycopg2)|cockroachdb)/.test(address) ? 'cast' : 'typed';
  });
  return rules.length === 0 ? 'typed' : strictest(rules);
}

const strictest = (rules: readonly TextRule[]): TextRule => (['cast', 'typed', 'placed', 'columns', 'converts'] as const).find((rule) => rules.includes(rule))!;
