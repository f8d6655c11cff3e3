/** Templates that run a program without a shell, or evaluate without running code. */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import { importName, type Imported } from '../code/add-import.ts';
import { builtString, wrapValues } from '../code/built-string.ts';
import { argumentOf, keywordOf, positionalOf, removeKeyword } from '../code/call-arguments.ts';
import { programName, readWords, valueMark } from '../../../program-options.ts';
import { whyNoList } from './programs.ts';
import type { PyNode, PythonCode } from '../code/python-code.ts';
import { functionAround, nodesIn, valuesOf } from '../code/scopes.ts';
import { wordsOf } from './shell-words.ts';
import { decline, type PythonTemplate, type TemplateFix, type TemplateTable } from '../template.types.ts';
import { shellValues, valueKind } from '../code/value-kind.ts';

const rationale = 'The program gets its arguments as a list, so that no shell reads them. '
  + 'Review: a value is one argument now, also where it was empty, held several words, ~ or *; a program that is missing raises FileNotFoundError.';
const elsewhere = 'The program to run is, or may be, named by executable, which would read the list as it likes.';
const chosenPlace = 'The folder or the environment that it runs in comes from outside, and git and others do what those say.';
const needsShell = 'The command needs a shell, or it is not put together here.';

/** A command line for a shell becomes a list, and the shell goes. */
const withoutShell: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const found = wordsOf(code, call === undefined ? undefined : argumentOf(call, 0, 'args')?.value);
  if (call === undefined || 'why' in found) return decline('why' in found ? found.why : needsShell);
  if (namesProgram(call)) return decline(elsewhere);
  if (isElsewhere(code, call)) return decline(chosenPlace);
  const shell = removeKeyword(code, call, 'shell');
  return shell === undefined ? decline(needsShell)
    : { edits: [{ start: found.node.start, end: found.node.end, text: `[${found.words.join(', ')}]` }, shell], rationale };
};

/** Whether `executable` is given: as a keyword, in `**options`, or by its place behind the buffer size. */
const namesProgram = (call: PyCall): boolean =>
  keywordOf(call, 'executable') !== undefined || call.args.some(({ kind }) => kind === 'doublestar' || kind === 'star') || positionalOf(call, 2) !== undefined;

/** Whether `cwd` or `env` holds something that shows to come from a request, the command line or a prompt. */
function isElsewhere(code: PythonCode, call: PyCall): boolean {
  const isOutside = (value: PyExpr, depth = 0): boolean => /\brequest\b|\bargv\b|\binput\(/.test(code.source(value))
    || (depth < 6 && nodesIn(code, undefined).some((node) => node.type === 'Name' && node.start >= value.start && node.end <= value.end && valuesOf(code, node)?.some((each) => isOutside(each, depth + 1)) === true));
  return ['cwd', 'env'].some((name) => {
    const given = keywordOf(call, name);
    return given !== undefined && isOutside(given.value);
  });
}

/** os.system, os.popen and getoutput by subprocess.run, whose result is read where the old one was. */
const systemCall: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const name = call === undefined ? undefined : code.nameOf(call.func);
  const argument = call === undefined ? undefined : positionalOf(call, 0)?.value;
  const found = wordsOf(code, argument);
  if ('why' in found) return decline(found.why);
  if (call === undefined || argument === undefined || call.args.length !== 1) return decline(needsShell);
  const imported = importName(code, 'subprocess');
  if (imported === undefined) return decline('The name subprocess means something else here.');
  const list = `[${found.words.join(', ')}]`;
  // Where the text was a variable's, the variable becomes the list.
  const held = found.node !== argument;
  const given = held ? code.source(argument) : list;
  const assigned = held ? [{ start: found.node.start, end: found.node.end, text: list }] : [];
  const run = runForm(code, call, name, imported, given);
  return run === undefined
    ? decline('What the call returns is used in a way that has no simple twin.')
    : { edits: [...imported.edits, ...assigned, run], rationale: name === 'subprocess.getoutput' ? `${rationale} It needs Python 3.9 (removesuffix).` : rationale };
};

