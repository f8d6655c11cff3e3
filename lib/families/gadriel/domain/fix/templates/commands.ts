/** Templates that run a program without a shell, or evaluate without running code. */
import type { PyCall, PyExpr } from '../../../../../syntax/python.types.ts';
import { importName, type Imported } from './add-import.ts';
import { argumentOf, positionalOf, removeKeyword } from './call-arguments.ts';
import { builtString, literalOf, wrapValues, type Piece } from './built-string.ts';
import type { PythonCode } from './python-code.ts';
import { decline, type PythonTemplate, type TemplateFix, type TemplateTable } from './template.types.ts';

const rationale = 'The program gets its arguments as a list, so that no shell reads them. Review: a value that held several words is one argument now.';
const needsShell = 'The command needs a shell (pipes, patterns, redirections, variables), or its program is not fixed.';

/** What a shell takes as plain words. */
const plainWord = /^[\w@%+=:,./-]$/;

/**
 * A shell command as Python expressions of its words; undefined where a shell does more with it than split it at blanks and
 * take off quotes.
 */
export function shellWords(code: PythonCode, pieces: readonly Piece[]): string[] | undefined {
  const words: Piece[][] = [];
  let word: Piece[] | undefined;
  let quote = '';
  const put = (piece: Piece): void => {
    const last = word?.at(-1);
    if (piece.kind === 'text' && last?.kind === 'text') word![word!.length - 1] = { kind: 'text', text: last.text + piece.text };
    else (word ??= []).push(piece);
  };
  const close = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  for (const piece of pieces) {
    if (piece.kind === 'value') {
      put(piece);
      continue;
    }
    for (const character of piece.text) {
      if (quote === '' && (character === ' ' || character === '\t')) close();
      else if (character === quote) quote = '';
      else if (quote === '' && (character === '"' || character === "'")) {
        quote = character;
        word ??= [];
      } else if (plainWord.test(character) || (quote !== '' && character === ' ')) put({ kind: 'text', text: character });
      else return undefined;
    }
  }
  close();
  const [program] = words;
  const fixed = program?.length === 1 && program[0]!.kind === 'text' && !program[0]!.text.includes('=');
  return quote === '' && fixed ? words.map((each) => wordSource(code, each)).filter((each) => each !== undefined).length === words.length
    ? words.map((each) => wordSource(code, each)!) : undefined : undefined;
}

function wordSource(code: PythonCode, word: readonly Piece[]): string | undefined {
  const [first] = word;
  if (word.length === 0) return '""';
  if (word.length === 1 && first?.kind === 'text') return literalOf(code, first.text);
  if (word.length === 1 && first?.kind === 'value') return first.isText ? code.source(first.value) : `str(${code.source(first.value)})`;
  const parts = word.map((piece) => (piece.kind === 'text' ? piece.text : `{${code.source(piece.value)}}`));
  return word.some((piece) => piece.kind === 'value' && /["\\\n{}]/.test(code.source(piece.value))) ? undefined : `f"${parts.join('')}"`;
}

function wordsOf(code: PythonCode, argument: PyExpr | undefined): { readonly words: readonly string[]; readonly node: PyExpr } | undefined {
  const built = argument === undefined ? undefined : builtString(code, argument);
  const words = built === undefined ? undefined : shellWords(code, built.pieces);
  return built === undefined || words === undefined ? undefined : { words, node: built.node };
}

/** A command line for a shell becomes a list, and the shell goes. */
const withoutShell: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const argument = call === undefined ? undefined : argumentOf(call, 0, 'args')?.value;
  const found = wordsOf(code, argument);
  const shell = call === undefined ? undefined : removeKeyword(code, call, 'shell');
  if (found === undefined || shell === undefined) return decline(needsShell);
  return { edits: [{ start: found.node.start, end: found.node.end, text: `[${found.words.join(', ')}]` }, shell], rationale };
};

/** os.system, os.popen and getoutput by subprocess.run, whose result is read where the old one was. */
const systemCall: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const name = call === undefined ? undefined : code.nameOf(call.func);
  const argument = call === undefined ? undefined : positionalOf(call, 0)?.value;
  const found = wordsOf(code, argument);
  if (call === undefined || found === undefined || argument === undefined || call.args.length !== 1) return decline(needsShell);
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
    : { edits: [...imported.edits, ...assigned, run], rationale };
};

