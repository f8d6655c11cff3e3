import { describeRules } from './rule-table.ts';

describeRules('from flask import Flask, request\napp = Flask(__name__)\n', [
  {
    rule: 'L3-010',
    bad: `
from flask import render_template_string
render_template_string("Hello " + request.args["name"])
---
import jinja2
jinja2.Template(request.form["template"])
---
from jinja2 import Environment, select_autoescape
Environment(autoescape=select_autoescape()).from_string(f"Hi {request.args['x']}")
---
from mako.template import Template
Template(text=request.form["template"])
---
from django.template import Template
def view(request):
    return Template("Hi " + request.GET["name"])
`,
    good: `
from flask import render_template_string
render_template_string("Hello {{ name }}", name=request.args["name"])
---
import string
string.Template(request.args["x"])
---
from flask import render_template
render_template("a.html", name=request.args["name"])
---
import jinja2
jinja2.Template("Hi {{ name }}").render(name=request.args["name"])
`,
  },
  {
    rule: 'L3-011',
    bad: `
from jinja2 import Environment
Environment()
---
import jinja2 as j
j.Environment(autoescape=False)
---
from jinja2.sandbox import SandboxedEnvironment
SandboxedEnvironment()
---
from mako.lookup import TemplateLookup
TemplateLookup(directories=["a"])
---
from django.template import Context
Context({"a": 1}, autoescape=False)
---
from tornado.template import Loader
Loader("a", autoescape=None)
---
import jinja2
env = jinja2.Environment(autoescape=True)
env.autoescape = False
`,
    good: `
from jinja2 import Environment, select_autoescape
Environment(autoescape=select_autoescape(["html"]))
---
from jinja2 import Environment
from jinja2.utils import select_autoescape as pick
Environment(autoescape=pick())
---
from jinja2 import Environment
Environment(autoescape=lambda name: name.endswith(".html"))
---
from mako.lookup import TemplateLookup
TemplateLookup(directories=["a"], default_filters=["h"])
---
def make(options):
    from jinja2 import Environment
    return Environment(**options)
`,
  },
  {
    rule: 'L3-012',
    bad: `
from markupsafe import Markup
Markup.unescape(request.args["x"])
---
from markupsafe import Markup
Markup("<b>%s</b>" % request.args["x"])
---
from flask import Markup
Markup(request.args["x"])
---
from django.utils.safestring import mark_safe
def view(request):
    return mark_safe(f"<b>{request.GET['x']}</b>")
---
from django.utils.safestring import SafeString
def view(request):
    return SafeString(request.POST["x"])
---
from django.utils.html import format_html
def view(request):
    return format_html("<b>" + request.GET["x"] + "</b>")
`,
    good: `
from markupsafe import Markup
Markup("<b>{}</b>").format(request.args["x"])
---
from markupsafe import Markup, escape
Markup("<b>" + escape(request.args["x"]) + "</b>")
---
from django.utils.html import format_html
def view(request):
    return format_html("<b>{}</b>", request.GET["x"])
---
from django.utils.safestring import mark_safe
mark_safe("<br>")
---
from django.utils.safestring import mark_safe
def widget(text):
    return mark_safe(text)
`,
  },
  {
    rule: 'L3-013',
    bad: `
def view(context):
    context["link"] = '<a href="/a?%s">more</a>' % request.args["x"]
---
from django.core.mail import send_mail
def view(request):
    send_mail("a", "b", "c", ["d"], html_message="<p>" + request.POST["text"])
---
from django.core.mail import EmailMultiAlternatives
def view(request):
    mail = EmailMultiAlternatives("a", "b")
    mail.attach_alternative(request.POST["text"], "text/html")
---
from pyramid.view import view_config
@view_config(route_name="a")
def view(request):
    request.response.body = "<p>" + request.params["x"]
---
from pyramid.request import Response
from pyramid.view import view_config
@view_config(route_name="a")
def view(request):
    return Response("<p>" + request.params["x"])
---
from django.http import HttpResponse
def view(request):
    return HttpResponse("<p>" + request.GET["name"])
---
@app.route("/a")
def a():
    return f"<p>{request.args['x']}</p>"
---
from flask import make_response
@app.get("/a")
def a():
    return make_response("Hello " + request.args["x"])
---
@app.get("/a")
def a():
    name = request.args.get("name")
    return "Hello %s" % name, 200
---
@app.route("/hello/<name>")
def hello(name):
    return "<h1>Hello " + name + "</h1>"
---
from fastapi.responses import HTMLResponse
from fastapi import FastAPI
api = FastAPI()
@api.get("/a")
def a(name: str):
    return HTMLResponse(f"<p>{name}</p>")
---
def handler(event, context):
    return {"statusCode": 200, "headers": {"Content-Type": "text/html"}, "body": "<p>" + event["name"]}
`,
    good: `
def view(context):
    context["text"] = "more about " + request.args["x"]
---
from html import escape
def view(context):
    context["link"] = "<b>" + escape(request.args["x"]) + "</b>"
---
from django.core.mail import send_mail, EmailMultiAlternatives
def view(request):
    send_mail("a", request.POST["text"], "c", ["d"])
    EmailMultiAlternatives("a", "b").attach_alternative(request.POST["text"], "text/plain")
---
def view(job):
    job.body = "<p>" + request.args["x"]
---
from django.http import HttpResponse
def view(request):
    return HttpResponse(request.GET["name"], content_type="text/plain")
---
from flask import jsonify
@app.route("/a")
def a():
    return jsonify(name=request.args["x"])
---
from html import escape
@app.route("/a")
def a():
    return "<p>" + escape(request.args["x"])
---
@app.route("/a")
def a():
    return {"name": request.args["x"]}
---
from django.http import JsonResponse
def view(request):
    return JsonResponse({"name": request.GET["name"]})
---
@app.route("/hello/<int:number>")
def hello(number):
    return f"<h1>{number}</h1>"
---
from flask import Response
@app.route("/a")
def a():
    return Response(request.args["x"], mimetype="text/plain")
---
def plain():
    return "<p>" + request.args["x"]
`,
  },
  {
    rule: 'L3-026',
    bad: `
from flask import redirect
redirect(request.args.get("next"))
---
from django.shortcuts import redirect
def view(request):
    return redirect(request.GET["next"])
---
from django.http import HttpResponseRedirect
def view(request):
    target = request.GET.get("next", "/")
    return HttpResponseRedirect(target)
---
from fastapi import FastAPI
from fastapi.responses import RedirectResponse
api = FastAPI()
@api.get("/go")
def go(url: str):
    return RedirectResponse(url)
---
from flask import redirect
redirect("https://" + request.args["host"] + "/done")
---
from flask import make_response
response = make_response("", 302)
response.headers["Location"] = request.args["next"]
`,
    good: `
from django.http import HttpResponseRedirect
from django.utils.http import is_safe_url
def view(request):
    url = request.POST.get("next")
    if (url or view) and not is_safe_url(url, allowed_hosts={"a"}):
        url = "/"
    return HttpResponseRedirect(url)
---
from django.http import HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
def view(request):
    url = request.POST.get("next")
    fine = url_has_allowed_host_and_scheme(url, allowed_hosts={"a"})
    return HttpResponseRedirect(url) if fine else None
---
from flask import redirect, url_for
redirect(url_for("page", name=request.args["name"]))
---
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
def view(request):
    target = request.GET["next"]
    if not url_has_allowed_host_and_scheme(target, allowed_hosts=None):
        target = "/"
    return redirect(target)
---
from flask import redirect
redirect("/user/" + request.args["name"])
---
from flask import redirect
redirect("https://example.org/user?name=" + request.args["name"])
---
from flask import redirect
redirect(request.url)
---
from flask import redirect
target = request.args["next"]
if target not in {"/a", "/b"}:
    target = "/a"
redirect(target)
`,
  },
  {
    rule: 'L3-032',
    bad: `
from http.server import BaseHTTPRequestHandler
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_header("X-Path", self.path)
---
def application(environ, start_response):
    start_response("200 OK", [("X-Name", request.args["name"])])
    return []
---
from flask import make_response
response = make_response("")
response.headers["Set-Cookie"] = "name=" + request.args["name"]
`,
    good: `
from flask import make_response
response = make_response("")
response.headers["X-Name"] = request.args["name"]
---
from http.server import BaseHTTPRequestHandler
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_header("Content-Length", str(len(self.path)))
---
def application(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return []
`,
  },
  {
    rule: 'L3-035',
    bad: `
from shop.models import User
def change(request):
    import django
    users = User.objects.filter(pk=1)
    users.update(**request.POST)
---
from shop.models import User
User(**request.json)
---
from shop.models import User
User.objects.create(**request.form)
---
from shop.models import User
user = User()
for key, value in request.json.items():
    setattr(user, key, value)
---
from django.http import HttpRequest
from shop.models import User
def view(request: HttpRequest):
    return User.objects.filter(pk=1).update(**request.POST)
`,
    good: `
seen = {}
seen.update(**request.form)
---
from shop.models import User
User(name=request.json["name"])
---
from pydantic import BaseModel
class UserIn(BaseModel):
    name: str
UserIn(**request.json)
---
from shop.models import User
def make(values):
    return User(**values)
---
from shop.forms import UserForm
UserForm(**request.form)
---
user = object()
for key in ("name", "age"):
    setattr(user, key, request.json[key])
`,
  },
]);
