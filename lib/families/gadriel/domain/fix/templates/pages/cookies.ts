/** The template for cookies of a session (L3-042). */
import type { PyExpr } from '../../../../../../syntax/python.types.ts';
import { keywordOf, setKeywords } from '../code/call-arguments.ts';
import { valuesOf } from '../code/scopes.ts';
import { isChosen, isWord, replaced } from '../code/switches.ts';
import { decline, type PythonTemplate } from '../template.types.ts';

const rationale = 'The cookie travels by HTTPS alone, and scripts can not read it. Review: over plain HTTP, as on a development server, browsers no longer send it.';

/** Adds what is missing, and turns `secure=False`; what is decided elsewhere (`secure=not app.debug`) stays as it is. */
export const looseCookie: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const statement = call === undefined ? code.statementAt(finding) : undefined;
  const readByScripts = decline('httponly is switched off on purpose, so that scripts can read the cookie: a person has to say whether one still does.');
  if (call === undefined) {
    const value = statement?.type === 'Assign' || statement?.type === 'AnnAssign' ? statement.value : undefined;
    const target = statement?.type === 'Assign' ? statement.targets[0] : statement?.type === 'AnnAssign' ? statement.target : undefined;
    if (value === undefined || !isWord(value, 'False')) return decline('The switch is not written here, so it has to be found by hand.');
    if (/httponly/i.test(code.source(target!))) return readByScripts;
    return isChosen(code, statement!) ? decline('Where the cookie may travel is decided by a condition: a person has to say whether that is right.')
      : replaced(value, 'True', 'The cookie travels by HTTPS alone. Review: over plain HTTP, as on a development server, browsers no longer send it.');
  }
  const [secure, httponly] = [keywordOf(call, 'secure')?.value, keywordOf(call, 'httponly')?.value];
  if (call.args.some(({ kind }) => kind === 'star' || kind === 'doublestar')) return decline('The switches may be among the arguments that are passed on.');
  if (isWord(httponly, 'False')) return readByScripts;
  // What is off by the value of a variable would stay so.
  if ([secure, httponly].some((each) => each?.type === 'Name' && valuesOf(code, each)?.some((value) => isWord(value, 'False')))) return decline('The switch is not written in the call: it is off by its variable.');
  if (isWord(secure, 'False') && isChosen(code, call)) return decline('Where the cookie may travel is decided by a condition: a person has to say whether that is right.');
  const isOpen = (value: PyExpr | undefined): boolean => value === undefined || isWord(value, 'False') || (value.type === 'Constant' && value.kind === 'none');
  const wanted = { ...(isOpen(secure) ? { secure: 'True' } : {}), ...(isOpen(httponly) ? { httponly: 'True' } : {}) };
  return Object.keys(wanted).length === 0 ? decline('The switches are set by what is decided elsewhere.') : { edits: setKeywords(code, call, wanted), rationale };
};
