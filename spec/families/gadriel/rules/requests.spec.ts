import { describeRules } from './rule-table.ts';

describeRules('from flask import request\n', [
  {
    rule: 'L3-025',
    bad: `
import requests
requests.get(request.args["url"], timeout=5)
---
import urllib.request
urllib.request.urlopen(request.args["url"])
---
import httpx
async def fetch():
    async with httpx.AsyncClient() as client:
        return await client.get("https://" + request.args["host"])
---
import aiohttp
async def fetch():
    async with aiohttp.ClientSession() as session:
        await session.post(request.args["url"])
---
import requests
requests.request("GET", f"http://{request.args['host']}/status", timeout=5)
---
import http.client
http.client.HTTPConnection(request.args["host"])
---
import urllib3
urllib3.PoolManager().request("GET", request.args["url"])
---
from urllib.request import Request
Request(request.args["url"])
---
import requests
session = requests.Session()
session.get(url=request.args["url"], timeout=5)
`,
    good: `
import requests
requests.get("https://api.example.org/item/" + request.args["id"], timeout=5)
---
import requests
requests.get("https://api.example.org/", params={"q": request.args["q"]}, timeout=5)
---
import requests
from urllib.parse import urlparse
url = request.args["url"]
if urlparse(url).hostname not in {"a.example.org"}:
    raise ValueError
requests.get(url, timeout=5)
---
import requests
def fetch(url):
    return requests.get(url, timeout=5)
---
import os, requests
BASE = os.environ["BASE"]
requests.get(f"{BASE}/item/{request.args['id']}", timeout=5)
---
request.args.get("url")
`,
  },
  {
    rule: 'L3-044',
    bad: `
import requests
requests.get("https://example.org")
---
from requests import post
post("https://example.org", json={}, timeout=None)
---
import requests
requests.request("GET", "https://example.org")
---
import requests
requests.Session().put("https://example.org")
---
import httpx
httpx.Client(timeout=None)
`,
    good: `
import requests
requests.get("https://example.org", timeout=3)
---
import requests
def get(url, **options):
    return requests.get(url, **options)
---
import httpx
httpx.get("https://example.org")
---
class Client:
    def __init__(self, requests):
        self.requests = requests
    def get(self, url):
        return self.requests.get(url)
---
import requests
class Limited(requests.Session):
    def request(self, *args, **options):
        return super().request(*args, **options, timeout=5)
Limited().get("https://example.org")
---
my_requests = {"a": 1}
my_requests.get("a")
`,
  },
  {
    rule: 'L3-045',
    bad: `
import pymysql
pymysql.connect(user="root", password="")
---
import psycopg2
psycopg2.connect(user="root", password="")
---
import mysql.connector
mysql.connector.connect(user="root", password=None)
---
import ldap
ldap.initialize("ldap://x").simple_bind_s("cn=root", "")
`,
    good: `
import pymysql
def open_database(password=""):
    return pymysql.connect(user="root", password=password or ask())
---
import psycopg2
psycopg2.connect(user="root", password=None)
---
class Form:
    password = ""
---
def connect(pool):
    pool.connect(password="")
`,
  },
]);
