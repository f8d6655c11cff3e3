import { describeRules } from './rule-table.ts';

describeRules('import os\nimport subprocess\nfrom flask import request\n', [
  {
    rule: 'L3-001',
    bad: `
import _xxsubinterpreters
_xxsubinterpreters.run_string(1, request.args["x"])
---
exec(request.form["code"])
---
def run(text):
    exec(text)
---
import builtins
builtins.exec("x = " + request.args["x"])
---
import code
def shell():
    code.InteractiveConsole().push(request.args["line"])
---
def build(name):
    exec(f"class {name}: pass", {})
---
source = request.get_data(as_text=True)
tree = compile(source, "<string>", "exec")
exec(tree)
`,
    good: `
import _xxsubinterpreters
_xxsubinterpreters.run_string(1, "print(1)")
---
exec("x = 1")
---
import ast
ast.literal_eval(request.args["x"])
---
import re
re.compile("a+").match(request.args["x"])
---
class Job:
    def exec(self, text):
        return text
Job().exec(request.args["x"])
---
def evaluate(frame, text):
    exec(text, frame.f_globals, frame.f_locals)
---
def step(cursor, value):
    cursor.exec(value)
`,
  },
  {
    rule: 'L3-002',
    bad: `
eval(request.args["x"])
---
def total(expression):
    return eval(expression)
---
value = eval("1 + " + input())
---
import pandas as pd
def pick():
    frame = pd.read_csv("a.csv")
    return frame.query(request.args["q"]).shape[0]
---
import pandas
pandas.eval(request.args["x"])
---
def sandboxed(text):
    return eval(text, {"__builtins__": {}})
`,
    good: `
eval("1 + 1")
---
def score(model):
    model.eval()
---
import ast
value = ast.literal_eval(request.args["x"])
---
value = int(request.args["x"])
eval(f"{value} + 1")
---
import pandas
frame = pandas.read_csv("a.csv")
frame.query("price > 3")
---
def evaluate(self, arg):
    return eval(arg, self.frame.f_globals, self.frame.f_locals)
`,
  },
  {
    rule: 'L3-003',
    bad: `
os.system("ping " + request.args["host"])
---
def ping(host):
    os.popen("ping -c 1 %s" % host)
---
from os import system as run
run("cat {}".format(request.args["file"]))
---
def start(command):
    os.system(command)
---
import pty
pty.spawn(request.args["shell"])
---
import commands
def version(tool):
    return commands.getoutput(tool + " --version")
---
from airflow.operators.bash import BashOperator
def task(name):
    return BashOperator(task_id="a", bash_command="echo " + name)
`,
    good: `
os.system("clear")
---
import shlex
os.system("ping " + shlex.quote(request.args["host"]))
---
COMMAND = "ls"
os.system(COMMAND + " -l")
---
count = int(request.args["n"])
os.system(f"head -n {count} log.txt")
---
TOOLS = {"a": "ls", "b": "df"}
tool = request.args["tool"]
if tool in ("ls", "df"):
    os.system(tool)
---
class Game:
    def system(self, name):
        return name
Game().system(request.args["x"])
`,
  },
  {
    rule: 'L3-004',
    bad: `
import asyncio
async def show():
    await asyncio.create_subprocess_exec("bash", ["bash", "-c", request.args["script"]])
---
import asyncio
async def show():
    await asyncio.create_subprocess_exec("bash", ["-c", request.args["script"]])
---
subprocess.run(["bash", "-c", "cat " + request.args["x"]])
---
def show(name):
    subprocess.check_output(["/bin/sh", "-c", f"ls {name}"])
---
def show(name):
    subprocess.Popen(["cmd.exe", "/c", "dir " + name])
---
def show(script):
    subprocess.call(["sudo", "bash", "-lc", script])
---
import asyncio
async def show(name):
    await asyncio.create_subprocess_exec("sh", "-c", "ls " + name)
---
subprocess.run(["python3", "-c", request.args["code"]])
`,
    good: `
subprocess.run(["bash", "-c", "ls -l | wc"])
---
def show(name):
    subprocess.run(["bash", "-c", 'cat -- "$1"', "show", name])
---
def show(name):
    subprocess.run(["bash", "script.sh", name])
---
def grep(pattern):
    subprocess.run(["grep", "-c", pattern, "file"])
---
def compileall(flag):
    subprocess.run(["python3", "-c", "import sys", flag])
`,
  },
  {
    rule: 'L3-005',
    bad: `
os.spawnl(os.P_WAIT, "/bin/sh", "-c", request.args["script"])
---
os.spawnve(os.P_WAIT, "/bin/sh", ["-c", "ls " + request.args["folder"]], os.environ)
---
os.execvp(request.args["tool"], ["tool"])
---
os.spawnl(os.P_WAIT, request.args["tool"], "tool")
---
def show(name):
    os.execl("/bin/sh", "sh", "-c", "ls " + name)
---
def show(name):
    os.spawnvp(os.P_NOWAIT, "bash", ["bash", "-c", "ls " + name])
---
os.posix_spawn(request.form["tool"], ["x"], os.environ)
`,
    good: `
os.spawnl(os.P_WAIT, "/bin/sh", "-c", "ls")
---
os.execvp("ls", ["ls", request.args["folder"]])
---
os.execl("/usr/bin/env", "env")
---
import sys
os.execv(sys.executable, [sys.executable] + sys.argv)
---
def show(path):
    os.spawnl(os.P_WAIT, "/bin/ls", "ls", path)
`,
  },
  {
    rule: 'L3-006',
    bad: `
subprocess.run(["git", "log", request.args["branch"]])
---
subprocess.run(["git", "-c", request.args["setting"], "status"])
---
subprocess.run(["tar", "-xf", "a.tar", "-I", request.args["program"]])
---
subprocess.run(["ssh", "-o", "ProxyCommand=" + request.args["command"], "host"])
---
subprocess.run(["git", "-c", "core.sshCommand=" + request.args["command"], "fetch"])
---
subprocess.run(["sed", "--expression", request.args["script"], "a"])
---
subprocess.run(["git", "-c", "include.path=" + request.args["path"], "log"])
---
subprocess.run(["git", "checkout", request.args["branch"]])
---
subprocess.run(["git", "clone", "--config=filter.x.smudge=" + request.args["program"], "a"])
---
subprocess.run(["tar", "-cf", "x", "y", "--checkpoint-action", "exec=" + request.args["command"]])
---
subprocess.run(["git", "clone", "-u", "/opt/" + request.args["program"], "x"])
---
subprocess.run(["curl", "-s", request.args["url"]])
---
subprocess.run(["curl", "--silent", request.args["url"]])
---
subprocess.run(["sort", "-u", request.args["file"]])
---
subprocess.run(["git", "clone", "--upload-pack=" + request.args["program"], "--", "a"])
---
subprocess.check_output([request.args["tool"], "-v"])
---
subprocess.call(request.args["command"])
---
host = request.args["host"]
subprocess.Popen(["tar", "-x", "1", host])
---
import asyncio
async def log():
    await asyncio.create_subprocess_exec("git", "log", request.args["branch"])
---
import shlex
subprocess.run(shlex.split("convert " + request.args["size"]))
`,
    good: `
subprocess.run(["git", "-c", "user.name=" + request.args["name"], "status"])
---
subprocess.run(["tar", "-xf", "a.tar", "-C", request.args["folder"]])
---
subprocess.run(["tar", "xzf", request.args["archive"]])
---
subprocess.run(["tar", "-xzf", request.args["archive"]])
---
subprocess.run(["git", "switch", "-c", request.args["branch"]])
---
subprocess.run(["find", ".", "-name", request.args["name"]])
---
subprocess.run(["java", "-jar", request.args["jar"]])
---
subprocess.run(["wc", "-l", request.args["file"]])
---
subprocess.run(["curl", "-s", "--json", request.args["data"], "http://example.org"])
---
subprocess.run(["useradd", "--comment", request.args["name"], "joe"])
---
subprocess.run(["git", "clone", f'-cuser.name={request.args["name"]}', "--", "x"])
---
subprocess.run(["git", "clone", f'--config=user.email={request.args["name"]}', "--", "x"])
---
subprocess.run(["git", "checkout", "--orphan", request.args["branch"]])
---
subprocess.run(["git", "clone", "-c", "user.name=" + request.args["name"], "--", "x"])
---
subprocess.run(["pgrep", "-d", request.args["between"], "x"])
---
subprocess.run(["curl", "-o", request.args["name"], "http://example.org"])
---
subprocess.run(["/bin/ping", "-c", "1", request.args["host"]])
---
subprocess.run(["git", "log", "--", request.args["branch"]])
---
subprocess.run(["git", "log", "--author=" + request.args["name"]])
---
import sys
subprocess.run(["git", sys.argv[1]])
---
branch = request.args["branch"]
if branch.isalnum():
    subprocess.run(["git", "log", branch])
---
def log(branch):
    subprocess.run(["git", "log", branch])
---
subprocess.run(["convert", "-o", request.args["name"]])
`,
  },
  {
    rule: 'L3-007',
    bad: `
import paramiko
def restart(name):
    client = paramiko.SSHClient()
    client.exec_command("systemctl restart " + name)
---
def restart(client, name):
    client.exec_command(f"systemctl restart {name}")
---
from fabric import Connection
def restart(name):
    Connection("web").sudo("systemctl restart %s" % name)
---
from invoke import run
def build(target):
    run("make {}".format(target))
---
from fabric.api import local
local("ls " + request.args["x"])
`,
    good: `
import paramiko
def restart():
    client = paramiko.SSHClient()
    client.exec_command("systemctl restart web")
---
import shlex
def restart(client, name):
    client.exec_command("systemctl restart " + shlex.quote(name))
---
def restart(client, command):
    client.exec_command(command)
---
from fabric import Connection
Connection("web").run("uptime")
`,
  },
  {
    rule: 'L3-008',
    bad: `
import asyncio
async def ping(host):
    await asyncio.create_subprocess_shell("ping " + host)
---
def ping(host):
    return subprocess.getoutput(f"ping {host}")
---
from subprocess import getstatusoutput
getstatusoutput("ping " + request.args["host"])
`,
    good: `
import asyncio
async def ping(host):
    await asyncio.create_subprocess_exec("ping", "--", host)
---
subprocess.getoutput("uptime")
---
import asyncio
asyncio.create_subprocess_shell("uptime")
`,
  },
  {
    rule: 'L3-009',
    bad: `
os.system("tar cf all.tar *")
---
subprocess.Popen("/bin/chown root *", shell=True)
---
subprocess.call("chmod 644 * ; ls", shell=True)
---
os.popen("cd /x && rsync -a * host:")
`,
    good: `
os.system("tar cf all.tar ./*")
---
subprocess.Popen(["/bin/chown", "root", "*"])
---
os.system("ls *")
---
subprocess.call("chown root /srv/*", shell=True)
`,
  },
  {
    rule: 'L3-017',
    bad: `
subprocess.run(["convert", "-v", request.args["name"]], shell=True)
---
subprocess.run("git checkout " + request.args["x"], shell=True)
---
def run(command):
    subprocess.Popen(command, shell=1)
---
options = {"shell": True}
def run(name):
    subprocess.check_call("ls " + name, **options)
---
SHELL = True
def run(name):
    subprocess.check_output(f"ls {name}", shell=SHELL)
---
from subprocess import *
def run(name):
    call("ls %s" % name, shell=True)
---
def run(args):
    subprocess.run(" ".join(args), shell=True)
---
def run(shell):
    subprocess.run("ls " + request.args["x"], shell=shell)
---
class Tool:
    def __init__(self, name):
        self.name = name
    def run(self):
        return subprocess.run("ls " + self.name, shell=True)
`,
    good: `
import shlex
subprocess.run(["convert", shlex.quote(request.args["name"])], shell=True)
---
def convert(name):
    subprocess.run(["convert", name], shell=True)
---
subprocess.run("ls -l | wc", shell=True)
---
def run(name):
    subprocess.run(["ls", name], shell=False)
---
def run(name):
    subprocess.run(["ls", name])
---
import shlex
def run(name):
    subprocess.run("ls " + shlex.quote(name), shell=True)
---
def run(pool, name):
    pool.run("ls " + name, shell=True)
---
def run(flag):
    command = "ls" if flag else "df"
    subprocess.run(command, shell=True)
---
OPTIONS = ["-l", "-a"]
subprocess.run("ls " + " ".join(OPTIONS), shell=True)
`,
  },
]);
