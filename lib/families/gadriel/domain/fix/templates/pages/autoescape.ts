/** Template engines that are told not to escape: escaping is switched on where the file shows that its templates are pages. */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import { importName } from '../code/add-import.ts';
import { keywordOf, positionalOf, setKeyword } from '../code/call-arguments.ts';
import type { PythonCode } from '../code/python-code.ts';
import { valuesOf } from '../code/scopes.ts';
import { replaced } from '../settings/settings.ts';
import { writtenTexts } from '../code/sure-values.ts';
import { decline, type PythonTemplate } from '../template.types.ts';
import { pageValues } from '../code/value-kind.ts';

/** Calls that name a template: by their first argument, or their second behind a request. */
const namingCall = /(?:^|\.)(?:get_template|select_template|get_or_select_template|render_template|render_to_string|TemplateResponse|render_to_response|list_templates)$/;
/** What select_autoescape covers by itself. */
const covered = /\.(?:html|htm|xml)$/i;
/** Pages under the ending of their engine: it has to be told of them. */
const engineEnding = /\.((?:xhtml|html?|xml|svg)\.(?:j2|jinja2?|jnj|tpl|tmpl)|xhtml|svg)$/i;
/** An ending of an engine that says nothing of what is made: `page.j2`; of `unit.service.j2` it is clear. */
const unclear = /^(?:.*\/)?[^./]*\.(?:j2|jinja2?|jnj|tpl|tmpl|template)$/i;
const pageFolder = /(?:^|\/)(?:pages|html|views|www|site|web|public)\/?$/i;
const webFramework = /^(?:flask|quart|fastapi|starlette|django|aiohttp|sanic|tornado|bottle|pyramid|falcon)\b/;
const markup = /<[a-z!/]/i;

/** What the templates of a file are, as far as it shows: pages only (`all`), pages among others, and the endings to be told. */
type Pages = { readonly all: boolean; readonly endings: readonly string[] };

const unknown = 'Whether the templates are HTML is not to be seen in this file: mails, prompts and code would be broken by escaping.';

/** Jinja escapes by the ending of a template's name; other engines take a switch for all. */
export const autoescape: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const rationale = 'Values are escaped when they are put into HTML pages.';
  const statement = call === undefined ? code.statementAt(finding) : undefined;
  const given = call === undefined ? (statement?.type === 'Assign' ? statement.value : undefined) : keywordOf(call, 'autoescape')?.value;
  const isOff = given?.type === 'Constant' && (given.value === false || given.value === null);
  if (given !== undefined ? !isOff : call === undefined) return decline('The switch is not written here.');
  const name = call === undefined ? '' : (code.nameOf(call.func) ?? '');
  const jinja = /^jinja2\..*Environment$/.test(name);
  if (!jinja && given === undefined) return decline('How this library escapes values is not known here.');
  const pages = pagesOf(code, call);
  if (typeof pages === 'string') return decline(pages);
  if (rendersMarkup(code)) return decline('A template is given markup, which escaping would show as text.');
  if (call !== undefined && jinja) {
    const imported = name === 'jinja2.Environment' && call.func.type === 'Attribute'
      ? { name: `${code.source(call.func.value)}.select_autoescape`, edits: [] }
      : importName(code, 'jinja2', 'select_autoescape');
    if (imported === undefined) return decline('The name select_autoescape means something else here.');
    const endings = pages.endings.length === 0 ? '' : `enabled_extensions=(${['html', 'htm', 'xml', ...pages.endings].map((each) => `"${each}"`).join(', ')})`;
    return {
      edits: [...imported.edits, setKeyword(code, call, 'autoescape', `${imported.name}(${endings})`)],
      rationale: `Values are escaped in templates whose names end in .html, .htm, .xml${pages.endings.map((each) => `, .${each}`).join('')}; of other names none are.`,
    };
  }
  if (!pages.all) return decline('Some of the templates are no HTML, and the switch is for all.');
  // Tornado takes the name of a function of its own.
  return replaced(given!, name.startsWith('tornado.') ? '"xhtml_escape"' : 'True', rationale);
};

