/** Templates that turn one switch or number: the call stays as it is but for one argument. */
import type { PyExpr } from '../../../../../syntax/python.types.ts';
import { argumentOf, keywordOf, positionalOf, removeKeyword, setKeyword, setKeywords } from './call-arguments.ts';
import type { PythonCode } from './python-code.ts';
import { namesBoundBy, valuesOf } from './scopes.ts';
import { decline, type PythonTemplate, type TemplateFix, type TemplateTable } from './template.types.ts';

/** Replaces an expression. */
export const replaced = (node: PyExpr, text: string, rationale: string): TemplateFix => ({ edits: [{ start: node.start, end: node.end, text }], rationale });

/** Sets the first of the keywords that is given and has this value. */
const flip = (keywords: readonly string[], from: 'True' | 'False', rationale: string): PythonTemplate => (code, finding) => {
  const call = code.callAt(finding);
  if (call === undefined) return flipAssigned(code.statementAt(finding), from, rationale);
  const given = keywords.filter((name) => isWord(keywordOf(call, name)?.value, from));
  if (given.length === 0) return decline('The switch is not written in the call, so it has to be found by hand.');
  return { edits: given.map((name) => setKeyword(code, call, name, opposite(from))), rationale };
};

const opposite = (word: 'True' | 'False'): string => (word === 'True' ? 'False' : 'True');
const isWord = (value: PyExpr | undefined, word: 'True' | 'False'): boolean =>
  value?.type === 'Constant'
  && ((value.kind === 'bool' && value.value === (word === 'True')) || (value.kind === 'int' && value.value === (word === 'True' ? 1 : 0)));

function flipAssigned(statement: ReturnType<PythonCode['statementAt']>, from: 'True' | 'False', rationale: string): TemplateFix {
  const value = statement?.type === 'Assign' || statement?.type === 'AnnAssign' ? statement.value : undefined;
  return value !== undefined && isWord(value, from)
    ? replaced(value, opposite(from), rationale)
    : decline('The switch is not written here, so it has to be found by hand.');
}

/** Adds keywords to a call. One that takes `**options`, which may hold them, is no finding in the first place. */
const add = (given: Readonly<Record<string, string>>, rationale: string): PythonTemplate => (code, finding) => {
  const call = code.callAt(finding);
  if (call === undefined) return flipAssigned(code.statementAt(finding), 'False', rationale);
  return { edits: setKeywords(code, call, given), rationale };
};

/** Sets a number given by keyword or place; `keywords` names the place. */
const setNumber = (places: readonly (readonly [string, number])[], least: number, value: string, rationale: string): PythonTemplate => (code, finding) => {
  const call = code.callAt(finding);
  for (const [name, index] of call === undefined ? [] : places) {
    const argument = keywordOf(call!, name) ?? (index < 0 ? undefined : positionalOf(call!, index));
    if (argument?.value.type === 'Constant' && argument.value.kind === 'int' && argument.value.value < least) {
      return replaced(argument.value, value, rationale);
    }
  }
  return decline('The number is not written in the call.');
};

/**
 * Models that answer at once. Those that think first (o1, gpt-5) take another word, and count their thoughts, so that a limit
 * may leave no answer at all; what a name of one's own (Azure's) or one in a variable stands for is not known.
 */
const plainModels = /^(?:gpt-(?:3\.5-turbo|4|4-turbo|4o|4o-mini|4\.1|4\.1-mini|4\.1-nano)(?:-\d[\w-]{0,20}|-preview)?|chatgpt-4o-latest)$/;

/** The word for the limit differs from library to library, and from model to model. */
const noTokenLimit: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  if (call === undefined) return decline('The model is not called here.');
  const written = code.source(call.func);
  const [keyword, models] = /\bresponses\.create$/.test(written) ? ['max_output_tokens', plainModels]
    : /\b(?:chat\.completions\.create|ChatCompletion\.a?create)$/.test(written) || /^litellm\.a?completion$/.test(code.nameOf(call.func) ?? '') ? ['max_tokens', plainModels]
    : /\bmessages\.create$/.test(written) ? ['max_tokens', /^claude-[\w.-]+$/] : [];
  if (keyword === undefined || models === undefined) return decline('How this library limits its answers is not known here.');
  const model = keywordOf(call, 'model')?.value;
  // A variable tells the model where the file gives it one value, and no caller another.
  const isOnce = model?.type === 'Name' && code.nodes().filter((node) => namesBoundBy(node).includes(model.id)).length === 1;
  const name = model?.type === 'Name' && isOnce ? valuesOf(code, model)?.[0] : model;
  if (name?.type !== 'Constant' || name.kind !== 'str' || !models.test(name.value)) {
    return decline('Whether the model takes such a limit, and how much it needs for an answer, is not known here.');
  }
  return { edits: [setKeyword(code, call, keyword, '1024')], rationale: 'Limits how much one call in the loop may cost. Review: longer answers are cut off.' };
};