function runForm(
  code: PythonCode, call: PyCall, name: string | undefined, { name: module }: Imported, list: string,
): { start: number; end: number; text: string } | undefined {
  const parent = code.parentOf(call);
  if (name === 'os.system') {
    // Who did not ask how it went goes on, as before.
    if (parent?.type === 'Expr') return { start: call.start, end: call.end, text: `${module}.run(${list}, check=False)` };
    // os.system gives a wait status, 256 times the exit code: the two agree only on what is zero.
    return tellsZeroOnly(code, call) ? { start: call.start, end: call.end, text: `${module}.run(${list}, check=False).returncode` } : undefined;
  }
  if (name === 'subprocess.getoutput') {
    // It gives both streams, less the last line end.
    const text = `${module}.run(${list}, check=False, stdout=${module}.PIPE, stderr=${module}.STDOUT, text=True).stdout.removesuffix("\\n")`;
    return { start: call.start, end: call.end, text };
  }
  const read = parent?.type === 'Attribute' && parent.attr === 'read' ? code.parentOf(parent) : undefined;
  // What the program says of errors still goes where it went.
  return name !== 'os.popen' || read?.type !== 'Call' || read.args.length > 0 ? undefined
    : { start: read.start, end: read.end, text: `${module}.run(${list}, check=False, stdout=${module}.PIPE, text=True).stdout` };
}

/** Whether all that is asked of a value is if it is zero; a variable is followed to its uses. */
function tellsZeroOnly(code: PythonCode, node: PyExpr, depth = 0): boolean {
  const parent = code.parentOf(node);
  switch (parent?.type) {
    case 'If': case 'While': case 'Assert': return parent.test === node;
    case 'IfExp': return parent.test === node;
    case 'UnaryOp': return parent.op === 'not';
    case 'BoolOp': return tellsZeroOnly(code, parent, depth);
    case 'Compare': return parent.ops.length === 1 && /^[=!]=$/.test(parent.ops[0]!) && [parent.left, parent.comparators[0]].some((side) => side !== node && isZero(side));
    case 'Assign': {
      const [target] = parent.targets;
      if (depth > 0 || parent.targets.length !== 1 || target?.type !== 'Name') return false;
      const scope = functionAround(code, parent);
      // A variable of the module may be read from elsewhere.
      const uses = nodesIn(code, scope).filter((each): each is PyExpr => each.type === 'Name' && each.id === target.id && each !== target);
      return scope !== undefined && uses.length > 0 && uses.every((use) => tellsZeroOnly(code, use, depth + 1));
    }
    default: return false;
  }
}

const isZero = (side: PyExpr | undefined): boolean => side?.type === 'Constant' && side.kind === 'int' && side.value === 0;

/** The words of the command become arguments of the call, since create_subprocess_exec takes no list. */
const asyncShell: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  if (call?.func.type !== 'Attribute' || call.func.attr !== 'create_subprocess_shell') return systemCall(code, finding);
  const argument = positionalOf(call, 0)?.value;
  const found = wordsOf(code, argument);
  if ('why' in found) return decline(found.why);
  if (namesProgram(call)) return decline(elsewhere);
  if (isElsewhere(code, call)) return decline(chosenPlace);
  // What stands behind the command is options of the call, and would become an argument of the program.
  if (argument !== found.node || positionalOf(call, 1) !== undefined) return decline(needsShell);
  return {
    edits: [
      { start: call.func.end - call.func.attr.length, end: call.func.end, text: 'create_subprocess_exec' },
      { start: argument.start, end: argument.end, text: found.words.join(', ') },
    ],
    rationale,
  };
};

/** `["bash", "-c", "cat " + name]` to the words themselves. */
const shellArgv: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const argv = call === undefined ? undefined : argumentOf(call, 0, 'args')?.value;
  const [program, option, script, ...rest] = argv?.type === 'List' ? argv.elements : [];
  const isShell = program?.type === 'Constant' && program.kind === 'str' && /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da|k)?sh$/.test(program.value);
  if (call === undefined || argv === undefined || !isShell || option?.type !== 'Constant' || option.value !== '-c' || rest.length > 0) return decline(needsShell);
  if (namesProgram(call) || keywordOf(call, 'shell') !== undefined) return decline(elsewhere);
  if (isElsewhere(code, call)) return decline(chosenPlace);
  const found = wordsOf(code, script);
  if ('why' in found) return decline(found.why);
  if (found.node !== script) return decline(needsShell);
  return { edits: [{ start: argv.start, end: argv.end, text: `[${found.words.join(', ')}]` }], rationale };
};