/** What the file shows of its templates: the names it asks for, texts it compiles, and the folder they are in. */
function pagesOf(code: PythonCode, made: PyCall | undefined): Pages | string {
  const names: string[] = [];
  let written = 0;
  for (const node of code.nodes()) {
    if (node.type === 'Constant' && node.kind === 'str' && unclear.test(node.value)) return notClear(node.value);
    if (node.type !== 'Call') continue;
    const source = code.source(node.func);
    const isTornado = source.endsWith('.load') && [...code.imports.values()].some((each) => each.startsWith('tornado'));
    if (source.endsWith('.from_string') || (/(?:^|\.)Template$/.test(source) && code.nameOf(node.func)?.startsWith('string.') !== true)) {
      const text = positionalOf(node, 0)?.value;
      if (text === undefined || !writtenTexts(code, text).some((each) => markup.test(each))) return unknown;
      written += 1;
    } else if (namingCall.test(source) || isTornado) {
      const found = nameArgument(node).flatMap((each): readonly (string | undefined)[] => endsOf(code, each) ?? [undefined]);
      if (found.length === 0 || found.includes(undefined)) return unknown;
      names.push(...(found as string[]));
    }
  }
  const other = names.find((each) => unclear.test(each));
  if (other !== undefined) return notClear(other);
  const pages = names.filter((each) => covered.test(each) || engineEnding.test(each));
  const inFolder = names.length === 0 && written === 0 && made !== undefined && holdsPages(code, made);
  if (pages.length + written === 0 && !inFolder) return names.length === 0 ? unknown : `The templates of this file are no HTML (${names[0]}): escaping would break what they make.`;
  return { all: pages.length === names.length, endings: [...new Set(pages.flatMap((each) => engineEnding.exec(each)?.[1]!.toLowerCase() ?? []))] };
}

const notClear = (name: string): string => `Whether ${name.slice(0, 60)} is HTML is not to be seen by its name, and select_autoescape() would not escape it.`;

/** Where a call names its template: the first texts, or a list of them, behind a request. */
function nameArgument(call: PyCall): readonly PyExpr[] {
  const named = keywordOf(call, 'name')?.value ?? keywordOf(call, 'template_name')?.value;
  const [first, second] = [positionalOf(call, 0)?.value, positionalOf(call, 1)?.value];
  const chosen = named ?? (first?.type === 'Name' && first.id === 'request' ? second : first);
  return chosen?.type === 'List' || chosen?.type === 'Tuple' ? chosen.elements : chosen === undefined ? [] : [chosen];
}

/** The written ends that a name of a template may have; undefined where one is not written. */
function endsOf(code: PythonCode, name: PyExpr, followed = false): readonly string[] | undefined {
  if (name.type === 'Constant') return name.kind === 'str' ? [name.value] : undefined;
  if (name.type === 'JoinedStr') return name.parts.at(-1)?.type === 'Text' ? [(name.parts.at(-1) as { readonly value: string }).value] : undefined;
  if (name.type === 'BinOp' && name.op === '+') return endsOf(code, name.right, followed);
  const values = name.type === 'Name' && !followed ? (valuesOf(code, name) ?? []) : [];
  const ends = values.map((each) => endsOf(code, each, true));
  return ends.length === 0 || ends.includes(undefined) ? undefined : ends.flatMap((each) => each!);
}

/** Whether the folder that a loader reads is one of pages by its name; frameworks of the web have theirs in `templates`. */
function holdsPages(code: PythonCode, made: PyCall): boolean {
  const loader = keywordOf(made, 'loader')?.value;
  const args = loader?.type === 'Call' ? loader.args : made.args.slice(0, 1);
  const isWeb = [...code.imports.values()].some((each) => webFramework.test(each));
  return args.flatMap(({ value }) => writtenTexts(code, value)).some((each) => pageFolder.test(each) || (isWeb && /(?:^|\/)templates\/?$/i.test(each)));
}

/** Whether a template is given a value that is markup as it stands, or by its name. */
const rendersMarkup = (code: PythonCode): boolean => code.nodes().some((node) => node.type === 'Call' && /(?:^|\.)(?:render|render_async|render_template)$/.test(code.source(node.func))
  && node.args.some((each) => each.kind === 'keyword' && (pageValues.keys.test(each.name) || writtenTexts(code, each.value).some((text) => pageValues.text.test(text)))));
