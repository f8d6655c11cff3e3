import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { flagsOf, lastSunk, run, show } from './facts.ts';

const flask = 'from flask import Flask, Blueprint\napp = Flask(__name__)\n';
const fastapi = 'from fastapi import FastAPI, APIRouter, Depends, Request, UploadFile, BackgroundTasks\nfrom typing import Annotated, Optional\nimport uuid, enum\napp = FastAPI()\n';

const cases: readonly (readonly [what: string, source: string, level: string])[] = [
  ['a Flask route variable', `${flask}@app.route("/u/<name>")\ndef f(name):\n    sink(name)`, 'tainted'],
  ['a Flask path variable', `${flask}@app.route("/u/<path:name>")\ndef f(name):\n    sink(name)`, 'tainted'],
  ['a Flask int variable', `${flask}@app.route("/u/<int:name>")\ndef f(name):\n    sink(name)`, 'safe'],
  ['a Flask uuid variable', `${flask}@app.route("/u/<uuid:name>")\ndef f(name):\n    sink(name)`, 'safe'],
  ['a Flask variable annotated int', `${flask}@app.route("/u/<name>")\ndef f(name: int):\n    sink(name)`, 'safe'],
  ['a parameter that is not in the route', `${flask}@app.route("/u")\ndef f(name="x"):\n    sink(name)`, 'unknown'],
  ['a blueprint route', `from flask import Blueprint\nbp = Blueprint("a", __name__)\n@bp.get("/<x>")\ndef f(x):\n    sink(x)`, 'tainted'],
  ['a route of an app from elsewhere', 'from flask import request\nfrom .app import app\n@app.route("/<x>")\ndef f(x):\n    sink(x)', 'tainted'],
  ['a decorator that only looks like a route', 'from flask import request\nfrom .x import cache\n@cache.get("/<x>")\ndef f(x):\n    sink(x)', 'unknown'],
  ['a decorator without a framework', 'from .app import app\n@app.route("/<x>")\ndef f(x):\n    sink(x)', 'unknown'],
  ['a decorator whose argument is no path', 'import flask\nfrom .app import app\n@app.get("key")\ndef f(x):\n    sink(x)', 'unknown'],
  ['a Flask method view', 'from flask.views import MethodView\nclass V(MethodView):\n    def get(self, x):\n        sink(x)', 'tainted'],
  ['a method view parameter with a default', 'from flask.views import MethodView\nclass V(MethodView):\n    def get(self, x="a"):\n        sink(x)', 'unknown'],
  ['a FastAPI path parameter', `${fastapi}@app.get("/i/{x}")\nasync def f(x: str):\n    sink(x)`, 'tainted'],
  ['a FastAPI parameter annotated int', `${fastapi}@app.get("/i/{x}")\ndef f(x: int):\n    sink(x)`, 'safe'],
  ['a FastAPI parameter annotated Optional[int]', `${fastapi}@app.get("/i")\ndef f(x: Optional[int] = None):\n    sink(x)`, 'safe'],
  ['a FastAPI parameter annotated with Annotated', `${fastapi}@app.get("/i")\ndef f(x: Annotated[float, "doc"]):\n    sink(x)`, 'safe'],
  ['a FastAPI UUID', `${fastapi}@app.get("/i/{x}")\ndef f(x: uuid.UUID):\n    sink(x)`, 'safe'],
  ['a FastAPI Enum', `${fastapi}class C(str, enum.Enum):\n    a = "a"\n@app.get("/i/{x}")\ndef f(x: C):\n    sink(x)`, 'safe'],
  ['a FastAPI dependency', `${fastapi}@app.get("/i")\ndef f(x=Depends(db)):\n    sink(x)`, 'unknown'],
  ['a FastAPI background task', `${fastapi}@app.get("/i")\ndef f(x: BackgroundTasks):\n    sink(x)`, 'unknown'],
  ['a FastAPI body', `${fastapi}@app.post("/i")\ndef f(x: dict):\n    sink(x["a"])`, 'tainted'],
  ['a FastAPI request', `${fastapi}@app.post("/i")\nasync def f(request: Request):\n    sink((await request.json())["a"])`, 'tainted'],
  ['a FastAPI upload', `${fastapi}@app.post("/i")\nasync def f(x: UploadFile):\n    sink(x.filename)`, 'tainted'],
  ['a router of FastAPI', 'from fastapi import APIRouter\nr = APIRouter()\n@r.get("/{x}")\ndef f(x):\n    sink(x)', 'tainted'],
  ['a Starlette handler', 'from starlette.requests import Request\nasync def f(request: Request):\n    sink(request.query_params["a"])', 'tainted'],
  ['a Starlette handler without annotation', 'import starlette\nasync def f(request):\n    sink(request.path_params["a"])', 'tainted'],
  ['a Django view', 'from django.http import HttpResponse\ndef f(request):\n    sink(request.GET.get("a"))', 'tainted'],
  ['a Django view by annotation', 'from django.http import HttpRequest\ndef f(r: HttpRequest):\n    sink(r.POST["a"])', 'tainted'],
  ['a Django view by an annotation in quotes', 'import django\ndef f(r: "HttpRequest"):\n    sink(r)', 'unknown'],
  ['a Django view method', 'from django.views import View\nclass V(View):\n    def get(self, request):\n        sink(request.GET["a"])', 'tainted'],
  ['a further parameter of a Django view', 'import django\ndef f(request, region):\n    sink(region)', 'unknown'],
  ['a request parameter without Django', 'def f(request):\n    sink(request.GET["a"])', 'unknown'],
  ['a request parameter of another type', 'import django\ndef f(request: int):\n    sink(request)', 'safe'],
  ['an aiohttp handler', 'from aiohttp import web\nasync def f(request):\n    sink(request.match_info["a"])', 'tainted'],
  ['an aiohttp handler that imports no web', 'import aiohttp\nasync def f(request):\n    sink(request.query["a"])', 'tainted'],
  ['the request of an aiohttp view', 'from aiohttp import web\nclass V(web.View):\n    async def get(self):\n        sink(self.request.query["a"])', 'tainted'],
  ['the request of a Django view class', 'from django.views.generic import ListView\nclass V(ListView):\n    def get_queryset(self):\n        sink(self.request.GET["a"])', 'tainted'],
  ['the request of a REST framework view', 'from rest_framework.views import APIView\nclass V(APIView):\n    def go(self):\n        sink(self.request.data["a"])', 'tainted'],
  ['an aiohttp handler by annotation', 'from aiohttp import web\nasync def f(request: web.Request):\n    sink((await request.post())["a"])', 'tainted'],
  ['an aiohttp handler in a module that imports Django too', 'import django\nfrom aiohttp import web\nasync def f(request: web.Request):\n    sink(request.match_info["a"])', 'tainted'],
  ['an aiohttp route table', 'from aiohttp import web\nroutes = web.RouteTableDef()\n@routes.get("/a")\nasync def f(request):\n    sink(request.query["a"])', 'tainted'],
  ['a Tornado argument', 'import tornado.web\nclass H(tornado.web.RequestHandler):\n    def get(self):\n        sink(self.get_argument("a"))', 'tainted'],
  ['a Tornado path argument', 'import tornado.web\nclass H(tornado.web.RequestHandler):\n    def get(self, x):\n        sink(x)', 'tainted'],
  ['a Bottle route', 'from bottle import route, request\n@route("/<x>")\ndef f(x):\n    sink(x)', 'tainted'],
  ['a Bottle int filter', 'from bottle import route\n@route("/<x:int>")\ndef f(x):\n    sink(x)', 'safe'],
  ['a Bottle query', 'from bottle import request\ndef f():\n    sink(request.query.a)', 'tainted'],
  ['a Pyramid view', 'from pyramid.view import view_config\n@view_config(route_name="a")\ndef f(request):\n    sink(request.params["a"])', 'tainted'],
  ['a Pyramid view without decorator', 'import pyramid\ndef f(request):\n    sink(request.matchdict["a"])', 'tainted'],
  ['a Lambda event', 'def handler(event, context):\n    sink(event["body"])', 'tainted'],
  ['another parameter of a Lambda handler', 'def handler(event, context):\n    sink(context)', 'unknown'],
  ['a Flask argument with type=int', `${flask}from flask import request\nsink(request.args.get("a", 1, type=int))`, 'safe'],
  ['a Flask argument with an Enum type', `${flask}from flask import request\nimport enum\nclass E(enum.Enum):\n    x = 1\nsink(request.args.getlist("a", type=E))`, 'safe'],
  ['a Flask argument with type=str', `${flask}from flask import request\nsink(request.args.get("a", type=str))`, 'tainted'],
  ['a WSGI environment', 'def application(environ, start_response):\n    sink(environ["QUERY_STRING"])', 'tainted'],
  ['a Falcon request', 'import falcon\nclass R:\n    def on_get(self, req, resp):\n        sink(req.get_param("a"))', 'tainted'],
  ['a Sanic request', 'from sanic import Sanic\napp = Sanic("a")\n@app.get("/<x>")\nasync def f(request, x):\n    sink(request.args["a"])', 'tainted'],
  ['a Streamlit input', 'import streamlit as st\nsink(st.text_input("a"))', 'tainted'],
  ['a socketserver handler', 'import socketserver\nclass H(socketserver.BaseRequestHandler):\n    def handle(self):\n        sink(self.request.recv(9))', 'tainted'],
  ['a click option', 'import click\n@click.command()\n@click.option("--x")\ndef f(x):\n    sink(x)', 'unknown'],
  ['argparse', 'import argparse\np = argparse.ArgumentParser()\na = p.parse_args()\nsink(a.x)', 'unknown'],
  ['http.server', 'from http.server import BaseHTTPRequestHandler\nclass H(BaseHTTPRequestHandler):\n    def do_GET(self):\n        sink(self.path)', 'tainted'],
  ['a socket', 'import socket\ns = socket.socket()\nsink(s.recv(10))', 'tainted'],
  ['an accepted socket', 'import socket\ns = socket.socket()\nc, a = s.accept()\nsink(c.recv(10))', 'tainted'],
  ['sys.stdin', 'import sys\nsink(sys.stdin.read())', 'tainted'],
  ['OpenAI responses', 'from openai import OpenAI\nc = OpenAI()\nsink(c.responses.create(model="m").output_text)', 'tainted'],
  ['Anthropic messages', 'import anthropic\nc = anthropic.Anthropic()\nsink(c.messages.create(model="m").content[0].text)', 'tainted'],
  ['LangChain', 'from langchain_openai import ChatOpenAI\nm = ChatOpenAI()\nsink(m.invoke("x").content)', 'tainted'],
  ['litellm', 'import litellm\nsink(litellm.completion(model="m").choices[0].message.content)', 'tainted'],
  ['the random module', 'import random\nsink(random.random())', 'safe'],
];

