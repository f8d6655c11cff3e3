/** Templates for modes and passwords, with those for loaders and temporary files. */
import { importName } from '../code/add-import.ts';
import { argumentOf, keywordOf } from '../code/call-arguments.ts';
import { decline, type PythonTemplate, type TemplateTable } from '../template.types.ts';
import { temporaryName } from '../files/temporary-name.ts';
import { safeYaml } from '../files/yaml.ts';

/** The bits for others and the group to write are taken out of a mode, whatever it is written as. */
const openMode: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const name = call === undefined ? '' : (code.nameOf(call.func) ?? '');
  const index = name === 'os.open' ? 2 : /^os\./.test(name) ? 1 : 0;
  const mode = call === undefined ? undefined : argumentOf(call, index, 'mode')?.value;
  const rationale = 'Others may no longer write it.';
  if (mode === undefined) return decline('The mode is not written in the call.');
  if (mode.type === 'Constant' && mode.kind === 'int') {
    return { edits: [{ start: mode.start, end: mode.end, text: octal(mode.value & ~0o022) }], rationale };
  }
  const source = code.source(mode);
  // Without brackets, a | b & ~c would be something else.
  return { edits: [{ start: mode.start, end: mode.end, text: mode.type === 'Name' || mode.type === 'Attribute' ? `${source} & ~0o022` : `(${source}) & ~0o022` }], rationale };
};

const octal = (mode: number): string => `0o${mode.toString(8)}`;

/** There is no right password to write: it comes from outside, under a name of ours. */
const emptyPassword: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const given = call === undefined ? undefined : ['password', 'passwd', 'pwd'].map((word) => keywordOf(call, word)?.value).find((value) => value !== undefined);
  const os = importName(code, 'os');
  if (given?.type !== 'Constant' || os === undefined) return decline('The password is not written in the call.');
  return {
    edits: [...os.edits, { start: given.start, end: given.end, text: `${os.name}.environ["DB_PASSWORD"]` }],
    rationale: 'The password comes from the environment. Review: set DB_PASSWORD, and give the account one.',
  };
};

/** Loaders, temporary files, modes, by rule. */
export const dataTemplates: TemplateTable = {
  'CODE-W1-L3-029': safeYaml,
  'CODE-W1-L3-037': temporaryName,
  'CODE-W1-L3-038': openMode,
  'CODE-W1-L3-045': emptyPassword,
};