/** A command for another computer stays a text, its values quoted for the shell there. */
const remoteCommand: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const argument = call === undefined ? undefined : positionalOf(call, 0)?.value;
  const built = argument === undefined ? undefined : builtString(code, argument);
  const imported = importName(code, 'shlex');
  if (built === undefined || imported === undefined) return decline('The command is not put together here.');
  const written = built.pieces.map((piece) => (piece.kind === 'text' ? piece.text : valueMark)).join('').replace(/2>&1|\d?>\s*\/dev\/null\b/g, ' ');
  // Quotes, variables, comments, redirections: what a quoted value is there depends on more than its quotes.
  if (/[^\w\s@%+=:,./;&|()\0-]|\n/.test(written)) return decline('The command has quotes, variables, comments or redirections of its own.');
  const commands = written.split(/[;&|()]+/).map(commandWords).filter((words) => words.length > 0);
  if (commands.some(([program]) => program!.includes(valueMark))) return decline('The value is the program itself, or a setting of its environment.');
  // In a folder of somebody's choice git, whatever it is asked, and make do what that folder says.
  const goes = commands.some(([program, ...rest]) => program === 'cd' && rest.some((word) => word.includes(valueMark)));
  if (goes && commands.some((words) => words[0] !== 'cd' && (programName(words[0]!) === 'git' || readWords(words)?.program.mild !== true))) return decline('What the other commands do in a folder of any choice can only be told by a person.');
  const why = commands.map(whyNoRemote).find((each) => each !== undefined);
  if (why !== undefined) return decline(why);
  const edits = wrapValues(code, built, shellValues, (source, isText) => `${imported.name}.quote(${isText ? source : `str(${source})`})`);
  return edits === undefined ? decline('Whether a value is one word of the command or several is not sure.')
    : { edits: [...imported.edits, ...edits], rationale: 'The value is quoted, so that the shell on the other side takes it as one word.' };
};

/** The words of one of the commands of a line, without settings of the environment in front of it. */
function commandWords(text: string): readonly string[] {
  const words = text.trim().split(/\s+/).filter((word) => word !== '');
  const first = words.findIndex((word) => !/^\w+=[^\0]*$/.test(word));
  return first < 0 ? [] : words.slice(first);
}

/** Words of the shell are at home there: `cd` with any value, the others without. */
const whyNoRemote = (words: readonly string[]): string | undefined => {
  // A shell's own evaluate what they are given: a[$(command)] is a name to them.
  if (/^(?:test|printf)$/.test(words[0]!) && words.some((word) => word.includes(valueMark))) return `${words[0]} of a shell can run what is in a value.`;
  const isBuiltin = words[0] === 'cd' || (/^(?:export|umask|unset|exit)$/.test(words[0]!) && !words.some((word) => word.includes(valueMark)));
  return isBuiltin ? undefined : whyNoList(words, false);
};

