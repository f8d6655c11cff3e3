/** Texts of queries, pages, templates and logs whose fix by a pattern would lose rows, values or markup, or would not help. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whyNotEscaped } from '../../../../lib/families/gadriel/domain/fix/templates/pages/html-place.ts';
import { openPython } from '../../../../lib/families/gadriel/domain/fix/templates/code/python-code.ts';
import { asText, isBindable, isRepeatable, isSurelySingle } from '../../../../lib/families/gadriel/domain/fix/templates/code/plain-values.ts';
import { isSurelyInt, isSurelyNumber, isSurelyText, writtenTexts } from '../../../../lib/families/gadriel/domain/fix/templates/code/sure-values.ts';
import { fixedText } from './fix-kit.ts';

/** A rule without `CODE-W1-`, code, and a part of the fixed code or of why it is declined. */
type Row = readonly [rule: string, code: string, expected: string | RegExp];

const withRequest = (head: string, body: string): string => `${head}\nfrom flask import request\ndef f(n=None):\n    x = request.args["x"]\n${body.replace(/^/gm, '    ')}\n`;
const runs: Readonly<Record<string, string>> = {
  sqlite3: 'sqlite3.connect("a").execute(~)', psycopg2: 'psycopg2.connect("").cursor().execute(~)', pymysql: 'pymysql.connect().cursor().execute(~)',
  'mysql.connector': 'mysql.connector.connect().cursor().execute(~)', pymssql: 'pymssql.connect().cursor().execute(~)', mariadb: 'mariadb.connect().cursor().execute(~)', MySQLdb: 'MySQLdb.connect().cursor().execute(~)',
  psycopg: 'psycopg.connect("").cursor().execute(~)', pyodbc: 'pyodbc.connect("").cursor().execute(~)', duckdb: 'duckdb.connect("a").execute(~)',
};
/** A query by a driver; the text is that of an f-string, or an expression where it has quotes of its own around it. */
const query = (text: string, driver = 'sqlite3'): string => withRequest(`import ${driver}`, runs[driver]!.replace('~', text.startsWith('"') ? text : `f"${text}"`));
const alchemy = (text: string, engine = ''): string => withRequest(`from sqlalchemy import create_engine, text\n${engine}`, `n.execute(text(f"${text}"))`);
const page = (body: string): string => `from flask import Flask, request\napp = Flask(__name__)\n@app.route("/")\ndef f():\n    x = request.args["x"]\n${body.replace(/^/gm, '    ')}\n`;
const engine = (body: string, head = ''): string => `${head}import jinja2\nenv = jinja2.Environment(loader=jinja2.FileSystemLoader("here"))\n${body}\n`;
const ldap = (body: string): string => `import ldap\nfrom flask import request\nc = ldap.initialize("x")\ndef f():\n${body.replace(/^/gm, '    ')}\n`;
const log = (head: string, call: string): string => `${head}\nfrom flask import request\ndef f(log=None):\n    ${call}\n`;

/** A query by sqlite3 with values that no request brings. */
const local = (params: string, call: string, head = ''): string => `import sqlite3\n${head}def f(cursor${params === '' ? '' : `, ${params}`}):\n${call.replace(/^/gm, '    ')}\n`;

const notHere = /not put together/;
const noPlace = /placeholder can not/;
const noType = /database takes a text/;