const dangerous = ['allow_dangerous_code', 'allow_dangerous_requests', 'allow_dangerous_deserialization', 'allow_dangerous_tools', 'allow_dangerous_execution', 'unsafe_mode'];
/** Tools of `load_tools` that ask one service or calculate: they are loaded without the switch as well. */
const mildTools = new Set(['arxiv', 'ddg-search', 'google-search', 'google-serper', 'llm-math', 'openweathermap-api', 'pubmed', 'serpapi', 'wikipedia', 'wolfram-alpha']);

/** What asks for a dangerous switch raises without it, so that it is taken away only where nothing needs it. */
const dangerousSwitch: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const given = call === undefined ? [] : dangerous.filter((name) => isWord(keywordOf(call, name)?.value, 'True'));
  if (call === undefined || given.length === 0) return decline('The switch is not written in the call, so it has to be found by hand.');
  const tools = /^langchain\w*\.(?:\w+\.)*load_tools$/.test(code.nameOf(call.func) ?? '') ? argumentOf(call, 0, 'tool_names')?.value : undefined;
  const mild = tools?.type === 'List' && tools.elements.every((each) => each.type === 'Constant' && each.kind === 'str' && mildTools.has(each.value));
  return mild && given.length === 1 ? { edits: [removeKeyword(code, call, given[0]!)!], rationale: 'None of these tools needs the dangerous switch.' }
    : decline('The call raises an error with the switch off: a person has to say whether what it loads or runs can be trusted, or do without it.');
};

/** The loaders of torch and numpy have a switch for plain data. */
const unsafeLoad: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const name = call === undefined ? undefined : code.nameOf(call.func);
  if (call === undefined) return decline('The data is not loaded by a call here.');
  if (name === 'torch.load') {
    return { edits: [setKeyword(code, call, 'weights_only', 'True')], rationale: 'Loads tensors only, so that no code in the file can run.' };
  }
  if (isWord(keywordOf(call, 'allow_pickle')?.value, 'True')) {
    return { edits: [setKeyword(code, call, 'allow_pickle', 'False')], rationale: 'Reads plain arrays only, so that no pickle in the file can run code.' };
  }
  return decline('Data of this kind can not be read safely; store it in another format.');
};

/** Models whose code is in transformers itself; any other may be there by the code of its repository alone. */
const builtInModels = new RegExp('^(?:(?:meta-llama|google-bert|FacebookAI|distilbert|openai-community|albert)/[\\w.-]+|openai/whisper-[\\w.-]+'
  + '|gpt2(?:-medium|-large|-xl)?|bert-base-[\\w-]+|distilbert-base-[\\w-]+|roberta-(?:base|large))$');

/** Without a pinned revision the finding would stay, and which one to pin is not ours to say. */
const remoteCode: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  if (call === undefined || keywordOf(call, 'revision') === undefined || !isWord(keywordOf(call, 'trust_remote_code')?.value, 'True')) {
    return decline('Which revision to pin is not known here.');
  }
  const model = argumentOf(call, 0, 'pretrained_model_name_or_path')?.value;
  const isBuiltIn = /^transformers\.\w+\.from_pretrained$/.test(code.nameOf(call.func) ?? '') && model?.type === 'Constant' && model.kind === 'str' && builtInModels.test(model.value);
  if (!isBuiltIn) return decline('Whether the model can be loaded without the code of its repository is not known here: a person has to read that code, or choose another model.');
  return { edits: [setKeyword(code, call, 'trust_remote_code', 'False')], rationale: 'Loads the model without running code that its repository holds.' };
};

