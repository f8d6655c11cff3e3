/** Commands given to a shell: L3-003, 007, 008, 009 and 017. */
import type { CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { elementsOf, literalText, partsOf, truthOf } from '../analysis/values.ts';
import { reportExecution } from './code.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf, lastSegments } from './event-names.ts';
import { flowLevel, reportAudit, reportRule } from './report.ts';
import type { Rule, RuleSet } from './rule.types.ts';

const systemCommand = defineRule({
  id: 'CODE-W1-L3-003',
  cwe: 'CWE-78',
  severity: 'critical',
  confidence: 'high',
  title: 'Dynamic text reaches a system shell',
  message: '{what} becomes part of a shell command in {sink}.',
  remediation: 'Call subprocess.run with a list of arguments and no shell.',
  owasp: ['A03:2021'],
  why: 'os.system and os.popen hand their text to /bin/sh, where ; | $() and backquotes start more commands. '
    + 'An argument list given to subprocess.run is never parsed by a shell.',
  bad: 'import os\nfrom flask import request\n\ndef ping():\n    os.system("ping -c 1 " + request.args["host"])\n',
  good: 'import os\n\ndef ping():\n    os.system("ping -c 1 localhost")\n',
});

const remoteCommand = defineRule({
  id: 'CODE-W1-L3-007',
  cwe: 'CWE-78',
  severity: 'high',
  confidence: 'medium',
  title: 'Built text is run as a command on another machine',
  message: '{what} becomes part of a remote command in {sink}.',
  remediation: 'Quote every inserted value with shlex.quote, or send the value on standard input.',
  owasp: ['A03:2021'],
  why: 'exec_command, fabric and invoke give their text to the login shell of the other side. '
    + 'A value with a semicolon then runs a second command there, often as a privileged user.',
  bad: 'import paramiko\n\ndef restart(service):\n    client = paramiko.SSHClient()\n'
    + '    client.exec_command("systemctl restart " + service)\n',
  good: 'import shlex\nimport paramiko\n\ndef restart(service):\n    client = paramiko.SSHClient()\n'
    + '    client.exec_command("systemctl restart " + shlex.quote(service))\n',
});

const shellHelper = defineRule({
  id: 'CODE-W1-L3-008',
  cwe: 'CWE-78',
  severity: 'high',
  confidence: 'medium',
  title: 'A helper that always uses a shell is given dynamic text',
  message: '{what} becomes part of a shell command in {sink}.',
  remediation: 'Use create_subprocess_exec or subprocess.run with a list of arguments.',
  owasp: ['A03:2021'],
  why: 'create_subprocess_shell, getoutput and getstatusoutput have no form without a shell. '
    + 'Every value in their text can add commands.',
  bad: 'import asyncio\n\nasync def ping(host):\n    await asyncio.create_subprocess_shell(f"ping -c 1 {host}")\n',
  good: 'import asyncio\n\nasync def ping(host):\n    await asyncio.create_subprocess_exec("ping", "-c", "1", "--", host)\n',
});

const wildcard = defineRule({
  id: 'CODE-W1-L3-009',
  cwe: 'CWE-77',
  severity: 'medium',
  confidence: 'medium',
  title: 'Shell command with a bare wildcard',
  message: '{sink} lets a shell expand a wildcard for a command that reads file names as options.',
  remediation: 'Write ./* in place of *, or list the files in Python and pass them after "--".',
  owasp: ['A03:2021'],
  why: 'The shell replaces * by file names, and a file called "--checkpoint-action=exec=sh" is an option to tar. '
    + 'chown, chmod and rsync can be turned in the same way by whoever may create files in the folder.',
  bad: 'import os\n\ndef pack():\n    os.system("tar cf /backup/all.tar *")\n',
  good: 'import os\n\ndef pack():\n    os.system("tar cf /backup/all.tar ./*")\n',
});

/** L3-017, which the audit profile also reports for functions of unknown make. */
export const shellTrue: Rule = defineRule({
  id: 'CODE-W1-L3-017',
  cwe: 'CWE-78',
  severity: 'critical',
  confidence: 'high',
  title: 'subprocess call with shell=True and a dynamic command',
  message: '{what} becomes part of a command that {sink} gives to a shell.',
  remediation: 'Pass a list of arguments and drop shell=True.',
  owasp: ['A03:2021'],
  why: 'With a true shell argument the text goes to /bin/sh, where ; | $() and backquotes start more commands. '
    + 'The same call with a list of arguments needs no quoting at all.',
  bad: 'import subprocess\n\ndef checkout(branch):\n    subprocess.run("git checkout " + branch, shell=True)\n',
  good: 'import subprocess\n\ndef checkout():\n    subprocess.run(["git", "checkout", "main"])\n',
});

/** Text in, /bin/sh runs it. */
const systemNames = new Set([
  'os.system', 'os.popen', 'os.popen2', 'os.popen3', 'os.popen4', 'popen2.popen2', 'popen2.popen3', 'popen2.popen4', 'popen2.Popen3',
  'popen2.Popen4', 'commands.getoutput', 'commands.getstatusoutput', 'platform.popen',
]);
/** No shell of their own, but they start whatever program the text names. */
const startNames = new Set(['pty.spawn', 'pexpect.run', 'pexpect.spawn', 'pexpect.pxssh.pxssh().sendline']);
const operators = new Set(['airflow.operators.bash.BashOperator', 'airflow.operators.bash_operator.BashOperator']);
const helperNames = new Set([
  'asyncio.create_subprocess_shell', 'asyncio.subprocess.create_subprocess_shell', 'subprocess.getoutput', 'subprocess.getstatusoutput',
]);
/** The protocol factory comes first. */
const loopShell = /^asyncio\.\w+\(\)\.subprocess_shell$/;
/** The same on another machine, or through a task runner. */
const remoteNames = new Set([
  'paramiko.exec_command', 'paramiko.SSHClient().exec_command', 'paramiko.client.SSHClient().exec_command',
  'fabric.api.run', 'fabric.api.sudo', 'fabric.api.local',
  'fabric.operations.run', 'fabric.operations.sudo', 'fabric.operations.local', 'fabric.Connection().run', 'fabric.Connection().sudo',
  'fabric.Connection().local', 'fabric.connection.Connection().run', 'fabric.connection.Connection().sudo', 'invoke.run', 'invoke.sudo',
  'invoke.Context().run', 'invoke.context.Context().run', 'invoke.Context().sudo', 'invoke.task.Context().run', 'asyncssh.connect().run',
  'fabric.Group().run', 'fabric.SerialGroup().run', 'fabric.ThreadingGroup().run',
]);
/** eventlet and gevent offer the same functions under their own module. */
const subprocessName = /^(?:eventlet\.green\.|gevent\.|twisted\.)?subprocess(?:32)?\.(?:run|call|check_call|check_output|Popen)$/;

/** `subprocess.run` and its siblings, also of the modules that stand in for subprocess. */
export const isSubprocess = (name: string | undefined): boolean =>
  name !== undefined && name.includes('subprocess') && subprocessName.test(name);

/** The shell argument of a subprocess call: by keyword, or in ninth place. */
const shellOf = (event: CallEvent): Value | undefined => event.arg(8, 'shell');

/** Whether a subprocess call surely goes through a shell. */
export const usesShell = (event: CallEvent): boolean => truthOf(shellOf(event)) === true;

/** Commands for which file names that start with a dash have been used in attacks. */
const optionReaders = new Set(['chown', 'chmod', 'tar', 'rsync']);

/** A `*` that starts a word of a command which takes any word for an option. */
const hasBareWildcard = (command: Value | undefined): boolean => {
  const elements = elementsOf(command);
  const text = elements === undefined ? literalText(command, ' ') : elements.map((element) => literalText(element, ' ')).join(' ');
  if (text.length > 8192 || !text.includes('*')) return false;
  let reads = false;
  for (const word of text.split(/\s+/)) {
    if (/[|;&]/.test(word)) reads = false;
    else if (reads && word.startsWith('*')) return true;
    else if (optionReaders.has(word.slice(word.lastIndexOf('/') + 1))) reads = true;
  }
  return false;
};

const checkWildcard = (event: CallEvent, command: Value | undefined): void => {
  if (hasBareWildcard(command)) reportRule(event, wildcard);
};

/** With a shell and a list, the first element is the command and the others are the shell's own arguments. */
const commandOf = (event: CallEvent): Value | undefined => {
  const given = event.arg(0, 'args');
  return elementsOf(given)?.[0] ?? given;
};

/** On Windows a list given to a shell is joined to one command line; elsewhere it is hardly what was meant. */
const checkJoined = (event: CallEvent): void => {
  const later = elementsOf(event.arg(0, 'args'))?.slice(1).find((word) => flowLevel(word, 'shell') === 2);
  reportExecution(event, shellTrue, later, { kind: 'shell', severity: 'high', confidence: 'medium', low: true });
};

/** L3-003, L3-008, L3-009 and L3-017: a constant command is left alone but for its wildcards. */
const shellMatcher: Matcher = {
  calls: [
    ...lastSegments([...systemNames, ...helperNames, ...startNames, ...operators]), 'subprocess_shell',
    'run', 'call', 'check_call', 'check_output', 'Popen',
  ],
  onCall(event) {
    const name = calleeOf(event);
    if (isSubprocess(name)) {
      const shell = shellOf(event);
      if (shell === undefined || truthOf(shell) === false) return;
      const command = commandOf(event);
      if (truthOf(shell) === true) {
        checkWildcard(event, event.arg(0, 'args'));
        if (!reportExecution(event, shellTrue, command, { kind: 'shell', unknown: 'any', low: true })) checkJoined(event);
      } else if (flowLevel(command, 'shell') === 2) {
        reportExecution(event, shellTrue, command, { kind: 'shell', confidence: 'medium', low: true });
      }
    } else if (operators.has(name)) {
      reportExecution(event, systemCommand, event.arg(-1, 'bash_command'), { kind: 'shell', unknown: 'built', low: true });
    } else if (loopShell.test(name)) {
      reportExecution(event, shellHelper, event.arg(1, 'cmd'), { kind: 'shell', unknown: 'any', low: true });
    } else if (startNames.has(name)) {
      reportExecution(event, systemCommand, event.args[0], { kind: 'shell', severity: 'high' });
    } else if (systemNames.has(name) || helperNames.has(name)) {
      const command = event.arg(0, event.argNode(-1, 'command') ? 'command' : 'cmd');
      checkWildcard(event, command);
      reportExecution(event, systemNames.has(name) ? systemCommand : shellHelper, command, { kind: 'shell', unknown: 'any', low: true });
    }
  },
};

/** L3-007: only text put together, since commands often come whole out of a configuration. */
const remoteMatcher: Matcher = {
  calls: [...lastSegments(remoteNames), 'invoke_shell'],
  onCall(event) {
    if (event.last === 'invoke_shell') {
      if (calleeOf(event).startsWith('paramiko.')) reportAudit(event, remoteCommand);
      return;
    }
    const known = event.name !== undefined && remoteNames.has(event.name);
    if (!known && !(event.last === 'exec_command' && event.receiverUnknown)) return;
    const command = event.arg(0, 'command');
    // A client of unknown type counts only where the text is put together here.
    if (!known && partsOf(command).length < 2 && event.module.profile !== 'audit') return;
    reportExecution(event, remoteCommand, command, { kind: 'shell', unknown: 'built', low: true });
  },
};

/** L3-003, L3-007, L3-008, L3-009, L3-017. */
export const commandRules: RuleSet = {
  rules: [systemCommand, remoteCommand, shellHelper, wildcard, shellTrue],
  matchers: [shellMatcher, remoteMatcher],
};