const rows: readonly Row[] = [
  // A range ends with its second value: what is behind it is no value.
  ...['ORDER BY {x}', 'GROUP BY {x}', 'UNION SELECT {x} FROM u', 'AND c IN {x}', 'AND {x} = 5', 'ORDER BY a, {x}', 'ORDER BY {n.col}'].map((text): Row => ['L3-014', query(`SELECT a FROM t WHERE a = '{x}' AND a BETWEEN 1 AND 5 ${text}`), noPlace]),
  ['L3-014', query('SELECT a FROM t WHERE a BETWEEN {x} AND {n}'), 'BETWEEN ? AND ?", (x, n))'],
  ['L3-014', query("SELECT a FROM t WHERE t.a NOT BETWEEN 1 AND {x} AND b = 'c'"), "BETWEEN 1 AND ? AND b = 'c'\", (x,))"],
  ['L3-014', query("SELECT a FROM t WHERE a BETWEEN '{x}' AND '{n}'"), 'BETWEEN ? AND ?", (x, format(n)))'],
  ...['a >= {x}', 'a <= {x}', 'a != {x}', 'a <> {x}', 'a == {x}', 'a=1 OR (t.a={x})', 'a IN (1, {x})', '`a` < {x} + 1'].map((text): Row => ['L3-014', query(`SELECT a FROM t WHERE ${text}`), `${text.replace('{x}', '?')}", (x,))`]),
  ...['a @> {x}', 'a -> {x}', 'a ->> {x}', 'a IN (SELECT b, {x})', 'a = {x} (1)', 'a = {x} b'].map((text): Row => ['L3-014', query(`SELECT a FROM t WHERE ${text}`), noPlace]),

  // A text is no number where nothing makes one of it.
  ...['GROUP BY a HAVING COUNT(*) > {x}', 'WHERE length(a) > {x}', 'WHERE a * 2 > {x}', 'WHERE CAST(a AS INTEGER) > {x}', 'WHERE a + b = {x}', 'WHERE length(a) BETWEEN 1 AND {x}', 'WHERE lower(a) IN (1, {x})'].flatMap((text): Row[] =>
    [['L3-014', query(`SELECT a FROM t ${text}`), noType], ['L3-014', query(`SELECT a FROM t ${text}`, 'psycopg2'), '(x,))'], ['L3-014', query(`SELECT a FROM t ${text}`, 'pymysql'), '(x,))']]),
  ['L3-014', query('SELECT a, COUNT(*) AS many FROM t GROUP BY a HAVING many > 1 AND many < {x}'), noType],
  ['L3-014', query('SELECT a, COUNT(*) many FROM t WHERE many < {x}'), noType],
  ['L3-014', query('WITH c(m) AS (SELECT 1) SELECT m FROM c WHERE m = {x}'), noType],
  ['L3-014', query('SELECT a FROM t WHERE a IN (VALUES (1, {x}))'), noType],
  ['L3-014', query('"SELECT a FROM t WHERE length(a) > " + str(x)'), noType],
  ['L3-014', query('"SELECT a FROM t WHERE a > " + str(x)'), 'a > ?", (x,))'],
  ['L3-014', query('"SELECT a FROM t WHERE a > " + str(x, "utf-8")'), noPlace],
  ['L3-014', withRequest('import sqlite3', 'def str(a): return a\nsqlite3.connect("a").execute("SELECT a FROM t WHERE a > " + str(x))'), noPlace],
  ['L3-014', query("SELECT a FROM t WHERE b = '{x}' AND length(a) > {len(x)} LIMIT {int(n)}"), "b = ? AND length(a) > ? LIMIT ?\", (x, len(x), int(n)))"],
  ['L3-014', query('INSERT INTO t VALUES (1, {x})'), 'VALUES (1, ?)", (x,))'],
  ['L3-014', query('UPDATE t SET a = 1, b = {x} WHERE c LIKE {n}'), 'b = ? WHERE c LIKE ?", (x, n))'],
  ['L3-014', query("SELECT a FROM t WHERE a = '{x}' LIMIT {n}"), 'LIMIT ?", (x, n))'],
  // A text in quotes stays one.
  ['L3-014', query("SELECT a FROM t WHERE b = '{x}' AND strftime('%Y', d) = '{n}'"), "d) = ?\", (x, format(n)))"],
  ['L3-014', query("SELECT a FROM t WHERE b = '{request.args.get('b')}'"), "(str(request.args.get('b')),))"],
  ['L3-014', query("SELECT a FROM t WHERE b = '{request.args.get('b', '')}'"), "(request.args.get('b', ''),))"],
  ['L3-014', query("\"SELECT a FROM t WHERE b = '\" + request.args['b'] + \"'\""), "(request.args['b'],))"],
  ['L3-014', withRequest('import sqlite3', "def str(a): return a\nsqlite3.connect('a').execute(f\"SELECT a FROM t WHERE b = '{x}' AND c = '{n!s}'\")"), noPlace],
  // A default may be more than a number.
  ...['NULL', 'id', '1 OR 1=1'].map((given): Row => ['L3-014', query(`SELECT a FROM t WHERE a = {request.args.get('b', '${given}')}`), noPlace]),
  // Drivers that tell the type of what they bind.
  ...['pyodbc', 'duckdb'].flatMap((driver): Row[] => [['L3-014', query('SELECT a FROM t WHERE a = {x}', driver), noType], ['L3-014', query("SELECT a FROM t WHERE name = '{x}'", driver), 'name = ?", (x,))'], ['L3-014', query("SELECT a FROM t WHERE name = '{x}' AND b = {int(n)}", driver), 'b = ?", (x, int(n)))']]),
  ['L3-014', withRequest('import sqlite3, pyodbc', 'n.execute(f"SELECT a FROM t WHERE a = {x}")'), noType],
  ['L3-014', alchemy('SELECT a FROM t WHERE a = {x}'), noType],
  ['L3-014', alchemy("SELECT a FROM t WHERE name = '{x}' AND a > {int(n)} AND b = '{n}'"), 'name = :x AND a > :value_2 AND b = :n").bindparams(x=x, value_2=int(n), n=format(n))'],
  ...["d.created_at > '{x}'", "id = '{x}'", "birthDate IN ('{x}', '1')", "date(d) = '{x}'"].map((text): Row => ['L3-014', alchemy(`SELECT a FROM t WHERE ${text}`), noType]),
  ['L3-014', alchemy("SELECT a FROM t WHERE lower(b) = '{x}'"), 'lower(b) = :x")'],
  ['L3-014', alchemy("INSERT INTO t (a, created_at) VALUES ('b', '{x}')"), noType],
  ['L3-014', alchemy("INSERT INTO t (a, b) VALUES ('b', '{x}')"), "VALUES ('b', :x)"],
  ['L3-014', alchemy('SELECT a FROM t WHERE id = {x}', 'e = create_engine("sqlite:///a")'), 'id = :x").bindparams(x=x)'],
  ['L3-014', alchemy('SELECT a FROM t WHERE a + 1 = {x}', 'e = create_engine("sqlite:///a")'), noType],
  ['L3-014', alchemy('SELECT a FROM t WHERE a + 1 = {x}', 'e = create_engine(f"mysql+pymysql://{b}@c/d")'), '= :x").bindparams(x=x)'],
  ['L3-014', alchemy('SELECT a FROM t WHERE id = {x}', 'e = create_engine("sqlite:///a")\ng = create_engine(b)'), noType],
  ['L3-014', alchemy('SELECT a FROM t WHERE id = {x}', 'e = create_engine("postgresql://a")'), noType],

  // Percent signs of the query, where a driver leaves doubled ones as they are.
  ...['mysql.connector', 'pymssql', 'mariadb'].flatMap((driver): Row[] => [
    ['L3-014', query("SELECT a FROM t WHERE DATE_FORMAT(c, '%Y-%m') = '{x}'", driver), /percent sign of the query/],
    ['L3-014', query("SELECT a FROM t WHERE a LIKE '%{x}%' AND b = '{x}'", driver), '(f"%{x}%", x))'],
  ]),
  ...['pymysql', 'MySQLdb', 'psycopg2'].map((driver): Row => ['L3-014', query("SELECT a FROM t WHERE DATE_FORMAT(c, '%Y-%m') = '{x}'", driver), "'%%Y-%%m') = %s\", (x,))"]),
  ['L3-014', withRequest('import MySQLdb, mysql.connector', 'n.execute(f"SELECT a FROM t WHERE DATE_FORMAT(c, \'%Y\') = \'{x}\'")'), /percent sign of the query/],

  // A value that is read once stays so, in the same order.
  ...["b = '{0}' OR c = '{0}' OR d = '{1}'\".format(n.pop(), x)", "b = '{k}' OR c = '{j}' OR d = '{x}'\".format(j=n.pop(), k=n.pop(), x=x)", "b = '{}'\".format(x, n.pop())", "b = '{1}' OR c = '{0}'\".format(x, n.get(True))", "b = '{1}' OR c = '{0}'\".format(x, (y := n))"].map((text): Row => ['L3-014', query(`"SELECT a FROM t WHERE ${text}`), notHere]),
  ['L3-014', query("\"SELECT a FROM t WHERE b = '{}' AND c = '{}'\".format(n.pop(), x)"), '(format(n.pop()), x))'],
  ['L3-014', query("\"SELECT a FROM t WHERE b = '{1}' OR c = '{0}' OR d = '{0}'\".format(x, n.k)"), '(format(n.k), x, x))'],
  ['L3-014', query("\"SELECT a FROM t WHERE b = '{0}' OR c = '{0}'\".format(request.args.get('b', '').strip())"), "(request.args.get('b', '').strip(), request.args.get('b', '').strip()))"],
  ['L3-014', withRequest('import sqlite3', "q = f\"SELECT a FROM t WHERE b = '{input()}' AND c = '{x}'\"\nprint(input())\nsqlite3.connect('a').execute(q)"), notHere],
  ['L3-014', withRequest('import sqlite3', "q = f\"SELECT a FROM t WHERE b = '{input()}' AND c = '{x}'\"\nsqlite3.connect('a').execute(q)"), 'execute(q, (input(), x))'],
  ['L3-014', withRequest('import sqlite3', "q = (\"SELECT a FROM t WHERE b = '%s' AND c = '%s'\" % (x, x.strip()))\nprint(1)\nsqlite3.connect('a').execute(q)"), 'execute(q, (x, x.strip()))'],
  ['L3-013', page('return "<b>{0}</b><i>{0}</i>".format(x)'), '"<b>{0}</b><i>{0}</i>".format(html.escape(str(x)))'],

  // What stands behind a percent sign may be a row.
  ...['for n in cursor.fetchall():\n    ~', 'for n in cursor:\n    ~', 'n = cursor.fetchone()\n~', 'n, m = cursor\n~', 'n = m[0]\n~', 'with m as n:\n    ~', 'n = 1\nn = g()\n~'].map((body): Row => ['L3-015', local('m', body.replace('~', 'cursor.execute("DELETE FROM t WHERE a = \'%s\'" % n)')), notHere]),
  ...['*n', '**n', 'n: tuple', 'n: Row', 'n: list[str]'].map((params): Row => ['L3-015', local(params, 'cursor.execute("DELETE FROM t WHERE a = \'%s\'" % n)'), notHere]),
  ...['row', 'n[0]', 'g(n)', 'cursor.fetchone()', 'old_record', '[n]', '{"a": n}'].map((value): Row => ['L3-015', local('n, row, old_record', `cursor.execute("DELETE FROM t WHERE a = '%s'" % ${value})`), notHere]),
  ...['n', 'n: str', 'n: Union[int, str]', 'n: "Optional[str]" = None'].map((params): Row => ['L3-015', local(params, 'cursor.execute("DELETE FROM t WHERE a = \'%s\'" % n)'), `= ?", (${params === 'n: str' ? 'n' : 'str(n)'},))`]),
  ...['n.name', 'n["name"]', 'n.get("name")', 'n.strip()', '(n or "")', '(n if m else "a")', '(n + m)'].map((value): Row => ['L3-015', local('n, m', `cursor.execute("DELETE FROM t WHERE a = '%s'" % ${value})`), '= ?", (']),
  ['L3-014', withRequest('import sqlite3', 'data = request.get_json()\nname = data["name"]\nsqlite3.connect("a").execute("SELECT a FROM t WHERE b = \'%s\'" % name)'), '= ?", (str(name),))'],
  ['L3-014', withRequest('import sqlite3', 'data = request.args["d"]\nsqlite3.connect("a").execute("SELECT a FROM t WHERE b = \'%s\'" % data)'), '= ?", (data,))'],
  ['L3-014', withRequest('import sqlite3', 'for name in request.args.getlist("n"):\n    sqlite3.connect("a").execute("SELECT a FROM t WHERE b = \'%s\'" % name)'), '= ?", (str(name),))'],
  ['L3-015', local('n', 'for row in cursor.fetchall():\n    cursor.execute(f"DELETE FROM t WHERE a = {row[0]} AND b = \'{n}\'")'), '(row[0], format(n)))'],

  // `%d` cuts off what is behind the point.
  ...['%d', '%i'].flatMap((sign): Row[] => [
    ...['n', 'x / 2', 'float(n)', 'round(n, 1)', 'n.total'].map((value): Row => ['L3-014', query(`"SELECT a FROM t WHERE b = '%s' AND c = ${sign}" % (x, ${value})`), notHere]),
    ...['int(n)', 'len(x) // 2', '-ord(x)', '3', 'int(n) if n else 0', 'request.args.get("k", type=int)'].map((value): Row => ['L3-014', query(`"SELECT a FROM t WHERE b = '%s' AND c = ${sign}" % (x, ${value})`), `c = ?", (x, ${value}))`]),
  ]),
  ['L3-017', withRequest('import subprocess', 'subprocess.run("head -n %d %s" % (len(x) / 2, x), shell=True)'), /needs a shell|not put together/],
  ['L3-013', page('return "<p>%s %d</p>" % (x, len(x))'), '% (html.escape(str(x)), len(x))'],
  ['L3-013', 'from flask import Flask, request\napp = Flask(__name__)\n@app.route("/<int:k>")\ndef f(k: int):\n    x = request.args["x"]\n    return "<p>%s %d</p>" % (x, k)\n', '% (html.escape(str(x)), k)'],

  // Members of an enumeration that are texts: str() and format() are not the same of them in every Python.
  ...['Status.CLOSED', 'n.status', 'n', "n['status']", 'Status(n)'].flatMap((value): Row[] => [
    ['L3-014', query(`SELECT a FROM t WHERE b = '{x}' AND c = '{${value}}'`), `(x, format(${value})))`],
    ['L3-014', query(`"SELECT a FROM t WHERE b = '%s' AND c = '%s'" % (x, ${value})`), `(x, str(${value})))`],
  ]),
  ['L3-014', query("SELECT a FROM t WHERE b = '{x}' AND c LIKE '{n.k}%'"), '(x, f"{n.k}%"))'],
  ['L3-014', query("\"SELECT a FROM t WHERE b = '%s' AND c LIKE '%s%%'\" % (x, n.k)"), '(x, f"{n.k!s}%"))'],
  ['L3-014', query("\"SELECT a FROM t WHERE b = '\" + x + \"' AND c LIKE '\" + (n or m) + \"%'\""), '(x, (n or m) + "%"))'],
  ['L3-014', query("SELECT a FROM t WHERE b = '{x}' AND c = '{n!s}'"), '(x, str(n)))'],
  ['L3-015', local('n: Status', 'cursor.execute(f"SELECT a FROM t WHERE b = \'{n}\'")', 'from states import Status\n'), '(format(n),))'],
  ['L3-015', local('n: str | None', 'cursor.execute(f"SELECT a FROM t WHERE b = \'{n}\'")'), '(str(n),))'],
  ['L3-014', query("SELECT a FROM t WHERE b = '{x}' AND c = '{request.args.get('s', type=Status)}'"), "format(request.args.get('s', type=Status))"],
  ['L3-013', page('return f"<p>{x} {app.state}</p>"'), '<p>{html.escape(str(x))} {html.escape(format(app.state))}</p>'],
  ['L3-013', page('def format(a): return a\nreturn f"<p>{x} {app.state}</p>"'), /markup that is meant/],
  ['L3-017', withRequest('import subprocess', 'subprocess.run("ls /srv/%s/%s" % (x, n.k), shell=True)'), 'f"/srv/{x}/{n.k!s}"'],
  ['L3-017', withRequest('import subprocess', 'subprocess.run("ls /srv/" + n.k + "/" + x, shell=True)'), '"/srv/" + n.k + "/" + x'],
  ['L3-017', withRequest('import subprocess', 'subprocess.run("ls /srv/" + n.k + f"/{x}", shell=True)'), /needs a shell/],

  // sqlite3 binds texts and numbers.
  ...['n: Decimal', 'n: "datetime.date"', 'n: Optional[Decimal] = None', 'n: numpy.int64'].map((params): Row => ['L3-015', local(params, 'cursor.execute(f"SELECT a FROM t WHERE b = {n}")'), /sqlite3 can not bind/]),
  ...['n', 'n: str', 'n: str | None', 'n: Union[int, float, str] = 1.5'].map((params): Row => ['L3-015', local(params, 'cursor.execute(f"SELECT a FROM t WHERE b = {n}")'), '= ?", (n,))']),
  ['L3-015', local('n', 'cursor.execute(f"SELECT a FROM t WHERE b = {n.price}")', 'class N:\n    price: Decimal\n'), /sqlite3 can not bind/],
  ['L3-015', local('n', 'cursor.execute(f"SELECT a FROM t WHERE b = {n.price}")', 'class N:\n    price: float\n'), '(n.price,))'],
  ['L3-015', local('n', 'k: Decimal = n\ncursor.execute(f"SELECT a FROM t WHERE b = {k} AND c = {n}")'), /sqlite3 can not bind/],
  ['L3-015', local('n: Decimal', 'cursor.execute(f"SELECT a FROM t WHERE b = {n if n else 1}")'), /sqlite3 can not bind/],
  ['L3-014', query("SELECT a FROM t WHERE b = '{x}' AND c = {request.args.get('p', type=Decimal)}"), /sqlite3 can not bind/],
  ['L3-015', local('n: Decimal', 'cursor.execute(f"SELECT a FROM t WHERE b = {n}")').replaceAll('sqlite3', 'psycopg2'), '= %s", (n,))'],

  // Engines that cast what is bound to the type of a text.
  ...['postgresql+asyncpg', 'postgresql+psycopg', 'postgresql+pg8000'].flatMap((dialect): Row[] => {
    const on = (text: string): string => alchemy(text, `e = create_engine("${dialect}://a")`);
    return [
      ...["name = '{x}'", "name IN ('a', '{x}')", "d BETWEEN '{x}' AND '1'", "coalesce(a) = '{x}'"].map((text): Row => ['L3-014', on(`SELECT a FROM t WHERE ${text}`), noType]),
      ['L3-014', on("INSERT INTO t VALUES ('b', '{x}')"), noType], ['L3-014', on("UPDATE t SET a = '{x}'"), noType],
      ['L3-014', on("INSERT INTO t (a, b) VALUES ('b', '{x}')"), "VALUES ('b', :x)"],
      ...["lower(b) = '{x}'", "trim(b) <> '{x}'", "b LIKE '{x}'", "b ILIKE '{x}'"].map((text): Row => ['L3-014', on(`SELECT a FROM t WHERE ${text}`), text.replace("'{x}'", ':x')]),
    ];
  }),
  ['L3-014', alchemy("SELECT a FROM t WHERE name = '{x}'", 'ADDRESS = "postgresql+asyncpg://a"\ne = create_async_engine(ADDRESS)'), noType],
  ['L3-014', alchemy("INSERT INTO t VALUES ('b', '{x}')"), "VALUES ('b', :x)"],
  ['L3-014', alchemy("SELECT a FROM t WHERE name = '{x}'", 'e = create_engine("postgresql+psycopg2://a")'), 'name = :x"'],

  // psycopg sends parameters without a type.
  ...["concat(a, '{x}') = 'b'", "a = format('%s', '{x}')", "json_build_object('k', '{x}') = a", "'{x}' = a OR a = coalesce('{x}', 'b')", "a = 'b' ORDER BY a = '{x}'", "a = 'b' ORDER BY b, a = '{x}'", "a = '{x}' ORDER BY b, a = {int(n)}", "a = 'b' LIMIT {x}", 'length(a) > {x}'].map((text): Row => ['L3-014', query(`SELECT a FROM t WHERE ${text}`, 'psycopg'), /database takes a text|placeholder can not|percent/]),
  ['L3-014', query("SELECT a, '{x}' FROM t", 'psycopg'), noType],
  ...["a = '{x}'", 'a = {x}', "a LIKE '{x}'", "a ILIKE '{x}'", "a IN ('b', '{x}')", "lower(a) = '{x}'", "a BETWEEN 'b' AND '{x}'", "a = '{x}' ORDER BY b LIMIT 5", "t.a <> '{x}' GROUP BY a"].map((text): Row => ['L3-014', query(`SELECT a FROM t WHERE ${text}`, 'psycopg'), `${text.replace(/'?\{x\}'?/, '%s')}", (x,))`]),
  ['L3-014', query("INSERT INTO t VALUES (1, '{x}')", 'psycopg'), 'VALUES (1, %s)", (x,))'],
  ['L3-014', query("UPDATE t SET a = 1, b = '{x}' WHERE c = {int(n)} ", 'psycopg'), 'b = %s WHERE c = %s ", (x, int(n)))'],
  ['L3-014', query("SELECT a FROM t WHERE b = '{x}' GROUP BY a ORDER BY b LIMIT {int(n)}", 'psycopg'), 'LIMIT %s", (x, int(n)))'],
  ['L3-014', query("SELECT a, '{x}' FROM t", 'psycopg2'), 'SELECT a, %s FROM t", (x,))'],

  // LDAP takes texts only, and an escaped wildcard finds nobody.
  ['L3-019', ldap('c.search_s("dc=x", 2, f"(uid={request.json[\'uid\']})")'), "{escape_filter_chars(str(request.json['uid']))}"],
  ['L3-019', ldap('c.search_s("dc=x", 2, "(uid=" + request.args["u"] + ")")'), '"(uid=" + escape_filter_chars(request.args["u"]) + ")"'],
  ...['request.args.get("u", "*")', 'request.args.get("u") or "*"', 'request.args["u"] if request.args.get("u") else "*"', 'request.args.get("u", default="a*")'].map((value): Row => ['L3-019', ldap(`u = ${value}\nc.search_s("dc=x", 2, f"(uid={u})")`), /a pattern or a filter of its own/]),
  ...['({u}=x)', '(&(a=b)({u}>=1))'].map((filter): Row => ['L3-019', ldap(`u = request.args["u"]\nc.search_s("dc=x", 2, f"${filter}")`), /name of an attribute/]),
  ...['(cn=*{u}*)', '(&(a=b)(cn=x {u}))', '(cn:dn:={u})'].map((filter): Row => ['L3-019', ldap(`u = request.args["u"]\nc.search_s("dc=x", 2, f"${filter}")`), filter.replace('{u}', '{escape_filter_chars(u)}')]),
  ['L3-019', 'import ldap3\nfrom flask import request\nc = ldap3.Connection("x")\nc.search("dc=x", f"(uid={request.args[\'u\']})")\n', 'from ldap3.utils.conv import escape_filter_chars\n'],
  ['L3-019', 'import ldap\nfrom flask import request\ndef escape_filter_chars(a): return a\nldap.initialize("x").search_s("dc=x", 2, "(uid=%s)" % request.args["u"])\n', /escape_filter_chars means something else/],
  ['L3-019', ldap('def str(a): return a\nc.search_s("dc=x", 2, "(uid=%s)" % request.args["u"])'), /name str means something else/],

  // XPath compares numbers as numbers, and other libraries take no variables.
  ['L3-020', 'from lxml import etree\nfrom flask import request\nt = etree.parse("a")\nx = request.json["x"]\nt.xpath(f"//a[@id=\'{x}\']")\n', '[@id=$x]", x=str(x))'],
  ['L3-020', 'from lxml import etree\nfrom flask import request\ndef str(a): return a\nx = request.json["x"]\netree.parse("a").xpath(f"//a[@id=\'{x}\']")\n', /name str means something else/],
  ...['query', '_path'].map((name): Row => ['L3-020', `from lxml import etree\nfrom flask import request\ndef f():\n    ${name} = request.args["n"]\n    return etree.parse("x").xpath(f"//u[@n='{${name}}']")\n`, `[@n=$value_1]", value_1=${name})`]),
  ['L3-020', 'from flask import request\ndef f(tab):\n    tab.xpath(f"//a[@id=\'{request.args[\'x\']}\']")\n', /takes variables/],

  // Defaults that are markup.
  ...['request.args.get("m", "<i>none</i>")', 'request.args.get("m") or "<b>none</b>"', 'request.args.get("m", default="&nbsp;")', 'request.args.get("m", "a<br>b").strip()', '{"a": "<b>"}.get(x)'].flatMap((value): Row[] => [
    ['L3-013', page(`m = ${value}\nreturn f"<p>{m} {x}</p>"`), /markup that is meant/],
    ['L3-012', `from markupsafe import Markup\n${page(`m = ${value}\nreturn Markup(f"<p>{m} {x}</p>")`)}`, /markup that is meant/],
  ]),
  ['L3-013', page('m = request.args.get("m", "none")\nreturn f"<p>{m[:9]}</p>"'), 'html.escape(str(m[:9]))'],
  ['AI-604', 'from django.http import HttpResponse\nfrom openai import OpenAI\nclient = OpenAI()\ndef v(request):\n    answer = client.responses.create(model="m", input="x")\n    return HttpResponse("<p>" + (answer.output_text or "<i>none</i>"))\n', /markup that is meant/],
  ...['<script src=\'https://cdn.example/{x}\'></script>', '<div ng-app>{x}</div>', '<button hx-on:click=\'{x}\'>'].map((text): Row => ['L3-013', page(`return f"${text}"`), /may not help|framework/]),

  // Loggers that format in another way.
  ...[['from loguru import logger', 'logger'], ['import structlog\nlogger = structlog.get_logger()', 'logger'], ['', 'logger'], ['import logging\nlog = logging.getLogger()', 'log'], ['import logging', 'self.logger']].map(([head, name]): Row =>
    ['L3-033', log(head!, `${name}.warning(f"failed {request.args['u']}")`), /formats by %/]),
  ...[['import logging', 'logging'], ['import logging\nlogger = logging.getLogger(__name__)', 'logger'], ['from logging import getLogger', 'getLogger("a")'], ['from flask import Flask\napp = Flask("a")', 'app.logger'], ['from flask import current_app', 'current_app.logger']].map(([head, name]): Row =>
    ['L3-033', log(head!, `${name}.warning(f"failed {request.args['u']}")`), `${name}.warning("failed %r", request.args['u'])`]),
  ['L3-033', 'import logging\nfrom flask import request\nclass A:\n    def __init__(self):\n        self.logger = logging.getLogger()\n    def f(self):\n        self.logger.info("a " + request.args["u"])\n', 'self.logger.info("a %r", request.args["u"])'],
  ['L3-033', 'import logging\nfrom flask import request\nclass A:\n    def __init__(self, logger):\n        self.logger = logging.getLogger()\n        self.logger = logger\n    def f(self):\n        self.logger.info("a " + request.args["u"])\n', /formats by %/],

  // Templates: escaped by name where the names say HTML.
  ...['page.j2', 'mails/page.jinja', 'page.jinja2', 'page.tpl'].map((name): Row => ['L3-011', engine(`env.get_template("${name}")`), /is HTML is not to be seen/]),
  ...['mail.txt', 'prompt.md', 'conf.yaml.j2', 'main.py.jinja', 'Dockerfile'].map((name): Row => ['L3-011', engine(`env.get_template("${name}")`), /are no HTML/]),
  ...['env.get_template(name)', 'env.get_template(f"{name}")', 'env.get_template()', 'env.list_templates()', 'env.from_string(name)', 'env.from_string("Dear {{ name }}")', '', 'for name in names:\n    env.get_template(name)'].map((use): Row => ['L3-011', engine(use), /is not to be seen in this file/]),
  ['L3-011', engine('env.get_template("page.html")\nPART = "part.j2"'), /Whether part.j2 is HTML/],
  ['L3-011', engine('env.get_template(name + ".tpl" if a else "b.html")'), /Whether|not to be seen/],
  ['L3-011', engine('env.get_template(name + "a.tpl")'), /Whether a.tpl/],
  ['L3-011', engine('env.get_template(f"{name}.j2")'), /Whether .j2 is HTML/],
  ['L3-011', engine('env.get_template("page.html")\nenv.get_template("mail.txt")'), 'autoescape=jinja2.select_autoescape())'],
  ['L3-011', engine('env.get_template("page.html.j2")\nenv.select_template(["a.XHTML", f"{b}.xml"])'), 'autoescape=jinja2.select_autoescape(enabled_extensions=("html", "htm", "xml", "html.j2", "xhtml")))'],
  ['L3-011', engine('name = "a.html" if a else b\nname = "c.html"\nenv.get_template(name)'), /not to be seen/],
  ['L3-011', engine('name = "c.html"\nenv.get_template(name=name)'), 'select_autoescape())'],
  ['L3-011', engine('templates.TemplateResponse(request, "c.html")'), 'select_autoescape())'],
  ['L3-011', engine('env.from_string("<p>{{ a }}</p>").render(a=b)'), 'select_autoescape())'],
  ...['env.get_template("a.html").render(body_html=b)', 'env.get_template("a.html").render(a="<b>x</b>")', 'env.get_template("a.html").render(a=b or "<i>")'].map((use): Row => ['L3-011', engine(use), /given markup/]),
  ['L3-011', 'import jinja2\nimport fastapi\nenv = jinja2.Environment(loader=jinja2.PackageLoader("a", "templates"))\n', 'select_autoescape())'],
  ['L3-011', 'import jinja2\nenv = jinja2.Environment(loader=jinja2.PackageLoader("a", "templates"))\n', /not to be seen/],
  ['L3-011', 'import jinja2\nselect_autoescape = 1\nenv = jinja2.Environment(loader=jinja2.FileSystemLoader("pages"))\n', 'jinja2.select_autoescape()'],
  ['L3-011', 'from jinja2 import Environment\nselect_autoescape = 1\nenv = Environment()\nenv.get_template("a.html")\n', /select_autoescape means something else/],
  ['L3-011', 'from django.template import Context\nContext({}, autoescape=False)\n', /not to be seen/],
  ['L3-011', 'from django.template import Context, loader\nloader.get_template("mail.txt").render(Context({}, autoescape=False))\n', /are no HTML/],
  ['L3-011', 'import jinja2\nenv = jinja2.Environment(autoescape=True)\nenv.autoescape = False\nenv.get_template("a.html"), env.get_template("b.txt")\n', /switch is for all/],
  ['L3-011', 'import tornado.template\nl = tornado.template.Loader("x", autoescape=None)\nl.load("a.txt")\n', /are no HTML/],
  ['L3-011', 'import tornado.template\nl = tornado.template.Loader("x", autoescape=None)\nl.load("a.html")\n', 'autoescape="xhtml_escape"'],
];