const xmlSwitches: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const wanted: readonly (readonly [string, 'True' | 'False'])[] = [['resolve_entities', 'True'], ['load_dtd', 'True'], ['no_network', 'False']];
  const open = call === undefined ? [] : wanted.filter(([name, word]) => isWord(keywordOf(call, name)?.value, word));
  if (call !== undefined && open.length > 0) {
    return {
      edits: open.map(([name, word]) => setKeyword(code, call, name, opposite(word))),
      rationale: 'The parser no longer follows entities out of the document.',
    };
  }
  const feature = call?.func.type === 'Attribute' && call.func.attr === 'setFeature' ? positionalOf(call, 1)?.value : undefined;
  return isWord(feature, 'True') ? replaced(feature!, 'False', 'The parser no longer follows entities out of the document.')
    : decline('A parser for this document has to be chosen by hand.');
};

/** The one address in the call that means every interface. */
const anyHost: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const hosts = code.nodes().filter((node) => call !== undefined && node.start >= call.func.end && node.end <= call.end
    && node.type === 'Constant' && node.kind === 'str' && ['', '0.0.0.0', '::', '0', '::0', '[::]', '*'].includes(node.value));
  const [host] = hosts;
  if (hosts.length !== 1 || host?.type !== 'Constant' || host.kind !== 'str') return decline('The address is not written in the call.');
  return replaced(host, host.value.includes(':') ? '"::1"' : '"127.0.0.1"',
    'Listens on this computer alone; put a proxy before it where others need to reach it. Review: others can no longer connect.');
};

const addFilter = add({ filter: '"data"' }, 'The data filter keeps entries inside the target folder.');
const tarName = /\.(?:tar|tar\.gz|tgz|tar\.bz2|tbz2|tar\.xz|txz)["']{1,3}$/;

/** `shutil.unpack_archive` hands the filter on to whatever unpacks the format, and what does so for .zip refuses it. */
const tarFilter: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  if (call === undefined || code.nameOf(call.func) !== 'shutil.unpack_archive') return addFilter(code, finding);
  const format = argumentOf(call, 2, 'format')?.value;
  const archive = argumentOf(call, 0, 'filename')?.value;
  const isTar = format === undefined ? archive !== undefined && endsAsTar(code, archive) : format.type === 'Constant' && format.kind === 'str' && /^(?:gz|bz|xz)?tar$/.test(format.value);
  return isTar ? addFilter(code, finding) : decline('Whether the archive is a tar file, which alone takes a filter, is not known here.');
};

/** Whether a path surely ends like the name of a tar file. */
function endsAsTar(code: PythonCode, path: PyExpr): boolean {
  if (path.type === 'BinOp') return (path.op === '+' || path.op === '/') && endsAsTar(code, path.right);
  if (path.type === 'Call') return /^(?:os\.path\.join|pathlib\.Path)$/.test(code.nameOf(path.func) ?? '') && path.args.at(-1)?.kind === 'positional' && endsAsTar(code, path.args.at(-1)!.value);
  return (path.type === 'Constant' || path.type === 'JoinedStr') && tarName.test(code.source(path));
}

/** Templates of one switch or number, by rule. */
export const settingTemplates: TemplateTable = {
  'CODE-W1-L3-030': unsafeLoad,
  'CODE-W1-L3-031': xmlSwitches,
  'CODE-W1-L3-022': tarFilter,
  'CODE-W1-L3-039': anyHost,
  'CODE-W1-L3-040': flip(['debug', 'use_debugger', 'evalex', 'DEBUG'], 'True', 'The debugger, which runs code for whoever reaches it, stays off.'),
  'CODE-W1-L3-041': flip(['WTF_CSRF_ENABLED'], 'False', 'Forms are checked for their token again.'),
  'CODE-W1-L3-042': add({ secure: 'True', httponly: 'True' }, 'The cookie travels by HTTPS alone, and scripts can not read it.'),
  'CODE-W1-L3-043': flip(['allow_credentials', 'supports_credentials'], 'True', 'Pages of every origin may read answers, but without cookies.'),
  'CODE-W1-L3-044': add({ timeout: '10' }, 'A server that does not answer holds the program for ten seconds only.'),
  'CODE-W1-AI-605': dangerousSwitch,
  'CODE-W1-AI-606': remoteCode,
  'CODE-W1-AI-607': noTokenLimit,
  'CODE-W1-CRYPTO-003': setNumber([['key_size', 1], ['bits', 0], ['key_size', 0], ['nbits', 0], ['bits', 1]], 2048, '3072',
    'A key of 3072 bits is out of reach of factoring.'),
};
