import { describeRules } from './rule-table.ts';

describeRules('from flask import request\n', [
  {
    rule: 'CONFIG-001',
    bad: `
import requests
requests.get("https://x", timeout=1, verify=False)
---
import requests
session = requests.Session()
session.verify = False
---
import httpx
httpx.AsyncClient(verify=False)
---
import aiohttp
aiohttp.TCPConnector(ssl=False)
---
import ssl
ssl._create_unverified_context()
---
import ssl
context = ssl.create_default_context()
context.check_hostname = False
---
import ssl
context = ssl.create_default_context()
context.verify_mode = ssl.CERT_NONE
---
import ssl
ssl._create_default_https_context = ssl._create_unverified_context
---
import urllib3
urllib3.PoolManager(cert_reqs="CERT_NONE")
---
import boto3
boto3.client("s3", verify=False)
---
OPTIONS = {"verify": False, "timeout": 1}
import requests
requests.get("https://x", **OPTIONS)
---
from OpenSSL import SSL
SSL.Context(SSL.TLS_METHOD).set_verify(SSL.VERIFY_NONE, None)
---
import os
os.environ["PYTHONHTTPSVERIFY"] = "0"
---
def fetch(session):
    return session.get("https://x", verify=False)
---
from elasticsearch import Elasticsearch
Elasticsearch("https://x", verify_certs=False)
---
from pymongo import MongoClient
MongoClient("mongodb://x", tlsAllowInvalidCertificates=True)
---
import pycurl
curl = pycurl.Curl()
curl.setopt(pycurl.SSL_VERIFYPEER, 0)
---
import paho.mqtt.client as mqtt
mqtt.Client().tls_insecure_set(True)
---
import ldap
ldap.set_option(ldap.OPT_X_TLS_REQUIRE_CERT, ldap.OPT_X_TLS_NEVER)
---
class Client:
    def __init__(self):
        import requests
        self.session = requests.Session()
        self.session.verify = False
---
import ssl
ssl.wrap_socket(None)
---
class Api:
    def __init__(self, configuration):
        configuration.verify_ssl = False
`,
    good: `
import requests
requests.get("https://x", timeout=1, verify="/etc/ca.pem")
---
import requests
requests.get("https://x", timeout=1, verify=True)
---
import ssl
context = ssl.create_default_context()
context.verify_mode = ssl.CERT_REQUIRED
---
import requests
def fetch(verify):
    return requests.get("https://x", timeout=1, verify=verify)
---
def check(signer, text):
    return signer.check(text, verify=False)
---
import ssl
def context(insecure):
    made = ssl.create_default_context()
    made.verify_mode = ssl.CERT_NONE if insecure else ssl.CERT_REQUIRED
    return made
---
import aiohttp
aiohttp.TCPConnector(ssl=None)
---
class Check:
    def __init__(self):
        self.verify = False
---
import ssl
def wrap(sock, **options):
    return ssl.wrap_socket(sock, **options)
`,
  },
  {
    rule: 'CONFIG-002',
    bad: `
import paramiko
paramiko.SSHClient().set_missing_host_key_policy(paramiko.AutoAddPolicy())
---
from paramiko import client
ssh = client.SSHClient()
ssh.set_missing_host_key_policy(client.WarningPolicy)
---
import paramiko
def trust(ssh):
    ssh.set_missing_host_key_policy(paramiko.AutoAddPolicy)
---
import asyncssh
async def connect():
    await asyncssh.connect("x", known_hosts=None)
`,
    good: `
import paramiko
paramiko.SSHClient().set_missing_host_key_policy(paramiko.RejectPolicy())
---
import paramiko
paramiko.SSHClient().load_system_host_keys()
---
class AutoAddPolicy:
    pass
def trust(ssh, policy):
    ssh.set_missing_host_key_policy(policy)
---
import paramiko
def set_missing_host_key_policy(policy):
    print(policy)
set_missing_host_key_policy(paramiko.AutoAddPolicy)
---
import paramiko
ssh = 0
ssh.set_missing_host_key_policy(paramiko.AutoAddPolicy)
`,
  },
  {
    rule: 'CONFIG-003',
    bad: `
import ssl
ssl.SSLContext(ssl.PROTOCOL_TLSv1)
---
import ssl
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.minimum_version = ssl.TLSVersion.TLSv1_1
---
from OpenSSL import SSL
SSL.Context(SSL.SSLv3_METHOD)
---
import ssl
def connect(version=ssl.PROTOCOL_SSLv3):
    return version
---
import ssl
def connect(tool):
    tool.open(ssl_version=ssl.PROTOCOL_SSLv2)
`,
    good: `
import ssl
ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
---
import ssl
context = ssl.create_default_context()
context.minimum_version = ssl.TLSVersion.TLSv1_2
---
from OpenSSL import SSL
SSL.Context(SSL.TLS_METHOD)
---
import ssl
old = [ssl.PROTOCOL_TLSv1]
`,
  },
  {
    rule: 'CONFIG-004',
    bad: `
import ftplib
ftplib.FTP("files.example.org")
---
from telnetlib import Telnet
Telnet("router.example.org")
---
import requests
requests.get("http://api.example.org/", timeout=5, auth=("me", "x"))
---
import smtplib
def send(user, password):
    server = smtplib.SMTP("mail.example.org")
    server.login(user, password)
---
from pysnmp.hlapi import CommunityData
CommunityData("public", mpModel=0)
---
from pysnmp.hlapi.v3arch.asyncio import CommunityData
CommunityData("office")
---
from pysnmp.hlapi import UsmUserData
UsmUserData("reader", authKey="k1")
---
from pysnmp.hlapi import UsmUserData
UsmUserData("reader", "k1", None)
`,
    good: `
from pysnmp.hlapi import UsmUserData
UsmUserData("reader", "k1", "k2")
---
from pysnmp.hlapi import UsmUserData
UsmUserData("reader", authKey="k1", privKey="k2")
---
from pysnmp.hlapi import CommunityData
def read(model, options):
    CommunityData("office", mpModel=model)
    CommunityData("office", **options)
---
import ftplib
ftplib.FTP_TLS("files.example.org")
---
import ftplib
ftplib.FTP("localhost")
---
import requests
requests.get("http://localhost:8000/", timeout=5, auth=("me", "x"))
---
import requests
requests.get("http://example.org/", timeout=5)
---
import smtplib
def send(user, password):
    server = smtplib.SMTP("mail.example.org")
    server.starttls()
    server.login(user, password)
---
import smtplib
def send(user, password):
    smtplib.SMTP_SSL("mail.example.org").login(user, password)
`,
  },
  {
    rule: 'CONFIG-005',
    bad: `
import jwt
jwt.decode(request.args["t"], options={"verify_signature": False})
---
import jwt
jwt.decode(request.args["t"], "key", verify=False)
---
from jose import jwt
jwt.decode(request.args["t"], "key", algorithms=["none"])
---
import jwt
def read(token, key):
    return jwt.decode(token, key, algorithms=["HS256", "RS256"])
---
import jwt
jwt.encode({"a": 1}, None, algorithm="none")
---
from jose import jwt
def read(token):
    return jwt.get_unverified_claims(token)
---
from jwt import PyJWT
def read(token):
    return PyJWT().decode(token, options={"verify_signature": False})
---
from jose import jws
def read(token):
    return jws.verify(token, "key", algorithms=["HS256"], verify=False)
`,
    good: `
import jwt
def read(token, key):
    return jwt.decode(token, key, algorithms=["RS256"])
---
import jwt
def key_id(token):
    return jwt.get_unverified_header(token)["kid"]
---
import jwt
def read(token, key):
    return jwt.decode(token, key, algorithms=["RS256", "RS512"], options={"verify_aud": False})
---
def read(codec, data):
    return codec.decode(data, verify=False)
---
import jwt
def make(key):
    return jwt.encode({"a": 1}, key, algorithm="HS256")
`,
  },
]);