describe('the offline templates, where a text is more than it seems', () => {
  for (const [rule, code, expected] of rows) {
    it(`${rule}: ${typeof expected === 'string' ? 'fix' : 'decline'} ${JSON.stringify(code.split('\n').filter((line) => !/^(?:import flask|from flask|import jinja2$)/.test(line)).join('\n').slice(0, 200))}`, async () => {
      const fixed = await fixedText(code, `CODE-W1-${rule}`);
      if (typeof expected === 'string') assert.ok(fixed.includes(expected) && !fixed.startsWith('declined'), fixed);
      else assert.match(fixed, new RegExp(`^declined: .*(?:${expected.source})`));
    });
  }
});

describe('whyNotEscaped, by element and attribute', () => {
  const pieces = (text: string): Parameters<typeof whyNotEscaped>[0] => text.split(/(~)/).map((part) => (part === '~' ? { kind: 'value', value: { type: 'Name', id: 'x', start: 0, end: 0 }, shown: 'text' } : { kind: 'text', text: part }));
  for (const text of ['<input value="~" placeholder="~">', '<img src="/i/~" alt="~">', '<a href="/u/~" title="~">', '<option value="~">~</option>', '<li data-id="~">', '<p id="row-~">', '<label for="in-~">', '<meta name="description" content="~">', '<meta property=\'og:title\' content=\'~\'>',
    '<textarea>~</textarea>', '<title>~</title>', '<td colspan="~">', '<p aria-label="~">', '<p onclick="go()" style="color: red">~</p>', '<link rel="stylesheet" href="/a.css"><p>~</p>', '<script src="/a.js"></script>~', '<time datetime="~">', '<P CLASS="~">']) {
    it(`lets ${text} be`, () => assert.equal(whyNotEscaped(pieces(text)), undefined));
  }
  for (const text of [
    ...['script', 'iframe', 'frame', 'embed', 'source', 'audio', 'video', 'track', 'input'].map((name) => `<${name} src="https://cdn.example/~">`), '<object data="/a/~">', '<link href="/a/~">', '<base href="https://a.example/~">', '<applet code="/a/~">', '<form action="/a/~">', '<button formaction="/a/~">', '<iframe title="~">',
    ...['onclick', 'hx-on:click', 'data-hx-on:click', 'hx-get', 'data-ng-click', 'ng-if', 'x-text', '@click', 'v-html', ':href', 'data-on-click', '_', 'up-target', 'hx-vals', 'style', 'srcdoc', 'srcset', 'ping', 'data-bind', 'data-content', 'background', 'unheard'].map((name) => `<p ${name}="~">`),
    '<set to="~">', '<animate values="~">', '<svg><animate from="~" by="~"></svg>', '<use href="/a/~">', '<div ng-app>~</div>', '<div v-cloak>~</div>', '<div x-data="{}">~</div>', '<p @click="go()">~</p>', '<p :class="a">~</p>', '<p>{{ ~ }}</p>', '<p>{{ a }}</p>~', '<p>[[~]]</p>', '<% a %>~', '<script src="/vue.min.js"></script>~', '<script>new Vue({})</script>~',
    '<my-card>~</my-card>', '<my-card title="~">', '<p id="~">', '<input name="~">', '<p id="a~">', '<param value="~">', '<p value="~">', '<p href="/a/~">', '<img href="/a/~">', '<meta name="viewport" content="~">', '<meta http-equiv="refresh" name="description" content="~">', '<meta content="~" name="referrer">', '<a "~">', '<a ="~">', '<a href="data:~">', '<a href="/a/x" href="~">',
  ]) {
    it(`tells that ${text} is not helped`, () => assert.notEqual(whyNotEscaped(pieces(text)), undefined));
  }
});

