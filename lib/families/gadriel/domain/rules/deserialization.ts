/** Loading objects from bytes: pickle and kin (L3-027, L3-028), YAML (L3-029), model files (L3-030). */
import type { CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { hasFlag, stringOf, truthOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf, lastSegments } from './event-names.ts';
import { mentions } from './mentions.ts';
import { flowLevel, reportAudit, reportFlow, reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { isBool, nameText } from './value-facts.ts';

const pickleTainted = defineRule({
  id: 'CODE-W1-L3-027',
  cwe: 'CWE-502',
  severity: 'critical',
  confidence: 'high',
  title: 'Untrusted data is unpickled',
  message: '{what} is turned into objects by {sink}.',
  remediation: 'Exchange data as JSON, or check an HMAC over the bytes before loading them.',
  owasp: ['A08:2021'],
  why: 'A pickle is a small program that may call any function while it loads. '
    + 'dill, cloudpickle, joblib, shelve and jsonpickle work the same way.',
  bad: 'import pickle\nfrom flask import request\n\ndef load():\n    return {"n": len(pickle.loads(request.data))}\n',
  good: 'import json\nfrom flask import request\n\ndef load():\n    return {"n": len(json.loads(request.data))}\n',
});

const pickleUnknown = defineRule({
  id: 'CODE-W1-L3-028',
  cwe: 'CWE-502',
  severity: 'high',
  confidence: 'medium',
  title: 'Data of unknown origin is unpickled',
  message: '{what} is turned into objects by {sink}.',
  remediation: 'Use JSON or another data-only format, or check an HMAC over the bytes before loading them.',
  owasp: ['A08:2021'],
  why: 'A pickle is a small program that may call any function while it loads, and nothing here says who wrote these bytes. '
    + 'Caches, queues and uploaded files are all places where others can write.',
  bad: 'import pickle\n\ndef restore(blob):\n    return pickle.loads(blob)\n',
  good: 'import json\n\ndef restore(blob):\n    return json.loads(blob)\n',
});

const yamlLoad = defineRule({
  id: 'CODE-W1-L3-029',
  cwe: 'CWE-502',
  severity: 'critical',
  confidence: 'high',
  title: 'YAML loaded with an unsafe loader',
  message: '{sink} can create any Python object that the text names.',
  remediation: 'Use yaml.safe_load, or Loader=yaml.SafeLoader.',
  owasp: ['A08:2021'],
  why: 'Tags such as !!python/object/apply call functions while the text loads. '
    + 'The safe loader only makes lists, dicts, numbers and strings.',
  bad: 'import yaml\n\ndef read(text):\n    return yaml.load(text, Loader=yaml.Loader)\n',
  good: 'import yaml\n\ndef read(text):\n    return yaml.load(text, Loader=yaml.SafeLoader)\n',
});

const modelFile = defineRule({
  id: 'CODE-W1-L3-030',
  cwe: 'CWE-502',
  severity: 'high',
  confidence: 'medium',
  title: 'Model or array file that may hold pickled code',
  message: '{sink} unpickles the file it reads.',
  remediation: 'Pass weights_only=True (torch) or leave allow_pickle off (numpy), or use safetensors.',
  owasp: ['A08:2021'],
  why: 'Model files of torch and object arrays of numpy are pickles, and models are downloaded from strangers. '
    + 'weights_only and safetensors read numbers alone.',
  bad: 'import torch\n\ndef model(path):\n    return torch.load(path)\n',
  good: 'import torch\n\ndef model(path):\n    return torch.load(path, weights_only=True)\n',
});

/** Everything that ends in an unpickler, under the names of its libraries. */
const pickleNames = new Set([
  'pickle.load', 'pickle.loads', 'pickle.Unpickler', 'pickle.Unpickler().load', 'dill.load', 'dill.loads', 'dill.Unpickler',
  'cloudpickle.load', 'cloudpickle.loads', 'cloudpickle.Unpickler',
  'cloudpickle.pickle.load', 'cloudpickle.pickle.loads', 'marshal.load', 'marshal.loads', 'jsonpickle.decode', 'jsonpickle.loads',
  'jsonpickle.unpickler.decode', 'jsonpickle.unpickler.Unpickler().restore', 'jsonpickle.Unpickler().restore',
  'shelve.open', 'shelve.DbfilenameShelf', 'joblib.load', 'sklearn.externals.joblib.load', 'pandas.read_pickle',
  'pandas.io.pickle.read_pickle', 'pickle5.loads',
  'pickle5.load', 'dill.load_session', 'cloudpickle.cloudpickle.loads', 'ruamel.yaml.load', 'hickle.load', 'srsly.pickle_loads',
  'pickle._loads', 'pickle._load',
  'twisted.spread.jelly.unjelly',
]);
/** Models and tables are handed round as files, so where the name is not fixed they weigh less than bytes but count. */
const fileTakers = /^(?:joblib|sklearn|pandas|shelve|hickle)\b/;
/** Import systems read what the interpreter has compiled; that is what marshal is for. */
const compiledCode = /MAGIC_NUMBER|get_magic|\.pyc\b/;
/** Written by this program itself, or read from a fixed place of it. */
const ownFile = /^(?:tempfile\.|pickle\.dumps\(|dill\.dumps\(|cloudpickle\.dumps\(|importlib\.resources|pkgutil\.get_data|pkg_resources\.)/;

/** L3-027 for what others send, L3-028 where nobody can say who wrote the bytes. */
const pickleMatcher: Matcher = {
  calls: lastSegments(pickleNames),
  onCall(event) {
    const { name } = event;
    if (name === undefined || !pickleNames.has(name)) return;
    if (name === 'pickle.Unpickler().load' || name.startsWith('ruamel')) return;
    const keyword = ['file', 'data', 'filename', 'filepath_or_buffer', 'string', 'str'].find((word) => event.keywords.has(word)) ?? 'file';
    const value = event.arg(0, keyword);
    if (value === undefined) return;
    const level = flowLevel(value, 'all');
    const hostile = level === 2 ? !hasFlag(value, 'low') : level === 1 && hasFlag(value, 'network');
    if (hostile) reportRule(event, pickleTainted, { value, level, ...(level === 2 ? {} : { confidence: 'medium' as const }) });
    else if (level === 0 || ownFile.test(nameText(value)) || name.startsWith('marshal.') && mentions(event, 'module', compiledCode)) reportAudit(event, pickleUnknown, { value });
    else if (fileTakers.test(name))
      reportFlow(event, pickleUnknown, value, { kind: 'all', unknown: 'any', low: true, severity: 'medium', confidence: 'medium' });
    else reportFlow(event, pickleUnknown, value, { kind: 'all', unknown: 'any', low: true });
  },
};

const safeLoader = /(?:^|\.)(?:C?SafeLoader|C?BaseLoader|RoundTripLoader)$/;
const unsafeLoader = /^(?:yaml|ruamel\.yaml)\.(?:.*\.)?(?:C?Loader|C?FullLoader|C?UnsafeLoader)$/;

/** A loader class is safe by its name or by a base of its own; undefined = not known. */
const isSafeLoader = (loader: Value): boolean | undefined => {
  const { shape } = loader;
  const bases = shape?.type === 'Class' ? shape.info.bases : [];
  if (bases.some((base) => unsafeLoader.test(base))) return false;
  if (bases.some((base) => safeLoader.test(base))) return true;
  const name = nameText(loader);
  return safeLoader.test(name) ? true : unsafeLoader.test(name) ? false : undefined;
};

/** L3-029 whatever the origin: the safe loader costs nothing. */
const yamlMatcher: Matcher = {
  calls: [
    'load', 'load_all', 'unsafe_load', 'unsafe_load_all', 'full_load', 'full_load_all', 'YAML', 'Loader', 'UnsafeLoader', 'CLoader',
    'FullLoader',
  ],
  onCall(event) {
    const { last } = event;
    const name = calleeOf(event);
    if (name === 'ruamel.yaml.YAML') {
      if (stringOf(event.arg(-1, 'typ')) === 'unsafe') reportRule(event, yamlLoad);
      return;
    }
    if (!/^(?:yaml|ruamel\.yaml)\.\w+$/.test(name)) return;
    if (last.includes('Loader')) {
      if (flowLevel(event.args[0], 'all') > 0) reportRule(event, yamlLoad, { confidence: 'medium' });
      return;
    }
    const text = event.arg(0, 'stream');
    if (text === undefined) return;
    const loader = last.startsWith('load') ? event.arg(1, 'Loader') : undefined;
    const hidden = last.startsWith('load') && (event.openKeywords || event.openArgs);
    if (loader === undefined ? hidden : isSafeLoader(loader) !== false) {
      // The loader may be hidden in **options; with text of an attacker that is a guess not to rely on.
      if (loader === undefined && flowLevel(text, 'all') === 2 && !hasFlag(text, 'low'))
        reportRule(event, yamlLoad, { value: text, severity: 'high', confidence: 'medium' });
      return;
    }
    if (stringOf(text) !== undefined) {
      reportAudit(event, yamlLoad);
      return;
    }
    // FullLoader was broken several times but is the weaker risk of the two.
    const full = last.startsWith('full_load') || /FullLoader$/.test(nameText(loader));
    reportRule(event, yamlLoad, { value: text, ...(full ? { severity: 'high' as const, confidence: 'medium' as const } : {}) });
  },
};

/** What makes each loader run pickles. */
const modelLoaders = new Map<string, (event: CallEvent) => boolean>([
  ['torch.load', (event) => {
    const weights = event.arg(-1, 'weights_only');
    return weights === undefined ? !event.openKeywords : truthOf(weights) === false;
  }],
  ['numpy.load', (event) => truthOf(event.arg(2, 'allow_pickle')) === true],
  ['numpy.lib.npyio.load', (event) => truthOf(event.arg(2, 'allow_pickle')) === true],
  ['keras.models.load_model', (event) => isBool(event.arg(-1, 'safe_mode'), false)],
  ['tensorflow.keras.models.load_model', (event) => isBool(event.arg(-1, 'safe_mode'), false)],
  ['keras.saving.load_model', (event) => isBool(event.arg(-1, 'safe_mode'), false)],
]);

/** L3-030; a file with a constant name usually came with the program. */
const modelMatcher: Matcher = {
  calls: ['load', 'load_model'],
  onCall(event) {
    const unsafe = event.name === undefined ? undefined : modelLoaders.get(event.name);
    if (unsafe === undefined) return;
    if (!unsafe(event)) {
      // A switch whose value comes from elsewhere is the caller's decision.
      const weights = event.keywords.get('weights_only');
      if (weights !== undefined && truthOf(weights) === undefined) reportAudit(event, modelFile);
      return;
    }
    const value = event.arg(0, 'f');
    if (stringOf(value) === undefined) reportRule(event, modelFile, { value });
    // Asked for by an argument it is worth a word even so; torch's own default has become the safe one.
    else if (event.name === 'torch.load' && event.arg(-1, 'weights_only') === undefined) reportAudit(event, modelFile);
    else reportRule(event, modelFile, { severity: 'medium', confidence: 'low' });
  },
};

/** L3-027, L3-028, L3-029, L3-030. */
export const deserializationRules: RuleSet = {
  rules: [pickleTainted, pickleUnknown, yamlLoad, modelFile],
  matchers: [pickleMatcher, yamlMatcher, modelMatcher],
};
