/** Names of variables of the environment for secrets that leave the code. */
import type { PyExpr } from '../../../../../../syntax/python.types.ts';
import type { Finding } from '../../../finding.types.ts';
import type { PyNode, PythonCode } from '../code/python-code.ts';

/** Variables that systems and shells set themselves: a secret by such a name would be whatever they hold. */
const taken = new Set(`USER USERNAME LOGNAME HOME PATH PWD OLDPWD SHELL TERM LANG LANGUAGE HOST HOSTNAME EDITOR VISUAL PAGER DISPLAY MAIL TZ TMP TEMP TMPDIR
  UID EUID PS1 IFS ENV OS PORT DEBUG CI NODE_ENV PYTHONPATH PYTHONHOME LD_PRELOAD LD_LIBRARY_PATH SSH_AUTH_SOCK VIRTUAL_ENV`.split(/\s+/));

/** Whether systems give a variable of this name a value of their own. */
export const isSystemVariable = (name: string): boolean => taken.has(name) || /^(?:LC|XDG|SSH|PYTHON|LD|DYLD|GIT)_/.test(name);

/** A text as the name of a variable, in capitals; empty where it has no letter to begin with. */
export function variableOf(text: string): string {
  const words = text.replace(/([a-z\d])([A-Z])/g, '$1_$2').replace(/[^A-Za-z\d]+/g, '_').replace(/^_+|_+$/g, '');
  return /^[A-Za-z]/.test(words) ? words.toUpperCase() : '';
}

/**
 * What the value is called where it is written, with its classes before it; else its provider or its rule. Another secret of the
 * same name gets a number, whether it still stands in the code or is a variable already.
 */
export function variableName(code: PythonCode, place: PyExpr & { readonly type: 'Constant' }, finding: Finding): string {
  const provider = finding.tags.find((tag) => tag.startsWith('provider:'))?.slice('provider:'.length);
  const fallback = variableOf(provider === undefined ? 'secret' : `${provider}_token`) || 'SECRET';
  const own = nameAt(code, place);
  const name = own === undefined || own === '' ? fallback : isSystemVariable(own) ? (provider === undefined ? `${own}_SECRET` : fallback) : own;
  const earlier = code.nodes().flatMap((node) => (node.type === 'Constant' && node.kind === 'str' && node.end <= place.start && node.value !== '' && node.value !== place.value
    && own !== undefined && code.parentOf(node)?.type !== 'FunctionDef' && nameAt(code, node) === own ? node.value : []));
  const others = new Set(earlier).size + mentions(code.text, name);
  return others === 0 ? name : `${name}_${others + 1}`;
}

/** How many variables of the environment a text has by this name or by one with a number. */
function mentions(text: string, name: string): number {
  return new Set([...text.matchAll(/(?:environ|getenv)[\w.]{0,10}[[(]\s?["']([A-Z\d_]{1,100})["']/g)].flatMap(([, found]) =>
    (found === name || (found!.startsWith(`${name}_`) && /^\d+$/.test(found!.slice(name.length + 1))) ? found! : []))).size;
}

function nameAt(code: PythonCode, place: PyExpr): string | undefined {
  const parent = code.parentOf(place);
  const named = parent === undefined ? undefined : nameIn(parent, place);
  if (named === undefined) return undefined;
  const classes: string[] = [];
  for (let at: PyNode | undefined = parent; at !== undefined; at = code.parentOf(at)) if (at.type === 'ClassDef') classes.unshift(at.name);
  return variableOf([...classes, named].join('_'));
}

function nameIn(parent: PyNode, place: PyExpr): string | undefined {
  if (parent.type === 'Assign') return lastName(parent.targets[0]);
  if (parent.type === 'AnnAssign') return lastName(parent.target);
  if (parent.type === 'Call') {
    return parent.args.map((argument) => (argument.kind === 'keyword' && argument.value === place ? argument.name : undefined)).find((name) => name !== undefined);
  }
  return parent.type === 'Dict' ? keyText(parent.entries.find(({ value }) => value === place)?.key) : undefined;
}

const keyText = (key: PyExpr | undefined): string | undefined => (key?.type === 'Constant' && key.kind === 'str' && key.value.length <= 60 ? key.value : undefined);

function lastName(target: PyExpr | undefined): string | undefined {
  if (target?.type === 'Name') return target.id;
  if (target?.type === 'Attribute') return target.attr;
  return target?.type === 'Subscript' ? keyText(target.index) : undefined;
}