describe('what a value surely is', () => {
  const last = (text: string) => {
    const code = openPython(text);
    const statement = code.module.body.at(-1)!;
    assert.ok(statement.type === 'Expr');
    return { code, node: statement.value };
  };
  const flask = 'from flask import request\nimport os, sys\n';
  for (const [kind, written] of [
    ['number', '1'], ['number', '2.5'], ['number', 'int(x)'], ['number', 'len(x) + 1'], ['number', '-int(x)'], ['number', 'int(x) if y else 0'], ['number', 'x.get("a", type=int)'], ['number', 'def f(a: int):\n    pass\na'], ['number', 'a: int = 1\na'], ['number', 'a = 1\na = int(b)\na'],
    ['text', '"a"'], ['text', 'f"{x}"'], ['text', 'str(x)'], ['text', 'request.args["a"]'], ['text', 'request.form.get("a", "")'], ['text', 'request.args["a"].strip()'], ['text', 'request.args["a"][1:]'], ['text', '"a" + x'], ['text', '"%s" % x'], ['text', 'os.environ["A"]'], ['text', 'sys.argv[1]'],
    ['text', 'a = request.args["a"]\na'], ['text', 'def f(a: str):\n    pass\na'], ['text', '"a" or str(x)'], ['text', '"a" if y else str(x)'], ['text', 'x.isoformat()'], ['text', '",".join(x)'],
    ['neither', 'x'], ['neither', 'True'], ['neither', 'not x'], ['neither', 'x + 1'], ['neither', 'int(x) if y else z'], ['neither', 'request.args.get("a")'], ['neither', 'request.args.get("a", 1)'], ['neither', 'request.args.get("a", "1", type=f)'], ['neither', 'request.args.get("a", type=str)'], ['neither', 'request.json["a"]'], ['neither', 'x.strip()'], ['neither', 'x[1:]'],
    ['neither', 'x.name'], ['neither', 'f(x)'], ['neither', 'def int(x): pass\nint(x)'], ['neither', 'from a import str\nstr(x)'], ['neither', 'for a in b: pass\na'], ['neither', 'a, b = 1, 2\na'], ['neither', 'a = 1\na += b\na'], ['neither', 'def f(a): pass\na'], ['neither', 'def a(): pass\na'], ['neither', 'import a\na'], ['neither', 'a = b\nb = a\na'], ['neither', 'a: int\na'], ['neither', '"a" or x'], ['neither', '[x]'],
  ] as const) {
    it(`takes ${written.replaceAll('\n', '; ')} for ${kind}`, () => {
      const { code, node } = last(flask + written);
      assert.deepEqual([isSurelyNumber(code, node), isSurelyText(code, node)], [kind === 'number', kind === 'text']);
    });
  }
  for (const [isInt, written] of [
    [true, '1'], [true, 'int(x)'], [true, 'len(x) + 1'], [true, 'len(x) // 2'], [true, 'len(x) % 2'], [true, 'x.get("a", type=int)'], [true, 'def f(a: int):\n    pass\na'], [true, 'a = 1\na'],
    [false, '1.5'], [false, 'float(x)'], [false, 'len(x) / 2'], [false, '2 ** -1'], [false, 'round(x, 1)'], [false, 'x.get("a", type=float)'], [false, 'def f(a: float):\n    pass\na'], [false, 'a = 1.5\na'], [false, 'True'], [false, 'x'],
  ] as const) {
    it(`takes ${written.replaceAll('\n', '; ')} for ${isInt ? 'a whole number' : 'none'}`, () => assert.equal(isSurelyInt(last(written).code, last(written).node), isInt));
  }
  // Whether it surely is one value, whether sqlite3 may take it, whether it may be read again.
  for (const [single, bindable, repeatable, written] of [
    [true, true, true, 'x'], [true, true, true, 'x.a["b"]'], [false, true, true, 'x[0]'], [false, true, true, 'from a import X\nX'], [true, true, false, 'x.get("a", input())'], [false, false, false, 'x.get("a", y())'], [true, true, true, 'x.get("a", "b")'],
    [false, false, false, 'x.pop()'], [false, false, false, 'y()'], [true, true, false, 'input()'], [true, true, true, 'len(x)'], [false, false, false, 'await x'], [false, false, true, '[x]'], [true, true, true, 'not x'], [true, true, true, '-x'],
    [true, true, true, 'a = "b"\na += x\na'], [false, false, true, 'a = "b"\na += y()\na'], [true, true, true, 'try:\n    pass\nexcept E as a:\n    pass\na'], [false, false, true, 'def a(): pass\na'], [false, true, true, 'a, b = x, y, z\na'], [true, true, true, 'a = x\nb = a\nb + a'],
    [false, false, true, 'x.k: Decimal = y\nx.k'], [true, true, true, 'x.k: int = y\nx.k'], [true, true, true, 'request.args.get("a", "b")'], [true, true, true, 'request.args.get("a", 5)'], [true, true, true, 'a = request.args\nb = a["x"]\nc = a["y"]\nb + c'], [true, true, true, 'a = b = request.args\na[0] + b[0] + a[1]'],
    [true, true, true, 'self.request.args[0]'], [true, true, false, 'if (a := "x"):\n    pass\nx if (b := y) else a'],
  ] as const) {
    it(`takes ${written.replaceAll('\n', '; ')} for ${single ? 'one value' : 'maybe several'}, ${bindable ? '' : 'not '}to be bound, ${repeatable ? '' : 'not '}to be read again`, () => {
      const { code, node } = last(written);
      assert.deepEqual([isSurelySingle(code, node), isBindable(code, node), isRepeatable(code, node)], [single, bindable, repeatable]);
    });
  }
  it('looks at each name once, however often it is used', () => {
    const many = Array.from({ length: 60 }, () => 'f"{a}{b}{c}" + a + b + c').join(' + ');
    const { code, node } = last(`a = ${many}\nb = ${many}\nc = ${many}\n${many}\n`);
    const start = performance.now();
    assert.ok(isSurelyText(code, node) && !isSurelyNumber(code, node) && writtenTexts(code, node).length === 0);
    assert.ok(performance.now() - start < 3000);
  });
  it('makes a text of other values', () => {
    for (const [written, shown, text] of [
      ['x', 'str', 'str(x)'], ['x', 'format', 'format(x)'], ['x', 'text', 'x'], ['"a"', 'str', '"a"'], ['def str(a): pass\nx', 'str', undefined], ['def format(a): pass\nx', 'format', undefined], ['from a import format\nx', 'format', undefined],
      ['x = b["k"]\nx', 'format', 'format(x)'], ['x = int(b)\nx', 'format', 'str(x)'], ['x, y = 1, 2\nx', 'format', 'str(x)'], ['x, y = b\nx', 'format', 'format(x)'], ['from flask import request as r\nr.args.get("a")', 'format', 'str(r.args.get("a"))'],
    ] as const) {
      const { code, node } = last(written);
      assert.equal(asText(code, { kind: 'value', value: node, shown }), text, written);
    }
  });
  it('finds the texts that a value may be, keys left out', () => {
    for (const [written, texts] of [
      ['"a"', ['a']], ['x.get("k", "a")', ['a']], ['x.get("k", "a").strip("b")', ['a', 'b']], ['x["k"] or "a"', ['a']], ['"a" if y == "k" else "b"', ['a', 'b']], ['f"a{b or \'c\'}"', ['a', 'c']], ['"a" + ("b" % ("c", x))', ['a', 'b', 'c']], ['{"k": "a"}[x]', ['a', 'k']],
      ['a = "b"\na', ['b']], ['a = a\na', []], ['f("a")', ['a']], ['1', []], ['not x', []],
    ] as const) {
      const { code, node } = last(written);
      assert.deepEqual([...new Set(writtenTexts(code, node))].sort(), texts, written);
    }
  });
});