/** What is read from a body, a file or a store is bytes more often than not, which eval takes and literal_eval does not. */
const mayBeBytes = /\.(?:data|body|content|raw|payload)$|\.(?:get|hget|lindex|lpop|rpop|pop|recv|read|get_data)\(/;
const isOfRequest = /\b(?:args|form|values|cookies|headers|GET|POST|environ|getenv)\b/;

/** Words in the names around an eval that say that it is there to calculate. */
const calculates = /calc|expr|formula|equation|math|code|lambda|func|rule|cond|predicate|script|compute|handler|cls|class|type|callback|hook|factory|strategy/i;

/** eval of data by ast.literal_eval; names for globals or locals show that it is no data, and so does text that is put together. */
const literalEval: PythonTemplate = (code, finding): TemplateFix => {
  const call = code.callAt(finding);
  if (call === undefined || call.func.type !== 'Name' || code.nameOf(call.func) !== 'eval' || call.args.length !== 1 || call.args[0]!.kind !== 'positional') {
    return decline('What the text means can only be told by a person.');
  }
  const argument = call.args[0]!.value;
  if (!isData(code, argument) || calculates.test(code.source(argument)) || calculates.test(nameOfFunction(functionAround(code, call)))) {
    return decline('The text is an expression to calculate and no data: what may be calculated can only be told by a person.');
  }
  const sources = (argument.type === 'Name' ? valuesOf(code, argument) ?? [] : [argument]).map((each) => code.source(each));
  if (sources.some((each) => mayBeBytes.test(each) && !isOfRequest.test(each) && !/\.(?:message|delta)\.content$/.test(each))) return decline('What is evaluated may be bytes, which literal_eval does not take: decode it first.');
  if (!isTriedFor(code, call)) return decline('The handlers around it wait for errors that literal_eval does not raise.');
  if (isUsedAsCode(code, call)) return decline('What the text names is called or looked into, which no literal can be.');
  const imported = importName(code, 'ast', 'literal_eval');
  const module = importName(code, 'ast');
  const chosen = imported?.edits.length === 0 ? imported : module;
  if (chosen === undefined) return decline('The name ast means something else here.');
  return {
    edits: [...chosen.edits, { start: call.func.start, end: call.func.end, text: chosen === imported ? chosen.name : `${chosen.name}.literal_eval` }],
    rationale: 'literal_eval reads numbers, texts, lists and dicts, and runs no code. Review: expressions with names or operators are refused, and before Python 3.10 text that begins with a blank.',
  };
};

/** Whether the `try` around, if there is one, takes ValueError too, which literal_eval raises where eval raised NameError. */
function isTriedFor(code: PythonCode, node: PyNode): boolean {
  for (let at: PyNode | undefined = node; at !== undefined && at.type !== 'FunctionDef'; at = code.parentOf(at)) {
    const parent = code.parentOf(at);
    if (parent?.type !== 'Try' || !parent.body.some((each) => each === at)) continue;
    return parent.handlers.length === 0 || parent.handlers.some(({ exception }) => exception === undefined || /\b(?:ValueError|Exception|BaseException)\b/.test(code.source(exception)));
  }
  return true;
}

/** Whether what comes out is called, has attributes read or is a class; a variable is followed to its uses. */
function isUsedAsCode(code: PythonCode, node: PyExpr, depth = 0): boolean {
  const parent = code.parentOf(node);
  switch (parent?.type) {
    case 'Call': {
      const named = code.source(parent.func);
      const place = parent.args.find(({ value }) => value === node);
      return parent.func === node || (/^(?:isinstance|issubclass)$/.test(named) && parent.args[0] !== place)
        || (/^(?:map|filter|(?:functools\.)?reduce)$/.test(named) && parent.args[0] === place) || (place?.kind === 'keyword' && /^(?:key|default|target|func)$/.test(place.name ?? ''));
    }
    case 'Attribute': return true;
    case 'Assign': {
      const [target] = parent.targets;
      if (depth > 0 || target?.type !== 'Name') return false;
      const uses = nodesIn(code, functionAround(code, parent)).filter((each): each is PyExpr => each.type === 'Name' && each.id === target.id && each !== target);
      return uses.some((use) => code.parentOf(use)?.type === 'Call' && isUsedAsCode(code, use, depth + 1));
    }
    default: return false;
  }
}

/** Whether a text is taken as it comes: put together or replaced in, it is an expression. */
const isData = (code: PythonCode, argument: PyExpr): boolean =>
  valueKind(code, argument, { sanitizers: /^$/, names: /^$/, keys: calculates, text: /[^\w\s.,[\]{}"':-]/, calls: 'unsure' }) !== 'unsure' && !isPutTogether(code, argument);

function isPutTogether(code: PythonCode, argument: PyExpr): boolean {
  const values = argument.type === 'Name' ? valuesOf(code, argument) ?? [] : [argument];
  return values.some(({ type }) => type === 'BinOp' || type === 'JoinedStr');
}

const nameOfFunction = (node: PyNode | undefined): string => (node?.type === 'FunctionDef' ? node.name : '');

/** Commands and evaluated code, by rule. */
export const commandTemplates: TemplateTable = {
  'CODE-W1-L3-002': literalEval,
  'CODE-W1-L3-003': systemCall,
  'CODE-W1-L3-004': shellArgv,
  'CODE-W1-L3-007': remoteCommand,
  'CODE-W1-L3-008': asyncShell,
  'CODE-W1-L3-017': withoutShell,
  'CODE-W1-AI-603': literalEval,
};
