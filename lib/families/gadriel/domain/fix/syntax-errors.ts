import { parsePython } from '../../../../syntax/python.ts';
import { isNotebook, isPython } from '../source-path.ts';

/** How many places of a text are no valid Python, or 1 where a notebook or JSON file is no JSON; 0 for other files, of which nothing is known. */
export function syntaxErrors(file: string, text: string): number {
  if (isPython(file, text)) return parsePython(text).errorCount;
  return (isNotebook(file) || /\.json$/i.test(file)) && !isJson(text) ? 1 : 0;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
