/** Templates for what is put into pages, redirects and logs. */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import { importName } from '../code/add-import.ts';
import { builtString, literalOf, wrapValues, type Built } from '../code/built-string.ts';
import { autoescape } from './autoescape.ts';
import { argumentsEnd, keywordOf, positionalOf } from '../code/call-arguments.ts';
import { securedName } from '../files/file-names.ts';
import { whyNotEscaped } from './html-place.ts';
import { isStandardLogger } from './loggers.ts';
import type { PythonCode } from '../code/python-code.ts';
import { mayBeOtherType } from './response-type.ts';
import { freeName, functionAround, statementOf } from '../code/scopes.ts';
import { lineBefore } from '../settings/transport.ts';
import { writtenTexts } from '../code/sure-values.ts';
import { pageValues, valueKind } from '../code/value-kind.ts';
import { decline, type PythonTemplate, type TemplateTable } from '../template.types.ts';

const markup = 'Whether a value is plain text, or markup that is meant to be there, is not sure.';
const otherKind = 'The type of the response may be another than HTML, where escapes would be shown as they are.';
const notHere = 'The text is not put together here from parts that can be told apart.';

/** Whether a value may be markup that the code itself gives: a default, or one of several texts. */
const mayBeMarkup = (code: PythonCode, { pieces }: Built): boolean =>
  pieces.some((piece) => piece.kind === 'value' && writtenTexts(code, piece.value).some((written) => pageValues.text.test(written)));

/** Whether each value is one where it is moved to: `{a, b}` of an f-string is a tuple there, and two arguments in a call. */
const isMovable = ({ pieces }: Built): boolean => pieces.every((piece) => piece.kind === 'text' || !/^(?:Tuple|Starred|Yield|NamedExpr|Lambda|ErrorExpr)$/.test(piece.value.type)
  && !(piece.value.type === 'Comprehension' && piece.value.kind === 'generator'));

const bodyOf = (call: PyCall): PyExpr | undefined =>
  ['content', 'response', 'text', 'body'].map((name) => keywordOf(call, name)?.value).find((each) => each !== undefined);

/** The first argument, or what a `return` gives back, as a built text. */
function builtAt(code: PythonCode, finding: Parameters<PythonTemplate>[1]): Built | undefined {
  const call = code.callAt(finding);
  const statement = call === undefined ? code.statementAt(finding) : undefined;
  const direct = code.expressionAt(finding);
  const value = call !== undefined ? (positionalOf(call, 0)?.value ?? bodyOf(call))
    : statement?.type === 'Return' ? statement.value : direct;
  return value === undefined ? undefined : builtString(code, value);
}

/** Escapes what is put into a page, by the standard library: strings of markupsafe would escape the markup around them. */
const escapedPage: PythonTemplate = (code, finding) => {
  const built = builtAt(code, finding);
  if (built === undefined || !isMovable(built)) return decline(notHere);
  if (mayBeOtherType(code, built.node)) return decline(otherKind);
  const place = whyNotEscaped(built.pieces);
  if (place !== undefined) return decline(place);
  if (mayBeMarkup(code, built)) return decline(markup);
  const module = importName(code, 'html');
  const member = importName(code, 'html', 'escape');
  const chosen = member?.edits.length === 0 ? member : (module ?? member);
  if (chosen === undefined) return decline('The names html and escape mean something else here.');
  const escape = chosen === module ? `${chosen.name}.escape` : chosen.name;
  const edits = wrapValues(code, built, pageValues, (source, isText) => `${escape}(${isText ? source : `str(${source})`})`);
  return edits === undefined ? decline(markup) : {
    edits: [...chosen.edits, ...edits],
    rationale: 'The value is escaped, so that a browser shows it as text.',
  };
};