describe('sources', () => {
  for (const [what, source, level] of cases) it(`takes ${what} for ${level}`, () => assert.equal(show(lastSunk(source)), level));

  it('says in the flags where a value comes from', () => {
    assert.equal(flagsOf(lastSunk(`${flask}@app.route("/<x>")\ndef f(x):\n    sink(x)`)), 'request');
    assert.equal(flagsOf(lastSunk('def handler(event, context):\n    sink(event["body"])')), 'request');
    assert.equal(flagsOf(lastSunk('import click\n@click.command()\ndef f(x):\n    sink(x)')), 'low param');
    assert.equal(flagsOf(lastSunk('from openai import OpenAI\nsink(OpenAI().responses.create(model="m").output_text)')), 'llm');
  });

  it('tells matchers the framework and methods of a route', () => {
    const seen: string[] = [];
    const routes = (source: string): string => {
      seen.length = 0;
      run(source, [{ onFunction: ({ info }) => { if (info.route !== undefined) seen.push(`${info.qualifiedName} ${info.route.framework} ${info.route.methods.join(',')}`); } }]);
      return seen.join(' | ');
    };
    assert.equal(routes(`${flask}@app.route("/a", methods=["post", "GET"])\ndef f(): pass\n@app.delete("/b")\ndef g(): pass`), 'f flask POST,GET | g flask DELETE');
    assert.equal(routes('from django.views import View\nclass V(View):\n    def post(self, request): pass\n    def dispatch(self, request): pass\n    def helper(self): pass'), 'V.post django POST | V.dispatch django ');
  });
});