function runForm(
  code: PythonCode, call: PyCall, name: string | undefined, { name: module }: Imported, list: string,
): { start: number; end: number; text: string } | undefined {
  const parent = code.parentOf(call);
  if (name === 'os.system') {
    const alone = parent?.type === 'Expr';
    return { start: call.start, end: call.end, text: alone ? `${module}.run(${list}, check=True)` : `${module}.run(${list}, check=False).returncode` };
  }
  const read = parent?.type === 'Attribute' && parent.attr === 'read' ? code.parentOf(parent) : undefined;
  const wanted = name === 'os.popen' && read?.type === 'Call' && read.args.length === 0 ? read : /^subprocess\.getoutput$/.test(name ?? '') ? call : undefined;
  return wanted === undefined ? undefined
    : { start: wanted.start, end: wanted.end, text: `${module}.run(${list}, check=False, capture_output=True, text=True).stdout` };
}

/** The words of the command become arguments of the call, since create_subprocess_exec takes no list. */
const asyncShell: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  if (call?.func.type !== 'Attribute' || call.func.attr !== 'create_subprocess_shell') return systemCall(code, finding);
  const argument = positionalOf(call, 0)?.value;
  const found = wordsOf(code, argument);
  if (found === undefined || argument !== found.node) return decline(needsShell);
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
  const [, option, script, ...rest] = argv?.type === 'List' ? argv.elements : [];
  const found = option?.type === 'Constant' && option.value === '-c' && rest.length === 0 ? wordsOf(code, script) : undefined;
  if (argv === undefined || found === undefined || found.node !== script) return decline(needsShell);
  return { edits: [{ start: argv.start, end: argv.end, text: `[${found.words.join(', ')}]` }], rationale };
};

/** A command for another computer stays a text, its values quoted for the shell there. */
const remoteCommand: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const argument = call === undefined ? undefined : positionalOf(call, 0)?.value;
  const built = argument === undefined ? undefined : builtString(code, argument);
  const imported = importName(code, 'shlex');
  if (built === undefined || imported === undefined || built.pieces.some((piece) => piece.kind === 'text' && /['"]/.test(piece.text))) {
    return decline('The command is not put together here, or it has quotes of its own.');
  }
  return {
    edits: [...imported.edits, ...wrapValues(code, built, (source, isText) => `${imported.name}.quote(${isText ? source : `str(${source})`})`)],
    rationale: 'The value is quoted, so that the shell on the other side takes it as one word.',
  };
};

/** eval of data by ast.literal_eval; names for globals or locals show that it is no data. */
const literalEval: PythonTemplate = (code, finding): TemplateFix => {
  const call = code.callAt(finding);
  if (call === undefined || call.func.type !== 'Name' || code.nameOf(call.func) !== 'eval' || call.args.length !== 1 || call.args[0]!.kind !== 'positional') {
    return decline('What the text means can only be told by a person.');
  }
  const imported = importName(code, 'ast', 'literal_eval');
  const module = importName(code, 'ast');
  const chosen = imported?.edits.length === 0 ? imported : module;
  if (chosen === undefined) return decline('The name ast means something else here.');
  return {
    edits: [...chosen.edits, { start: call.func.start, end: call.func.end, text: chosen === imported ? chosen.name : `${chosen.name}.literal_eval` }],
    rationale: 'literal_eval reads numbers, texts, lists and dicts, and runs no code. Review: expressions with names or operators are refused.',
  };
};

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
