/** Programs started without a shell of Python's own: L3-004 (sh -c), L3-005 (exec, spawn), L3-006 (arguments). */
import type { CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { elementsOf, hasFlag, literalPrefix, stringOf } from '../analysis/values.ts';
import { reportExecution } from './code.ts';
import { readWords, runsItsWord, setsProgram, valueMark } from '../program-options.ts';
import { isSubprocess, usesShell } from './command.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf } from './event-names.ts';
import { flowLevel, reportAudit, reportFlow } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { nameText, textOf } from './value-facts.ts';

const shellArgument = defineRule({
  id: 'CODE-W1-L3-004',
  cwe: 'CWE-78',
  severity: 'high',
  confidence: 'high',
  title: 'Dynamic script text for sh -c',
  message: '{what} becomes part of the script that {sink} gives to an interpreter.',
  remediation: 'Start the program itself, or keep the script constant and pass values as its arguments ($1, $2).',
  owasp: ['A03:2021'],
  why: 'A list that starts with sh, bash or cmd and -c is a shell call in disguise: the next element is parsed as a script. '
    + 'Values given after the script arrive as $0, $1… and are not parsed.',
  bad: 'import subprocess\n\ndef show(name):\n    subprocess.run(["bash", "-c", "cat " + name])\n',
  good: 'import subprocess\n\ndef show(name):\n    subprocess.run(["bash", "-c", "cat -- \\"$1\\"", "show", name])\n',
});

const programChoice = defineRule({
  id: 'CODE-W1-L3-005',
  cwe: 'CWE-78',
  severity: 'high',
  confidence: 'high',
  title: 'os.exec or os.spawn of an untrusted program or through a shell',
  message: '{what} decides what {sink} starts.',
  remediation: 'Start a constant program and pass untrusted values only as its arguments.',
  owasp: ['A03:2021'],
  why: 'The first argument of the exec and spawn families is the program. '
    + 'Who chooses it, or the script of a shell started this way, runs code with the rights of the process.',
  bad: 'import os\nfrom flask import request\n\ndef start():\n    os.execvp(request.args["tool"], ["tool"])\n',
  good: 'import os\nfrom flask import request\n\ndef start():\n    os.execvp("ls", ["ls", "--", request.args["folder"]])\n',
});

const optionInjection = defineRule({
  id: 'CODE-W1-L3-006',
  cwe: 'CWE-88',
  severity: 'medium',
  confidence: 'medium',
  title: 'Untrusted argument that a program can take for an option',
  message: '{what} is passed by {sink} where the program expects options.',
  remediation: 'Put "--" before the value where the program takes it, or check it against a fixed set or pattern.',
  owasp: ['A03:2021'],
  why: 'Without a shell there are no extra commands. But a value that starts with "-" is an option, '
    + 'and options of git, curl, tar, find and others write files or start programs.',
  bad: 'import subprocess\nfrom flask import request\n\ndef log():\n    subprocess.run(["git", "log", request.args["branch"]])\n',
  good: 'import subprocess\nfrom flask import request\n\ndef log():\n    subprocess.run(["git", "log", "--", request.args["branch"]])\n',
});

const shells = new Set([
  'sh', 'bash', 'dash', 'zsh', 'ksh', 'csh', 'tcsh', 'fish', 'ash', 'cmd', 'cmd.exe', 'powershell', 'powershell.exe', 'pwsh',
]);
const interpreters = /^(?:python(?:[23](?:\.\d+)?)?|perl|ruby|node|php|env)$/;
/** -c, also bundled with other letters (-lc), and its relatives on Windows. */
const scriptFlag = /^(?:-[a-z]*c|\/c|\/k|-command)$/i;

const baseName = (text: string): string => text.slice(text.lastIndexOf('/') + 1);

/** The element after `-c` where the list starts a shell (also behind env, sudo), or an interpreter. */
const scriptOf = (words: readonly Value[]): { readonly script: Value; readonly shell: boolean } | undefined => {
  let shell: boolean | undefined;
  for (const [index, word] of words.entries()) {
    const text = stringOf(word);
    if (text === undefined) return undefined;
    const program = baseName(text).toLowerCase();
    if (shell === undefined) {
      if (shells.has(program)) shell = true;
      else if (interpreters.test(program) && program !== 'env') shell = false;
      else if (!['sudo', 'env', 'nohup', 'nice', 'timeout', 'busybox'].includes(program) && !text.startsWith('-') && !/^\d/.test(text))
        return undefined;
    } else if (scriptFlag.test(text) || (!shell && text === '-e')) {
      const script = words[index + 1];
      return script === undefined ? undefined : { script, shell };
    } else if (!text.startsWith('-') && !text.startsWith('/')) return undefined;
  }
  return undefined;
};

const checkScript = (event: CallEvent, words: readonly Value[], rule = shellArgument): boolean => {
  const found = scriptOf(words);
  if (found === undefined) return false;
  reportExecution(event, rule, found.script, { kind: 'shell', low: true, ...(found.shell ? { unknown: 'any' as const } : {}) });
  return true;
};

/** Words of options whose word is no operand, for programs that are not in the table: `-o VALUE`, `--out VALUE`, `-jar VALUE`. */
const anyOption = /^--?[a-zA-Z][\w-]*$/;

const checkArguments = (event: CallEvent, words: readonly Value[]): void => {
  const program = words[0];
  if (flowLevel(program, 'shell') === 2) {
    const low = nameText(program) === 'sys.argv[]';
    reportExecution(event, optionInjection, program, { kind: 'shell', cwe: 'CWE-78', severity: 'high', low });
    return;
  }
  const name = textOf(program);
  const reading = readWords(words.map((word) => stringOf(word) ?? `${literalPrefix(word)}${valueMark}`));
  if (reading?.program.mild === true) return;
  for (const [index, word] of words.entries()) {
    if (stringOf(word) === '--') return;
    if (index === 0 || flowLevel(word, 'shell') < 2 || hasFlag(word, 'low')) continue;
    const prefix = literalPrefix(word);
    const before = textOf(words[index - 1]);
    const role = reading?.roles[index];
    // What an option runs is as bad as the option; else its value is not read as one.
    // `-c user.name=VALUE` names its setting, and only some settings name programs.
    const runs = setsProgram(name, before, prefix)
      || (reading !== undefined ? role === 'runs' && !/^(?:-c|--config=)?[\w.-]+\.\w+=/.test(prefix) : runsItsWord(name, prefix === '' ? before : prefix));
    const isOption = prefix === '' && flowLevel(word, 'option') === 2 && (role === 'operand' || (role !== 'data' && !anyOption.test(before)));
    if (!runs && !isOption) continue;
    reportFlow(event, optionInjection, word, { kind: 'shell' });
    return;
  }
};

/** `create_subprocess_exec(program, [program, 'x'])`: a whole argument list in place of its elements. */
const unpacked = (args: readonly Value[]): readonly Value[] => {
  const [program, list] = args;
  const inner = args.length === 2 ? elementsOf(list) : undefined;
  return program === undefined || inner === undefined ? args : [program, ...inner.slice(scriptFlag.test(textOf(inner[0])) ? 0 : 1)];
};

/** L3-004 and L3-006 over argument lists; a call through a shell is L3-017. */
const argumentMatcher: Matcher = {
  calls: ['run', 'call', 'check_call', 'check_output', 'Popen', 'create_subprocess_exec', 'subprocess_exec'],
  onCall(event) {
    const name = calleeOf(event);
    const list = isSubprocess(name);
    const loop = /^asyncio\.\w+\(\)\.subprocess_exec$/.test(name);
    if (!list && !loop && !/^asyncio\.(?:subprocess\.)?create_subprocess_exec$/.test(name)) return;
    if (list && usesShell(event)) return;
    reportAudit(event, optionInjection);
    const given = list ? event.arg(0, 'args') : undefined;
    // An event loop's own method takes the protocol factory first.
    const words = list ? elementsOf(given) : unpacked(loop ? event.args.slice(1) : event.args);
    if (words !== undefined) {
      if (!checkScript(event, words)) checkArguments(event, words);
    } else if (given !== undefined && flowLevel(given, 'shell') === 2) {
      // The whole list, or the program as one string, is the attacker's.
      // One argument of the program itself, or text with it inside, is a command; a slice of the arguments is a wrapper's.
      const low = given.shape?.type === 'Built' || nameText(given) === 'sys.argv[]';
      if (event.arg(-1, 'shell') === undefined)
        reportExecution(event, optionInjection, given, { kind: 'shell', cwe: 'CWE-78', severity: 'high', low });
    }
  },
};

const families = /^(?:os|posix|nt)\.(exec|spawn|posix_spawn|startfile)/;
const execNames = [
  'execl', 'execle', 'execlp', 'execlpe', 'execv', 'execve', 'execvp', 'execvpe', 'spawnl', 'spawnle', 'spawnlp', 'spawnlpe', 'spawnv',
  'spawnve', 'spawnvp', 'spawnvpe', 'posix_spawn', 'posix_spawnp', 'startfile',
];

/** L3-005: the program, or the script of a shell started this way; other arguments are just data. */
const execMatcher: Matcher = {
  calls: execNames,
  onCall(event) {
    if (!families.test(calleeOf(event))) return;
    const first = event.last.startsWith('spawn') ? 1 : 0;
    const program = event.arg(first);
    if (program === undefined) return;
    const variadic = /^(?:exec|spawn)l/.test(event.last);
    const argv = variadic ? event.args.slice(first + 1) : elementsOf(event.arg(first + 1)) ?? [];
    // argv[0] is the program once more; a flag there means that it was forgotten.
    const ran = checkScript(event, [program, ...argv.slice(scriptFlag.test(textOf(argv[0])) ? 0 : 1)], programChoice);
    if (!ran) reportExecution(event, programChoice, program, { kind: 'shell', low: nameText(program) === 'sys.argv[]' });
  },
};

/** L3-004, L3-005, L3-006. */
export const processRules: RuleSet = { rules: [shellArgument, programChoice, optionInjection], matchers: [argumentMatcher, execMatcher] };
