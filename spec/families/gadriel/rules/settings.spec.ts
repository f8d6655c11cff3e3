import { describeRules } from './rule-table.ts';

describeRules('from flask import Flask, request\napp = Flask(__name__)\n', [
  {
    rule: 'L3-040',
    bad: `
app.run(debug=True)
---
app.debug = True
---
app.config["DEBUG"] = True
---
app.run("127.0.0.1", 5000, debug=1)
---
from werkzeug.serving import run_simple
run_simple("127.0.0.1", 80, app, use_debugger=True)
---
class ProductionConfig:
    DEBUG = True
---
INSTALLED_APPS = ["shop"]
DEBUG = True
---
app.config.update(DEBUG=True)
`,
    good: `
app.run(debug=False)
---
import os
app.run(debug=os.environ.get("DEBUG") == "1")
---
DEBUG = True
def log(text):
    print(text)
---
class TestConfig:
    DEBUG = True
---
def run(tool):
    tool.run(debug=True)
---
app = None
app.run(debug=True)
---
class Parser:
    debug = True
`,
  },
  {
    rule: 'L3-041',
    bad: `
from django.views.decorators.csrf import csrf_exempt
@csrf_exempt
def change(request):
    request.user.save()
---
app.config["WTF_CSRF_ENABLED"] = False
---
class Config:
    WTF_CSRF_ENABLED = False
---
from django.views.decorators.csrf import csrf_exempt
from shop.views import Change
urls = [csrf_exempt(Change.as_view())]
`,
    good: `
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET
@csrf_exempt
@require_GET
def show(request):
    return None
---
from django.views.decorators.csrf import csrf_exempt
@csrf_exempt
def hook(request):
    check(request.headers["X-Signature"], request.body)
---
class TestConfig:
    WTF_CSRF_ENABLED = False
---
from django.views.decorators.csrf import csrf_protect
@csrf_protect
def change(request):
    request.user.save()
`,
  },
  {
    rule: 'L3-042',
    bad: `
from flask import make_response
response = make_response("")
response.set_cookie("session", "x1")
---
from django.http import HttpResponse
response = HttpResponse("")
response.set_cookie("auth_token", "x1", httponly=True)
---
def login(response, value):
    response.set_cookie("sid", value, secure=False, httponly=True)
---
SESSION_COOKIE_SECURE = False
---
app.config["SESSION_COOKIE_HTTPONLY"] = False
`,
    good: `
from flask import make_response
make_response("").set_cookie("session", "x1", secure=True, httponly=True)
---
from flask import make_response
make_response("").set_cookie("theme", "dark")
---
def login(response, value, options):
    response.set_cookie("session", value, **options)
---
from flask import make_response
def login(value, production):
    make_response("").set_cookie("session", value, secure=production, httponly=True)
---
SESSION_COOKIE_SECURE = True
`,
  },
  {
    rule: 'L3-043',
    bad: `
from flask_cors import CORS
CORS(app, supports_credentials=True)
---
from flask_cors import CORS
CORS(app, origins="*", supports_credentials=True)
---
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
FastAPI().add_middleware(CORSMiddleware, allow_origins=["*"], allow_credentials=True)
---
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_CREDENTIALS = True
---
from flask import make_response
response = make_response("")
response.headers["Access-Control-Allow-Origin"] = request.headers["Origin"]
`,
    good: `
from flask_cors import CORS
CORS(app)
---
from flask_cors import CORS
CORS(app, origins=["https://a.example.org"], supports_credentials=True)
---
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
FastAPI().add_middleware(CORSMiddleware, allow_origins=["*"])
---
CORS_ALLOW_ALL_ORIGINS = True
---
from flask import make_response
origin = request.headers["Origin"]
response = make_response("")
if origin in {"https://a.example.org"}:
    response.headers["Access-Control-Allow-Origin"] = origin
`,
  },
]);
