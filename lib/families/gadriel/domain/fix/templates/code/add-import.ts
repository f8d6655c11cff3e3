import type { TextEdit } from '../../text-edit.ts';
import type { PythonCode } from './python-code.ts';
import { functionAround, isRebound } from './scopes.ts';

/** A name that new code may use, and the edits that import it where the text does not yet. */
export type Imported = { readonly name: string; readonly edits: readonly TextEdit[] };

/**
 * A module (`secrets`) or a member of one (`html`, `escape`) under the name that the text knows it by. Its import is added
 * once, behind the first imports, `__future__`, docstring and head comments. Undefined where its name means something else, and
 * where no line before the code of the finding has room for an import.
 */
export function importName(code: PythonCode, module: string, member?: string): Imported | undefined {
  const wanted = member === undefined ? module : `${module}.${member}`;
  for (const statement of code.module.body) {
    // Code of the module itself has only what was imported before it.
    if (code.loadsAt !== undefined && statement.start >= code.loadsAt) break;
    if (statement.type === 'Import') {
      const found = statement.names.find(({ name, asName }) => name === wanted && (asName !== undefined || !name.includes('.') || member === undefined));
      if (found !== undefined && means(code, found.asName ?? found.name, wanted)) return { name: found.asName ?? found.name, edits: [] };
      const parent = member === undefined ? undefined : statement.names.find(({ name }) => name === module);
      if (parent !== undefined && means(code, parent.asName ?? module, module)) return { name: `${parent.asName ?? parent.name}.${member}`, edits: [] };
    } else if (statement.type === 'ImportFrom' && statement.level === 0) {
      const found = statement.names.find(({ name }) => `${statement.module}.${name}` === wanted);
      if (found !== undefined && means(code, found.asName ?? found.name, wanted)) return { name: found.asName ?? found.name, edits: [] };
    }
  }
  const name = member ?? module;
  if (isTaken(code, name.split('.')[0]!, member === undefined ? module.split('.')[0]! : wanted)) return undefined;
  const line = member === undefined ? `import ${module}` : `from ${module} import ${member}`;
  const insertion = insertLine(code, line);
  return insertion === undefined ? undefined : { name, edits: [insertion] };
}

/** Whether an imported name means the import wherever it stands: a function that binds it, or imports another thing by it, means its own. */
function means(code: PythonCode, local: string, wanted: string): boolean {
  const [name] = local.split('.') as [string];
  const others = code.nodes().some((node) => node.type === 'ImportFrom' && node.names.some((each) => (each.asName ?? each.name) === name && `${node.module}.${each.name}` !== wanted));
  return !others && !isRebound(code, name) && !isImportedLater(code, name);
}

/** Whether the function of the finding imports the name itself, but only behind it: until then the name has no value there. */
function isImportedLater(code: PythonCode, name: string): boolean {
  const { focus } = code;
  if (focus === undefined) return false;
  return code.nodes().some((node) => {
    if ((node.type !== 'Import' && node.type !== 'ImportFrom') || node.start < focus || !node.names.some((each) => (each.asName ?? each.name.split('.')[0]) === name)) return false;
    const scope = functionAround(code, node);
    return scope !== undefined && scope.start <= focus && focus < scope.end;
  });
}

/** Whether the text gives the name another meaning somewhere; an import inside a function that means the same is none. */
function isTaken(code: PythonCode, name: string, meaning: string): boolean {
  const imported = code.imports.get(name);
  if (imported !== undefined && imported !== meaning) return true;
  return isRebound(code, name) || isImportedLater(code, name) || (imported === undefined && code.nodes().some((node) => node.type === 'Name' && node.id === name));
}

function insertLine(code: PythonCode, line: string): TextEdit | undefined {
  const { body } = code.module;
  let after: number | undefined;
  for (const [index, statement] of body.entries()) {
    const docstring = index === 0 && statement.type === 'Expr' && statement.value.type === 'Constant' && statement.value.kind === 'str';
    if (!docstring && statement.type !== 'Import' && statement.type !== 'ImportFrom') break;
    after = statement.end;
  }
  const at = headEnd(code.text);
  const edit = after === undefined ? { start: at, end: at, text: line + code.newline } : behind(code, after, line);
  return code.loadsAt !== undefined && edit.start > code.loadsAt ? undefined : edit;
}

/** A line of its own behind the line in which something ends, and behind what goes on from there. */
function behind(code: PythonCode, end: number, line: string): TextEdit {
  const next = code.text.indexOf('\n', end);
  const going = code.module.body.find((each) => each.start <= next && next < each.end);
  if (going !== undefined) return behind(code, going.end, line);
  return next < 0
    ? { start: code.text.length, end: code.text.length, text: code.newline + line }
    : { start: next + 1, end: next + 1, text: line + code.newline };
}

/** Behind the shebang, the encoding line and the comments that follow them without a gap. */
function headEnd(text: string): number {
  let at = 0;
  while (text[at] === '#') {
    const next = text.indexOf('\n', at);
    if (next < 0) return 0;
    at = next + 1;
  }
  return at;
}
