/** Templates that turn one switch or number: the call stays as it is but for one argument. */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import { argumentOf, keywordOf, positionalOf, removeKeyword, setKeyword } from '../code/call-arguments.ts';
import { looseCookie } from '../pages/cookies.ts';
import { anyHost } from './listening.ts';
import { remoteCode, unsafeLoad } from '../files/model-files.ts';
import type { PythonCode } from '../code/python-code.ts';
import { namesBoundBy, valuesOf } from '../code/scopes.ts';
import { isWord, replaced, unlessChosen } from '../code/switches.ts';
import { decline, type PythonTemplate, type TemplateFix, type TemplateTable } from '../template.types.ts';
import { timeLimit } from './time-limits.ts';

export { replaced };

/** Sets the first of the keywords that is given and has this value. */
const flip = (keywords: readonly string[], from: 'True' | 'False', rationale: string): PythonTemplate => (code, finding) => {
  const call = code.callAt(finding);
  if (call === undefined) return flipAssigned(code.statementAt(finding), from, rationale);
  const given = keywords.filter((name) => isWord(keywordOf(call, name)?.value, from));
  if (given.length === 0) return decline('The switch is not written in the call, so it has to be found by hand.');
  return { edits: given.map((name) => setKeyword(code, call, name, opposite(from))), rationale };
};

const opposite = (word: 'True' | 'False'): string => (word === 'True' ? 'False' : 'True');

function flipAssigned(statement: ReturnType<PythonCode['statementAt']>, from: 'True' | 'False', rationale: string): TemplateFix {
  const value = statement?.type === 'Assign' || statement?.type === 'AnnAssign' ? statement.value : undefined;
  return value !== undefined && isWord(value, from)
    ? replaced(value, opposite(from), rationale)
    : decline('The switch is not written here, so it has to be found by hand.');
}

/** Where the number of bits may stand. */
const sizePlaces: readonly (readonly [string, number])[] = [['key_size', 1], ['bits', 0], ['key_size', 0], ['nbits', 0], ['bits', 1]];

/** Another number of bits, where the kind of key has that many and is made in a moment. */
const shortKey: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const name = call === undefined ? '' : (code.nameOf(call.func) ?? '');
  if (/^paramiko\.(?:\w+\.)?DSSKey\b/.test(name)) return decline('ssh-dss knows keys of 1024 bits alone: make one of another kind (Ed25519, or RSA of 3072 bits), which the other side has to be told.');
  if (/ElGamal|\.dh\./.test(name)) return decline('Numbers of such a size take minutes or hours to find: take a group of RFC 7919 or X25519 instead, which the other side has to know.');
  for (const [word, index] of call === undefined ? [] : sizePlaces) {
    const size = (keywordOf(call!, word) ?? positionalOf(call!, index))?.value;
    if (size?.type === 'Constant' && size.kind === 'int' && size.value < 2048) return replaced(size, '3072', 'A key of 3072 bits is out of reach of factoring.');
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

const xmlSwitches: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const wanted: readonly (readonly [string, 'True' | 'False'])[] = [['resolve_entities', 'True'], ['load_dtd', 'True'], ['no_network', 'False']];
  const open = call === undefined ? [] : wanted.filter(([name, word]) => isWord(keywordOf(call, name)?.value, word));
  if (call !== undefined && open.length > 0) {
    if (isWord(keywordOf(call, 'dtd_validation')?.value, 'True')) return decline('The parser is told to validate by the DTD, which it has to load for that: a person has to say whether documents may bring one.');
    // Entities of the document's own DTD are resolved by default before lxml 5.
    const closed = code.nameOf(call.func)?.startsWith('lxml.') === true && keywordOf(call, 'resolve_entities') === undefined ? [setKeyword(code, call, 'resolve_entities', 'False')] : [];
    return {
      edits: [...open.map(([name, word]) => setKeyword(code, call, name, opposite(word))), ...closed],
      rationale: 'The parser no longer follows entities out of the document.',
    };
  }
  const feature = call?.func.type === 'Attribute' && call.func.attr === 'setFeature' ? positionalOf(call, 1)?.value : undefined;
  return isWord(feature, 'True') ? replaced(feature!, 'False', 'The parser no longer follows entities out of the document.')
    : decline('A parser for this document has to be chosen by hand.');
};

const dataFilter = (code: PythonCode, call: PyCall): TemplateFix =>
  ({ edits: [setKeyword(code, call, 'filter', '"data"')], rationale: 'The data filter keeps entries inside the target folder.' });
const tarName = /\.(?:tar|tar\.gz|tgz|tar\.bz2|tbz2|tar\.xz|txz)["']{1,3}$/;

/** `shutil.unpack_archive` hands the filter on to whatever unpacks the format, and what does so for .zip refuses it. */
const tarFilter: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  if (call === undefined) return decline('The archive is not unpacked by a call here.');
  if (code.nameOf(call.func) !== 'shutil.unpack_archive') return dataFilter(code, call);
  const format = argumentOf(call, 2, 'format')?.value;
  const archive = argumentOf(call, 0, 'filename')?.value;
  const isTar = format === undefined ? archive !== undefined && endsAsTar(code, archive) : format.type === 'Constant' && format.kind === 'str' && /^(?:gz|bz|xz)?tar$/.test(format.value);
  return isTar ? dataFilter(code, call) : decline('Whether the archive is a tar file, which alone takes a filter, is not known here.');
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
  'CODE-W1-L3-031': unlessChosen(xmlSwitches),
  'CODE-W1-L3-022': tarFilter,
  'CODE-W1-L3-039': unlessChosen(anyHost),
  'CODE-W1-L3-040': unlessChosen(flip(['debug', 'use_debugger', 'evalex', 'DEBUG'], 'True', 'The debugger, which runs code for whoever reaches it, stays off.')),
  'CODE-W1-L3-041': unlessChosen(flip(['WTF_CSRF_ENABLED'], 'False', 'Forms are checked for their token again.')),
  'CODE-W1-L3-042': looseCookie,
  'CODE-W1-L3-043': unlessChosen(flip(['allow_credentials', 'supports_credentials'], 'True', 'Pages of every origin may read answers, but without cookies.')),
  'CODE-W1-L3-044': timeLimit,
  'CODE-W1-AI-605': dangerousSwitch,
  'CODE-W1-AI-606': remoteCode,
  'CODE-W1-AI-607': noTokenLimit,
  'CODE-W1-CRYPTO-003': shortKey,
};
