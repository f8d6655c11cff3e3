import { describeRules } from './rule-table.ts';

describeRules('import sqlite3\nfrom flask import request\n', [
  {
    rule: 'L3-014',
    bad: `
from pyramid.view import view_config
@view_config(route_name="a")
def view(request):
    return request.dbsession.query(1).order_by("a = " + request.params["a"])
---
sqlite3.connect("a").execute("SELECT * FROM t WHERE a = '" + request.args["a"] + "'")
---
cursor = sqlite3.connect("a").cursor()
cursor.execute("SELECT * FROM t WHERE a = %s" % request.args["a"])
---
cursor = sqlite3.connect("a").cursor()
cursor.executescript("DELETE FROM t WHERE a = {}".format(request.args["a"]))
---
import psycopg2
def one():
    with psycopg2.connect("") as connection:
        with connection.cursor() as cur:
            cur.execute(f"SELECT * FROM t WHERE a = '{request.args['a']}'")
---
import pymysql
parts = ["SELECT * FROM t WHERE a =", request.args["a"]]
pymysql.connect().cursor().execute(" ".join(parts))
---
from sqlalchemy import create_engine, text
engine = create_engine("sqlite://")
with engine.connect() as connection:
    connection.execute(text("SELECT * FROM t WHERE a = " + request.args["a"]))
---
from django.db import connection
def view(request):
    connection.cursor().execute("SELECT a FROM t WHERE b = '%s'" % request.GET["b"])
---
import mysql.connector
query = "SELECT * FROM t WHERE a = 'X'"
query = query.replace("X", request.form["a"])
mysql.connector.connect().cursor().execute(query)
---
import asyncpg
async def rows():
    connection = await asyncpg.connect()
    return await connection.fetch("SELECT * FROM t WHERE a = " + request.args["a"])
---
import pandas
pandas.read_sql("SELECT * FROM t WHERE a = " + request.args["a"], None)
---
def handler(db):
    db.execute("SELECT * FROM t ORDER BY " + request.args["sort"])
---
from app import db
def names():
    return db.session.execute(f"SELECT name FROM user WHERE id = {request.args['id']}")
---
import aiosqlite
async def names():
    async with aiosqlite.connect("a") as db:
        await db.execute_fetchall("SELECT * FROM t WHERE a = " + request.args["a"])
---
def handler(event, context):
    sqlite3.connect("a").execute("SELECT * FROM t WHERE a = " + event["a"])
`,
    good: `
def named(cls):
    return cls.query.filter("{}".format(cls.name))
---
def ordered(cls):
    from django.db import models
    return cls.query.order_by("-" + cls.key)
---
class Log:
    def filter(self, text):
        return text
query = Log()
query.filter("a " + request.args["a"])
---
sqlite3.connect("a").execute("SELECT * FROM t WHERE a = ?", (request.args["a"],))
---
number = int(request.args["a"])
sqlite3.connect("a").execute(f"SELECT * FROM t LIMIT {number}")
---
COLUMNS = {"a": "name", "b": "age"}
column = COLUMNS[request.args["sort"]]
sqlite3.connect("a").execute("SELECT * FROM t ORDER BY " + column)
---
column = request.args["sort"]
if column not in ("name", "age"):
    raise ValueError(column)
sqlite3.connect("a").execute("SELECT * FROM t ORDER BY " + column)
---
from sqlalchemy import create_engine, text
create_engine("x").connect().execute(text("SELECT * FROM t WHERE a = :a"), {"a": request.args["a"]})
---
from psycopg2 import sql
import psycopg2
cursor = psycopg2.connect("").cursor()
cursor.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(request.args["t"])))
---
class Command:
    def execute(self, text):
        return text
Command().execute("please " + request.args["x"])
---
from sqlalchemy import create_engine, select
from app.models import User
engine = create_engine("x")
engine.connect().execute(select(User).where(User.name == request.args["name"]))
`,
  },
  {
    rule: 'L3-015',
    bad: `
def ordered(cls, column):
    return cls.query.join(1).order_by("length " + column)
---
def rows(connection, table):
    return connection.cursor(f"SELECT * FROM {table}")
---
def one(cursor, name):
    cursor.execute(f"SELECT * FROM t WHERE a = '{name}'")
---
def one(self, name):
    self.db.executemany("INSERT INTO t VALUES ('%s')" % name, [])
---
def drop(table):
    sqlite3.connect("a").execute("DROP TABLE " + table)
---
import duckdb
def one(path):
    return duckdb.sql("SELECT * FROM '{}'".format(path))
---
import peewee
def one(name):
    peewee.SqliteDatabase("a").execute_sql("UPDATE t SET a = '" + name + "'")
---
from sqlalchemy import text
def one(name):
    return text(f"a = '{name}'")
---
def one(spark, day):
    return spark.sql(f"SELECT * FROM t WHERE day = '{day}'")
---
def one(cursor, name):
    cursor.execute("INSERT t VALUES ('%s')" % name)
---
def one(cursor, name):
    cursor.execute(f"replace \`t\` (a, b) values ('{name}', 1)")
---
def one(cursor, table):
    cursor.execute("INSERT IGNORE " + table + " SELECT * FROM u")
`,
    good: `
def one(cursor, ids):
    marks = ",".join("?" for _ in ids)
    cursor.execute(f"SELECT * FROM t WHERE id IN ({marks})", ids)
---
TABLE = "part"
def one(cursor, name):
    cursor.execute("SELECT * FROM " + TABLE + " WHERE a = %s", (name,))
---
def one(cursor, statement):
    cursor.execute(statement)
---
def one(pool, name):
    pool.execute("update the label of " + name)
---
def one(pool, name):
    pool.execute("insert coin into " + name)
---
def one(parser, name):
    parser.add_argument("--x", help="select a row from %s" % name)
---
def one(client, name):
    return client.query("weather in " + name)
---
def one(cursor, names):
    cursor.execute("SELECT * FROM t WHERE a IN (%s)" % ",".join(["%s"] * len(names)), names)
`,
  },
  {
    rule: 'L3-016',
    bad: `
from django.db.models.expressions import RawSQL
def one(column):
    return RawSQL("select a from t where b = '%s'" % column, ())
---
from shop.models import User
def one(name):
    return User.objects.raw("SELECT * FROM user WHERE name = '" + name + "'")
---
from shop.models import User
def view(request):
    return User.objects.extra(where=["name = '%s'" % request.GET["name"]])
---
from django.db import models
class User(models.Model):
    pass
def one(name):
    return User.objects.extra(select={"x": f"select a from t where b = '{name}'"})
`,
    good: `
from shop.models import User
def one(name):
    return User.objects.raw("SELECT * FROM user WHERE name = %s", [name])
---
from shop.models import User
def one(name):
    return User.objects.extra(where=["name = %s"], params=[name])
---
from django.db.models.expressions import RawSQL
def one(column):
    return RawSQL("select a from t where b = %s", (column,))
---
def read(stream, name):
    return stream.raw("part " + name)
`,
  },
  {
    rule: 'L3-018',
    bad: `
from pymongo import MongoClient
MongoClient().app.users.find(request.json)
---
from pymongo import MongoClient
def one(name):
    MongoClient().app.users.find({"$where": "this.name == '" + name + "'"})
---
import json
def one(db):
    return db.users.find_one(json.loads(request.data))
---
import boto3
def handler(event, context):
    table = boto3.resource("dynamodb").Table("t")
    return table.scan(FilterExpression="a = " + event["a"])
`,
    good: `
from pymongo import MongoClient
MongoClient().app.users.find({"name": str(request.json["name"])})
---
from pymongo import MongoClient
MongoClient().app.users.find({"$where": "this.a == this.b"})
---
text = request.json["text"]
text.find("x")
---
import boto3
from boto3.dynamodb.conditions import Attr
boto3.resource("dynamodb").Table("t").scan(FilterExpression=Attr("a").eq(request.args["a"]))
`,
  },
  {
    rule: 'L3-019',
    bad: `
import ldap
ldap.initialize("ldap://x").search_s("dc=x", ldap.SCOPE_SUBTREE, "(uid=" + request.args["uid"] + ")")
---
import ldap3
ldap3.Connection("x").search("dc=x", f"(uid={request.args['uid']})")
---
import ldap
def one(connection):
    return connection.search_s("ou=%s,dc=x" % request.args["ou"], 2, "(a=b)")
`,
    good: `
import ldap
from ldap.filter import escape_filter_chars
ldap.initialize("ldap://x").search_s("dc=x", 2, "(uid=" + escape_filter_chars(request.args["uid"]) + ")")
---
import ldap3
from ldap3.utils.conv import escape_filter_chars
ldap3.Connection("x").search("dc=x", f"(uid={escape_filter_chars(request.args['uid'])})")
---
import ldap
ldap.initialize("ldap://x").search_s("dc=x", 2, "(objectClass=*)")
---
def one(index):
    return index.search("a", request.args["q"])
`,
  },
  {
    rule: 'L3-020',
    bad: `
from lxml import etree
etree.parse("a.xml").xpath("//a[@id='%s']" % request.args["id"])
---
from lxml import etree
etree.XPath("//a[@id='" + request.args["id"] + "']")
---
from lxml import etree
def one():
    root = etree.parse("a.xml").getroot()
    return root.findall(f".//a[@id='{request.args['id']}']")
---
def one(tree):
    return tree.xpath("//a[@id='" + request.args["id"] + "']")
`,
    good: `
from lxml import etree
etree.parse("a.xml").xpath("//a[@id=$id]", id=request.args["id"])
---
from lxml import etree
etree.parse("a.xml").xpath("//a")
---
text = request.args["text"]
text.find("a" + text)
---
from lxml import etree
number = int(request.args["n"])
etree.parse("a.xml").xpath(f"//a[{number}]")
`,
  },
]);
