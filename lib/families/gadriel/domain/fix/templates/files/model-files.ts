/** Templates for files of models and arrays that may hold code (L3-030), and for models whose repository does (AI-606). */
import type { PyCall } from '../../../../../../syntax/python.types.ts';
import { argumentOf, keywordOf, setKeyword } from '../code/call-arguments.ts';
import type { PyNode, PythonCode } from '../code/python-code.ts';
import { isWord } from '../code/switches.ts';
import { decline, type PythonTemplate } from '../template.types.ts';
import { placesOf } from '../code/value-paths.ts';

/** Torch has a switch for plain data; whoever turned numpy's on, which is off by default, has arrays that need it. */
export const unsafeLoad: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const name = call === undefined ? undefined : code.nameOf(call.func);
  if (call === undefined) return decline('The data is not loaded by a call here.');
  if (keywordOf(call, 'allow_pickle') !== undefined) {
    return decline('allow_pickle=True was written because the arrays hold objects, which can not be read without: a person has to store them as plain arrays or JSON first.');
  }
  if (name !== 'torch.load') return decline('Data of this kind can not be read safely; store it in another format.');
  if (keywordOf(call, 'weights_only') !== undefined) {
    return decline('weights_only=False was written because the file holds more than tensors: a person has to store a state_dict instead, or say that the file can be trusted.');
  }
  // Other arguments choose the unpickler, which does not go with the switch.
  const plain = call.args.every((each, index) => (each.kind === 'positional' ? index < 2 : each.kind === 'keyword' && /^(?:f|map_location|mmap)$/.test(each.name)));
  if (!plain || !isStateDict(code, call)) {
    return decline('Whether the file holds a whole model, which weights_only=True refuses, or a state_dict alone is not seen here: store and load a state_dict, then pass weights_only=True.');
  }
  return {
    edits: [setKeyword(code, call, 'weights_only', 'True')],
    rationale: 'Loads tensors only, so that no code in the file can run. Review: needs torch 1.13, and refuses checkpoints that hold other objects beside the tensors.',
  };
};

/** Keys of a checkpoint whose values are tensors by name, or counts. */
const plainKey = /^["'](?:\w*_)?(?:state|state_?dict|weights?|epochs?|steps?|iter(?:ation)?s?)["']$/i;

/** Whether all that is done with a checkpoint is what is done with tensors by name: they go into a model, or are looked up by such a key. */
function isStateDict(code: PythonCode, call: PyCall): boolean {
  const places = placesOf(code, [call], (_, place, around) => around.type === 'Subscript' && around.value === place);
  return places.every((place) => isPlainPlace(code, place)) && places.some((place) => isLoaded(code, place) || isPlainElement(code, place));
}

function isPlainPlace(code: PythonCode, place: PyNode): boolean {
  const around = code.parentOf(place);
  if (isLoaded(code, place) || isPlainElement(code, place)) return true;
  switch (around?.type) {
    // What comes of these is a place of its own; attributes are read by other files as well.
    case 'Assign': return around.targets.every(({ type }) => type === 'Name');
    case 'Return': return place.type !== 'Subscript';
    case 'Subscript': return around.value === place;
    case 'Compare': return around.left !== place && around.ops.every((op) => /in$/.test(op));
    default: return false;
  }
}

const isPlainElement = (code: PythonCode, place: PyNode): boolean =>
  place.type === 'Subscript' && plainKey.test(code.source(place.index)) && !/^(?:Attribute|Call)$/.test(code.parentOf(place)?.type ?? '');

/** Whether a value is the argument of `load_state_dict`. */
function isLoaded(code: PythonCode, value: PyNode): boolean {
  const call = code.parentOf(value);
  return call?.type === 'Call' && call.func.type === 'Attribute' && call.func.attr === 'load_state_dict' && call.func !== value;
}

/** Models whose code is in transformers itself; any other may be there by the code of its repository alone. */
const builtInModels = new RegExp('^(?:(?:meta-llama|google-bert|FacebookAI|distilbert|openai-community|albert)/[\\w.-]+|openai/whisper-[\\w.-]+'
  + '|gpt2(?:-medium|-large|-xl)?|bert-base-[\\w-]+|distilbert-base-[\\w-]+|roberta-(?:base|large))$');

/** Without a pinned revision the finding would stay, and which one to pin is not ours to say. */
export const remoteCode: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  if (call === undefined || keywordOf(call, 'revision') === undefined || !isWord(keywordOf(call, 'trust_remote_code')?.value, 'True')) {
    return decline('Which revision to pin is not known here.');
  }
  const model = argumentOf(call, 0, 'pretrained_model_name_or_path')?.value;
  const isBuiltIn = /^transformers\.\w+\.from_pretrained$/.test(code.nameOf(call.func) ?? '') && model?.type === 'Constant' && model.kind === 'str' && builtInModels.test(model.value);
  if (!isBuiltIn) return decline('Whether the model can be loaded without the code of its repository is not known here: a person has to read that code, or choose another model.');
  return { edits: [setKeyword(code, call, 'trust_remote_code', 'False')], rationale: 'Loads the model without running code that its repository holds.' };
};