/** `mark_safe(f"<b>{x}</b>")` to `format_html("<b>{}</b>", x)`, and Markup likewise by its own format. */
const formattedMarkup: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const built = builtAt(code, finding);
  const name = call === undefined ? '' : (code.nameOf(call.func) ?? '');
  if (call === undefined || built === undefined || !isMovable(built) || call.args.length !== 1) return decline(notHere);
  if (mayBeOtherType(code, call)) return decline(otherKind);
  const place = whyNotEscaped(built.pieces);
  if (place !== undefined) return decline(place);
  // What is escaped already would be escaped twice, and markup once.
  const plain = { ...pageValues, sanitizers: /^$/ };
  if (mayBeMarkup(code, built) || built.pieces.some((piece) => piece.kind === 'value' && valueKind(code, piece.value, plain) === 'unsure')) return decline(markup);
  const format = built.pieces.map((piece) => (piece.kind === 'text' ? piece.text.replaceAll('{', '{{').replaceAll('}', '}}') : '{}')).join('');
  const text = literalOf(code, format, built.node);
  const values = built.pieces.flatMap((piece) => (piece.kind === 'value' ? [code.source(piece.value)] : [])).join(', ');
  const rationale = 'The markup is fixed text, and the values in it are escaped.';
  if (name === 'markupsafe.Markup') {
    return { edits: [{ start: built.node.start, end: built.node.end, text }, { start: call.end, end: call.end, text: `.format(${values})` }], rationale };
  }
  if (!name.startsWith('django.utils.safestring.')) return decline('How this library escapes values is not known here.');
  const imported = importName(code, 'django.utils.html', 'format_html');
  if (imported === undefined) return decline('The name format_html means something else here.');
  return {
    edits: [
      ...imported.edits,
      { start: call.func.start, end: call.func.end, text: imported.name },
      { start: built.node.start, end: built.node.end, text },
      { start: argumentsEnd(code, call), end: argumentsEnd(code, call), text: `, ${values}` },
    ],
    rationale,
  };
};

/** Django's own check of an address, in the call; other frameworks have none to call. */
const guardedRedirect: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const target = call === undefined ? undefined : positionalOf(call, 0)?.value;
  const django = call === undefined ? false : /^django\./.test(code.nameOf(call.func) ?? '');
  const view = call === undefined ? undefined : functionAround(code, call);
  if (call === undefined || target === undefined || !django || view?.type !== 'FunctionDef' || !view.params.some(({ name }) => name === 'request')) {
    return decline('Which hosts may be redirected to is not known here.');
  }
  const imported = importName(code, 'django.utils.http', 'url_has_allowed_host_and_scheme');
  if (imported === undefined) return decline('The name url_has_allowed_host_and_scheme means something else here.');
  // Django redirects to views too, by names that the check would take for addresses with a scheme.
  if (writtenTexts(code, target).some((text) => /^\w+:(?!\/\/)/.test(text))) return decline('The address may be the name of a view: check what comes from outside before it is chosen.');
  const rationale = 'Only addresses of this site are redirected to; others lead to its first page.';
  const guarded = (name: string): string => `${name} if ${imported.name}(${name}, allowed_hosts={request.get_host()}) else "/"`;
  const source = code.source(target);
  if (target.type === 'Name' || (target.type === 'Subscript' && !/[\n(]/.test(source))) {
    return { edits: [...imported.edits, { start: target.start, end: target.end, text: guarded(source) }], rationale };
  }
  // What is looked up or chosen gets a name first, so that what is checked is what is gone to.
  const statement = statementOf(code, call);
  const first = (statement?.type === 'Return' || statement?.type === 'Assign' || statement?.type === 'Expr') && statement.value === call;
  if (statement === undefined || !first || /\n/.test(source)) return decline('The address is not simple enough to be checked where it stands.');
  const name = freeName(code, 'next_url');
  return {
    edits: [...imported.edits, lineBefore(code, statement.start, `${name} = ${source}`), { start: target.start, end: target.end, text: guarded(name) }], rationale,
  };
};

/** Log text by `%r`, whose quoting keeps line breaks out of the log. */
const quotedLog: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const argument = call === undefined ? undefined : positionalOf(call, 0)?.value;
  const built = argument === undefined ? undefined : builtString(code, argument);
  if (call === undefined || argument === undefined || built === undefined || !isMovable(built) || built.node !== argument || call.args.length !== 1) {
    return decline(notHere);
  }
  if (call.func.type !== 'Attribute' || !isStandardLogger(code, call.func.value)) return decline('Whether this logger formats by % is not sure; others leave out what is passed beside the text.');
  const text = built.pieces.map((piece) => (piece.kind === 'text' ? piece.text.replaceAll('%', '%%') : '%r')).join('');
  const values = built.pieces.flatMap((piece) => (piece.kind === 'value' ? [code.source(piece.value)] : [])).join(', ');
  return {
    edits: [
      { start: argument.start, end: argument.end, text: literalOf(code, text, built.node) },
      { start: argumentsEnd(code, call), end: argumentsEnd(code, call), text: `, ${values}` },
    ],
    rationale: 'The value is logged with its line breaks escaped, so that it can not forge lines.',
  };
};

/** Pages, redirects, logs and file names, by rule. */
export const pageTemplates: TemplateTable = {
  'CODE-W1-L3-011': autoescape,
  'CODE-W1-L3-012': formattedMarkup,
  'CODE-W1-L3-013': escapedPage,
  'CODE-W1-AI-604': escapedPage,
  'CODE-W1-L3-021': securedName,
  'CODE-W1-L3-024': securedName,
  'CODE-W1-L3-026': guardedRedirect,
  'CODE-W1-L3-033': quotedLog,
};
