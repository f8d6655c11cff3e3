import { describeRules } from './rule-table.ts';

describeRules('import subprocess\nfrom flask import Flask, request\nfrom openai import OpenAI\napp = Flask(__name__)\nclient = OpenAI()\n', [
  {
    rule: 'AI-601',
    bad: `
client.responses.create(model="m", instructions="Be " + request.args["style"], input="Hi")
---
client.chat.completions.create(model="m", messages=[{"role": "system", "content": f"Be {request.args['style']}"}, {"role": "user", "content": "Hi"}])
---
import anthropic
anthropic.Anthropic().messages.create(model="m", max_tokens=5, system=request.args["style"], messages=[])
---
from langchain_core.messages import SystemMessage
SystemMessage(content="Be " + request.args["style"])
---
from langchain_core.prompts import ChatPromptTemplate
ChatPromptTemplate.from_messages([("system", "Be " + request.args["style"]), ("user", "{text}")])
---
import litellm
messages = [{"role": "developer", "content": request.args["style"]}]
litellm.completion(model="m", messages=messages)
`,
    good: `
client.responses.create(model="m", instructions="Be brief", input=request.args["text"])
---
client.chat.completions.create(model="m", messages=[{"role": "system", "content": "Be brief"}, {"role": "user", "content": request.args["text"]}])
---
from langchain_core.messages import HumanMessage
HumanMessage(content=request.args["text"])
---
from langchain_core.prompts import ChatPromptTemplate
ChatPromptTemplate.from_messages([("system", "Be brief"), ("user", request.args["text"])])
`,
  },
  {
    rule: 'AI-602',
    bad: `
import requests
page = requests.get("https://example.org", timeout=5).text
client.responses.create(model="m", input="Summarise: " + page)
---
import httpx
page = httpx.get("https://example.org").text
client.chat.completions.create(model="m", messages=[{"role": "user", "content": f"Summarise {page} now"}])
---
def ask(path):
    with open(path) as handle:
        text = handle.read()
    client.responses.create(model="m", input=f"Summarise {text}")
---
import urllib.request, anthropic
page = urllib.request.urlopen("https://example.org").read().decode()
anthropic.Anthropic().messages.create(model="m", max_tokens=5, messages=[{"role": "user", "content": "Summarise " + page}])
`,
    good: `
import requests
page = requests.get("https://example.org", timeout=5).text
client.responses.create(model="m", input="Summarise: <page>" + page + "</page>")
---
import requests
page = requests.get("https://example.org", timeout=5).text
client.responses.create(model="m", input=page)
---
template = open("prompt.txt").read()
client.responses.create(model="m", input=template + " now")
---
rules = open("rules.txt").read()
client.responses.create(model="m", input="Follow these: " + rules)
---
def ask(text):
    client.responses.create(model="m", input="Summarise: " + text)
`,
  },
  {
    rule: 'AI-603',
    bad: `
eval(client.responses.create(model="m", input="1+1").output_text)
---
answer = client.chat.completions.create(model="m", messages=[])
exec(answer.choices[0].message.content)
---
answer = client.chat.completions.create(model="m", messages=[])
subprocess.run(answer.choices[0].message.content, shell=True)
---
import sqlite3
answer = client.responses.create(model="m", input="query").output_text
sqlite3.connect("a").execute(answer)
---
import os
from langchain_openai import ChatOpenAI
os.system(ChatOpenAI().invoke("a command").content)
---
import anthropic
answer = anthropic.Anthropic().messages.create(model="m", max_tokens=5, messages=[])
subprocess.run(["bash", "-c", answer.content[0].text])
`,
    good: `
import json
json.loads(client.responses.create(model="m", input="1+1").output_text)
---
import ast
ast.literal_eval(client.responses.create(model="m", input="1+1").output_text)
---
answer = client.responses.create(model="m", input="a word").output_text
if answer in ("ls", "df"):
    subprocess.run(answer, shell=True)
---
answer = client.responses.create(model="m", input="a word").output_text
print(answer)
`,
  },
  {
    rule: 'AI-604',
    bad: `
from markupsafe import Markup
Markup(client.responses.create(model="m", input="Hi").output_text)
---
@app.get("/a")
def a():
    return "<p>" + client.responses.create(model="m", input="Hi").output_text
---
from django.http import HttpResponse
def view(request):
    return HttpResponse(client.responses.create(model="m", input="Hi").output_text)
`,
    good: `
from flask import jsonify
@app.get("/a")
def a():
    return jsonify(text=client.responses.create(model="m", input="Hi").output_text)
---
@app.post("/a")
def a():
    return {"text": client.responses.create(model="m", input="Hi").output_text}
---
@app.post("/a")
def a():
    answer = [client.responses.create(model="m", input="Hi").output_text]
    return answer, 200
---
@app.post("/a")
def a():
    return dict(text=client.responses.create(model="m", input="Hi").output_text)
---
from markupsafe import escape
@app.get("/a")
def a():
    return "<p>" + escape(client.responses.create(model="m", input="Hi").output_text)
---
from django.http import HttpResponse
def view(request):
    return HttpResponse(client.responses.create(model="m", input="Hi").output_text, content_type="text/plain")
`,
  },
  {
    rule: 'AI-605',
    bad: `
from langchain_community.tools import ShellTool
ShellTool()
---
from langchain_experimental.tools import PythonREPLTool
tools = [PythonREPLTool()]
---
from langchain.agents import load_tools
load_tools(["terminal", "llm-math"])
---
from langchain_experimental.agents import create_pandas_dataframe_agent
create_pandas_dataframe_agent(None, None, allow_dangerous_code=True)
---
from autogen import UserProxyAgent
UserProxyAgent("a", code_execution_config={"use_docker": False})
`,
    good: `
from langchain_community.tools import ShellTool
ShellTool(ask_human_input=True)
---
from langchain.agents import load_tools
load_tools(["llm-math"])
---
from autogen import UserProxyAgent
UserProxyAgent("a", code_execution_config={"use_docker": True})
---
class ShellTool:
    pass
ShellTool()
`,
  },
  {
    rule: 'AI-606',
    bad: `
from transformers import AutoModel
AutoModel.from_pretrained("org/model", trust_remote_code=True)
---
from transformers import pipeline
pipeline("text", trust_remote_code=True)
---
from transformers import AutoTokenizer
AutoTokenizer.from_pretrained("org/model")
---
from datasets import load_dataset
load_dataset("org/data")
---
import torch
torch.hub.load("org/repo", "model")
---
from huggingface_hub import hf_hub_download
hf_hub_download(repo_id="org/model", filename="a.bin")
`,
    good: `
from transformers import AutoModel
AutoModel.from_pretrained("org/model", revision="0123abc")
---
from transformers import AutoModel
AutoModel.from_pretrained("./model")
---
from transformers import AutoModel
def model(path):
    return AutoModel.from_pretrained(path)
---
from datasets import load_dataset
load_dataset("csv", data_files="a.csv")
---
import torch
torch.hub.load("org/repo:v1.0", "model")
`,
  },
  {
    rule: 'AI-607',
    bad: `
for row in range(3):
    client.responses.create(model="m", input="Hi")
---
while True:
    client.chat.completions.create(model="m", messages=[])
---
import litellm
def label(rows):
    for row in rows:
        litellm.completion(model="m", messages=[])
`,
    good: `
for row in range(3):
    client.responses.create(model="m", input="Hi", max_output_tokens=20)
---
client.responses.create(model="m", input="Hi")
---
def label(rows, options):
    for row in rows:
        client.responses.create(model="m", input="Hi", **options)
`,
  },
  {
    rule: 'AI-608',
    bad: `
def ask(password):
    client.responses.create(model="m", input=f"Log in with {password}")
---
import os
client.responses.create(model="m", input="Use " + os.environ["API_KEY"])
---
def ask(user):
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Use " + user.api_key}])
`,
    good: `
def ask(task):
    client.responses.create(model="m", input=f"Do {task}")
---
import os
OpenAI(api_key=os.environ["OPENAI_API_KEY"]).responses.create(model="m", input="Hi")
---
def ask(password):
    client.responses.create(model="m", input="Is the password set? " + str(bool(password)))
`,
  },
]);
