/** SQL put together from values: L3-014 (tainted), L3-015 (unknown), L3-016 (Django's raw doors). */
import type { CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { dynamicParts, elementsOf, hasFlag, literalText, nameOf, partsOf } from '../analysis/values.ts';
import { modelOutputRun, reportExecution } from './code.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf } from './event-names.ts';
import { flowLevel, reportAudit, reportFlow } from './report.ts';
import type { Rule, RuleSet } from './rule.types.ts';
import { nameText } from './value-facts.ts';

const taintedSql = defineRule({
  id: 'CODE-W1-L3-014',
  cwe: 'CWE-89',
  severity: 'critical',
  confidence: 'high',
  title: 'Untrusted value inside SQL text',
  message: '{what} becomes part of the SQL text given to {sink}.',
  remediation: 'Put a placeholder in the text and pass the value as a parameter.',
  owasp: ['A03:2021'],
  why: 'Text put into SQL can end the string it stands in and add conditions or statements. '
    + 'A bound parameter is sent apart from the text and cannot. Names of tables and columns come from a fixed set.',
  bad: 'import sqlite3\nfrom flask import request\n\ndef user():\n    db = sqlite3.connect("app.db")\n'
    + '    db.execute("SELECT * FROM user WHERE name = \'%s\'" % request.args["name"])\n',
  good: 'import sqlite3\nfrom flask import request\n\ndef user():\n    db = sqlite3.connect("app.db")\n'
    + '    db.execute("SELECT * FROM user WHERE name = ?", (request.args["name"],))\n',
});

/** L3-015, which the audit profile also reports where SQL text is only put together. */
export const builtSql: Rule = defineRule({
  id: 'CODE-W1-L3-015',
  cwe: 'CWE-89',
  severity: 'high',
  confidence: 'medium',
  title: 'SQL text built from a value that is not constant',
  message: '{what} becomes part of the SQL text given to {sink}.',
  remediation: 'Bind the value as a parameter; quote names by the driver or take them from a fixed set.',
  owasp: ['A03:2021'],
  why: 'Where the value comes from is not visible here, so every caller has to keep it clean for ever. '
    + 'A bound parameter needs no such promise.',
  bad: 'def user(cursor, name):\n    cursor.execute(f"SELECT * FROM user WHERE name = \'{name}\'")\n',
  good: 'def user(cursor, name):\n    cursor.execute("SELECT * FROM user WHERE name = %s", (name,))\n',
});

const djangoRaw = defineRule({
  id: 'CODE-W1-L3-016',
  cwe: 'CWE-89',
  severity: 'high',
  confidence: 'high',
  title: 'Built SQL text in a raw door of Django',
  message: '{what} becomes part of the SQL text given to {sink}.',
  remediation: 'Use a query expression, or constant text with params.',
  owasp: ['A03:2021'],
  why: 'raw(), extra() and RawSQL pass their text to the database as it is. '
    + 'All three take parameters that the driver binds.',
  bad: 'from django.db.models.expressions import RawSQL\n\ndef ranked(users, column):\n'
    + '    return users.annotate(rank=RawSQL("select rank from r where c = \'%s\'" % column, ()))\n',
  good: 'from django.db.models.expressions import RawSQL\n\ndef ranked(users, column):\n'
    + '    return users.annotate(rank=RawSQL("select rank from r where c = %s", (column,)))\n',
});

/** Libraries whose objects run SQL. */
const databaseRoots = new Set([
  'sqlite3', 'psycopg2', 'psycopg', 'pymysql', 'MySQLdb', 'mysql', 'asyncpg', 'aiosqlite', 'aiomysql', 'aiopg', 'asyncmy', 'sqlalchemy',
  'django',
  'pyodbc', 'aioodbc', 'cx_Oracle', 'oracledb', 'peewee', 'databases', 'flask_sqlalchemy', 'pg8000', 'pymssql', 'duckdb', 'snowflake',
  'clickhouse_driver', 'cassandra', 'google', 'records', 'tortoise', 'pandas', 'trino', 'prestodb', 'pyspark', 'sqlmodel', 'flask_mysqldb',
  'psycopg2cffi', 'pysqlite2', 'sqlite', 'turbogears', 'web', 'pony', 'dataset', 'pyhive', 'impala', 'vertica_python', 'redshift_connector',
  'libsql', 'apsw', 'teradatasql', 'hdbcli', 'ibm_db_dbi', 'firebird', 'fdb', 'flaskext',
]);
/** Their methods that take SQL text first. */
const executeMethods = new Set([
  'execute', 'executemany', 'executescript', 'execute_sql', 'execute_query', 'exec_driver_sql', 'fetch', 'fetchrow', 'fetchval',
  'fetch_all',
  'fetch_one', 'fetch_val', 'mogrify', 'read_sql', 'read_sql_query', 'query', 'sql', 'run', 'prepare', 'execute_async', 'iterate',
  'executeQuery',
  'execute_fetchall', 'execute_insert', 'scalar', 'scalars', 'query_async', 'cursor', 'read_frame',
]);
/** Names under which unseen code usually takes SQL text; the text has to look like SQL as well. */
const plainMethods = new Set([
  'execute', 'executemany', 'executescript', 'fetch', 'fetchrow', 'fetchval', 'fetch_all', 'fetch_one', 'fetch_val', 'mogrify',
  'execute_sql',
  'exec_driver_sql', 'read_sql', 'read_sql_query', 'query', 'sql', 'raw_sql', 'run_query', 'execute_query', 'scalar', 'run_sql', 'exec_sql',
  'sql_query',
  'db_query', 'query_db', 'raw_query', 'query_all', 'query_one', 'select_all', 'select_one', 'fetchall', 'fetchone', 'do_query',
  'send_query', 'execute_read_query',
  'execute_write_query', 'run_select', 'db_execute', 'select', 'get_results', 'cursor', 'prepare',
]);
/** Calls that declare text to be SQL; what goes in is judged there. */
const textNames = new Set([
  'sqlalchemy.text', 'sqlalchemy.sql.text', 'sqlalchemy.sql.expression.text', 'sqlalchemy.literal_column', 'sqlalchemy.sql.literal_column',
  'sqlalchemy.sql.expression.literal_column', 'psycopg2.sql.SQL', 'psycopg.sql.SQL', 'peewee.SQL', 'django.db.connection.ops.quote',
  'sqlmodel.text', 'sqlalchemy.sql.expression.literal', 'sqlalchemy.DDL',
]);
/** Results that carry no raw text of their own: wrapped text is judged where it is wrapped, composed text quotes its values. */
const composedName = /^(?:psycopg2?\.sql\.|sqlalchemy\.|sqlmodel\.|peewee\.|django\.)/;
const declaredText = new Set(['sqlalchemy.text()', 'psycopg2.sql.SQL()']);
/** The verb and what must follow it, so that English sentences are no statements. */
const things = '(?:table|index|view|database|schema|user|role|trigger|function|procedure|sequence)\\b';
const statementStart = new RegExp(`^[\\s(]*(?:${[
  'select\\b[^]*\\bfrom\\b', 'select\\s', 'insert\\s+(?:or\\s+\\w+\\s+|ignore\\s+)?into\\b', 'update\\b[^]*\\bset\\b', 'delete\\s+from\\b',
  'replace\\s+into\\b',
  // MySQL takes both without INTO.
  '(?:insert|replace)\\s+(?:ignore\\s+)?[\\w.`]+\\s*(?:\\([^()]*\\)\\s*)?(?:values?|select|set)\\b',
  'merge\\s+into\\b', `create\\s+(?:or\\s+replace\\s+)?(?:temp\\w*\\s+|unique\\s+|virtual\\s+|materialized\\s+)?${things}`,
  `alter\\s+(?:system|session|${things})`, `drop\\s+${things}`, 'truncate\\s', 'with\\s[^]*\\bselect\\b', 'pragma\\s', 'grant\\s[^]*\\bto\\b',
  'revoke\\s[^]*\\bfrom\\b', 'explain\\s', 'attach\\s+database\\b', 'vacuum\\s', 'copy\\s[^]*\\bfrom\\b', 'set\\s+\\w+\\s*=', 'show\\s',
  'describe\\s', 'call\\s+\\w+\\s*\\(', 'exec(?:ute)?\\s',
].join('|')})`, 'i');

/** Whether the constant text of a value starts like an SQL statement. */
const looksLikeSql = (value: Value | undefined): boolean => {
  const text = literalText(value, ' x ');
  return text.length < 50_000 && statementStart.test(text);
};

/** Names of variables that hold a connection or cursor. */
const databaseWord = /(?:^|[._])(?:cur|curs|cursor|conn|connection|con|db|database|session|engine|sql|sess|tx|c|dbh|pool|cnx)\d*(?:\(\))?$/i;

const receiverText = (event: CallEvent): string => event.written.slice(0, Math.max(0, event.written.lastIndexOf('.')));

const sqlOf = (event: CallEvent): Value | undefined => {
  const first = event.args[0];
  if (first !== undefined) return first;
  for (const keyword of ['sql', 'query', 'operation', 'statement', 'stmt', 'clause', 'command', 'sql_script']) {
    const value = event.keywords.get(keyword);
    if (value !== undefined) return value;
  }
  return undefined;
};

/** Tainted text is L3-014, text built from unknown values L3-015, model output AI-603. */
const checkSql = (event: CallEvent, value: Value | undefined, whole: boolean): void => {
  const level = flowLevel(value, 'sql');
  if (value === undefined || level === 0) return;
  const name = nameOf(value);
  const built = value.shape?.type === 'Built' || hasFlag(value, 'built');
  // Text that was declared to be SQL was judged at that call.
  if (name !== undefined && (declaredText.has(name) || value.shape?.type !== 'Built' && composedName.test(name))) return;
  if (level === 2) {
    if (built || whole) reportExecution(event, taintedSql, value, { kind: 'sql', low: true });
  } else {
    if (built) reportExecution(event, builtSql, value, { kind: 'sql', unknown: 'built' });
    else if (hasFlag(value, 'llm')) reportExecution(event, modelOutputRun, value, { kind: 'sql', cwe: 'CWE-89' });
  }
};

/** L3-014 and L3-015. */
const executeMatcher: Matcher = {
  calls: [...new Set([...executeMethods, ...plainMethods, 'SQL', 'text', 'literal_column', 'DDL'])],
  onCall(event) {
    const { name, last } = event;
    const value = sqlOf(event);
    if (value === undefined || flowLevel(value, 'sql') === 0) return;
    if (name !== undefined && textNames.has(name)) {
      checkSql(event, value, true);
    } else if (name !== undefined && databaseRoots.has(name.slice(0, name.indexOf('.')))) {
      // Only execute and its kin take nothing but SQL; SQLAlchemy's query() takes models, pandas' methods other languages.
      const sure = last.startsWith('exec') || flowLevel(value, 'sql') === 2 || looksLikeSql(value);
      const other = name.startsWith('pandas') ? !last.startsWith('read_sql') : last === 'query' && name.startsWith('sqlalchemy');
      if (executeMethods.has(last) && sure && !other) checkSql(event, value, true);
    } else if (plainMethods.has(last) && !name?.startsWith('.')) {
      // Text without an SQL verb is a query only if an attacker writes it and the receiver's name speaks of a database.
      const whole = last.startsWith('execute') && flowLevel(value, 'sql') === 2 && databaseWord.test(receiverText(event));
      if (whole || (looksLikeSql(value) && event.receiver?.shape?.type !== 'Instance')) checkSql(event, value, true);
    }
  },
};

const clauseMethods = ['filter', 'where', 'having', 'order_by', 'group_by', 'distinct', 'from_statement'];

/** A query by the file's imports or by the words of the receiver: `session.query(User)`, `cls.query.join(…)`. */
const isQuery = (event: CallEvent): boolean => {
  const { imports, module } = event.module;
  if (event.receiverUnknown && imports.has('sqlalchemy')) return true;
  const func = event.node.func;
  return !imports.has('django') && func.type === 'Attribute' && event.receiver?.shape?.type !== 'Instance'
    && /(?:^|[._])query(?:$|[.(])/i.test(module.text.slice(func.value.start, Math.min(func.value.end, func.value.start + 200)));
};

/** SQLAlchemy takes plain text in these clauses; expressions are no built strings. */
const clauseMatcher: Matcher = {
  calls: clauseMethods,
  onCall(event) {
    const known = /^(?:sqlalchemy|flask_sqlalchemy|sqlmodel)\./.test(calleeOf(event));
    if (!known && !isQuery(event)) return;
    for (const value of event.args) {
      if (value.shape?.type === 'Built' && (known || partsOf(value).length > 1)) checkSql(event, value, false);
    }
  },
};

/** RawSQL under its two names. */
const rawNames = new Set(['django.db.models.expressions.RawSQL', 'django.db.models.RawSQL']);

/** Every argument that ends up in the statement. */
const djangoTexts = (event: CallEvent): readonly Value[] => {
  if (event.last !== 'extra') return [sqlOf(event) ?? event.keywords.get('raw_query')].filter((value) => value !== undefined);
  const values: Value[] = [];
  for (const [index, keyword] of ['select', 'where', 'params', 'tables', 'order_by'].entries()) {
    const value = keyword === 'params' ? undefined : event.arg(index, keyword);
    if (value === undefined) continue;
    if (value.shape?.type === 'Mapping') values.push(...value.shape.entries.values());
    else values.push(...(elementsOf(value) ?? [value]));
  }
  return values;
};

/** L3-016: parameters are bound, so only the text counts. */
const djangoMatcher: Matcher = {
  calls: ['raw', 'extra', 'RawSQL'],
  onCall(event) {
    const { name, last } = event;
    if (last === 'RawSQL' ? name === undefined || !rawNames.has(name) : !usesDjangoManager(event)) return;
    for (const value of djangoTexts(event)) {
      const whole = flowLevel(value, 'sql') === 2;
      if (!whole && !hasFlag(value, 'built')) {
        reportAudit(event, djangoRaw, { value, sink: last });
        continue;
      }
      reportFlow(event, djangoRaw, value, { kind: 'sql', unknown: 'built', low: true, sink: last });
    }
  },
};

/** A manager by type, or by its usual attribute. */
const usesDjangoManager = (event: CallEvent): boolean => {
  if (event.receiver === undefined) return false;
  if (event.name?.startsWith('django.') === true) return true;
  return event.module.imports.has('django') || /\.objects\b/.test(event.written) || (nameText(event.receiver)).includes('.objects');
};

/** Whether a value is SQL text put together from parts that are not all constant. */
export const isBuiltSql = (value: Value): boolean =>
  value.shape?.type === 'Built' && partsOf(value).length > 1 && dynamicParts(value, 'sql').length > 0 && looksLikeSql(value);

/** L3-014, L3-015, L3-016. */
export const sqlRules: RuleSet = { rules: [taintedSql, builtSql, djangoRaw], matchers: [executeMatcher, clauseMatcher, djangoMatcher] };
