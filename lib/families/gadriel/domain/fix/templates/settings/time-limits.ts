/** The template for requests without a time limit (L3-044). */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import { keywordOf, setKeyword } from '../code/call-arguments.ts';
import type { PythonCode } from '../code/python-code.ts';
import { functionAround, valuesOf } from '../code/scopes.ts';
import { isWord } from '../code/switches.ts';
import { decline, type PythonTemplate } from '../template.types.ts';

/** Servers that answer when something has happened: long polling, and the limit of it that is asked for. */
const waits = /getUpdates|poll|subscri|watch|listen|_changes\b|\bwait|events?\b|stream|\bsse\b|["']?\b(?:timeout|hold|block)(?:_?m?s|_seconds)?\b["']?\s*[:=]/i;
/** Servers that think or work before they answer: models, and jobs that are waited for. */
const works = new RegExp('/api/(?:generate|chat|pull|embed)|completions?\\b|generat|/messages\\b|["\'](?:prompt|messages|model)["\']|inference|\\binfer\\b|predict|llm|ollama|:11434|openai|anthropic|claude|gpt|gemini|hugging_?face'
  + '|replicate|transcri|translat|synthes|\\brender|convert|export|\\btrain|\\bbuild|backup|restore|/import\\b|deploy|migrat|report\\b', 'i');

/** Ten seconds for an answer, where nothing says that the server takes its time on purpose. */
export const timeLimit: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  if (call === undefined) return decline('The request is not made by a call here.');
  const told = toldBy(code, call);
  if (waits.test(told) || works.test(told)) {
    return decline('The server may answer only after a while, or bit by bit, on purpose: a person has to choose a limit that is longer than its silence.');
  }
  const stream = keywordOf(call, 'stream')?.value;
  // A download is limited between two pieces alone; what is read line by line is silent until something happens.
  if (stream !== undefined && !isWord(stream, 'False') && (!/iter_content|copyfileobj|\.raw\b/.test(code.text) || /iter_lines|event-?stream|sseclient|EventSource/i.test(code.text))) {
    return decline('The answer may be a stream that is silent until something happens: a person has to choose how long that may be.');
  }
  return {
    edits: [setKeyword(code, call, 'timeout', '10')],
    rationale: 'A server that does not answer holds the program for ten seconds only. Review: what takes longer on purpose needs a longer limit.',
  };
};

/** What a call and what its variables are assigned say about the server, with the name of the function; of a client, which is used anywhere, all of the text. */
function toldBy(code: PythonCode, call: PyCall): string {
  if (/Client$/.test(code.source(call.func))) return code.text.replace(/\btimeout\s*=\s*None/g, '');
  const around = functionAround(code, call);
  const values = call.args.filter((each) => each.kind !== 'keyword' || !/^(?:timeout|stream)$/.test(each.name)).map(({ value }) => value);
  // What a URL is put together from is a step away, and what its beginning is a second one.
  const assigned = assignedTo(code, values);
  return [around?.type === 'FunctionDef' ? around.name : '', ...[...values, ...assigned, ...assignedTo(code, assigned)].map((each) => code.source(each))].join('\n');
}

/** What the variables in these expressions are assigned. */
const assignedTo = (code: PythonCode, values: readonly PyExpr[]): readonly PyExpr[] =>
  code.nodes().filter((node) => node.type === 'Name' && values.some(({ start, end }) => start <= node.start && node.end <= end)).flatMap((node) => (node.type === 'Name' ? (valuesOf(code, node) ?? []) : []));
