/** Templates for the JSON configuration of MCP servers; the finding is the string in question, quotes included. */
import type { Finding } from '../../finding.types.ts';
import { isSystemVariable } from './environment-names.ts';
import { decline, type TemplateFix } from './template.types.ts';

type TextTemplate = (text: string, finding: Finding) => TemplateFix;

/** The string's offset and what is between its quotes; undefined where no string stands at the place. */
function stringAt(text: string, finding: Finding): { readonly start: number; readonly value: string } | undefined {
  const lines = text.split(/(?<=\n)/);
  const start = lines.slice(0, finding.line - 1).join('').length + finding.column;
  const value = /^(?:[^"\\\n]|\\.){1,2000}(?=")/.exec(text.slice(start))?.[0];
  return text[start - 1] === '"' && value !== undefined ? { start, value } : undefined;
}

const literalSecret: TextTemplate = (text, finding) => {
  const found = stringAt(text, finding);
  const key = found === undefined ? undefined : /"([^"\n]{1,80})"\s{0,20}:\s{0,20}"$/.exec(text.slice(Math.max(0, found.start - 130), found.start))?.[1];
  const plain = key?.replace(/[^A-Za-z\d]+/g, '_').replace(/^_+|_+$/g, '').toUpperCase();
  if (found === undefined || key === undefined || plain === undefined || !/^[A-Z]/.test(plain)) return decline('The secret is not the value of a name here.');
  // Another server may have a secret by the same key, which is another one.
  const name = numbered(isSystemVariable(plain) ? `${plain}_SECRET` : plain, earlierValues(text.slice(0, found.start), key, found.value));
  // The scheme of an Authorization header is no secret.
  const scheme = /^(?:Bearer|Basic|Token)\s+/i.exec(found.value)?.[0] ?? '';
  return {
    edits: [{ start: found.start + scheme.length, end: found.start + found.value.length, text: `\${${name}}` }],
    rationale: `The secret comes from the environment of the host. Review: revoke it where it was issued, and set ${name} to its successor.`,
  };
};

const numbered = (name: string, before: number): string => (before === 0 ? name : `${name}_${before + 1}`);

/** How many other values a key has further up in a text. */
function earlierValues(text: string, key: string, value: string): number {
  const found = [...text.matchAll(/"([^"\n]{1,80})"\s{0,20}:\s{0,20}"([^"\n]{1,2000})"/g)].flatMap(([, name, other]) => (name === key && other !== value ? other! : []));
  return new Set(found).size;
}

const plainHttp: TextTemplate = (text, finding) => {
  const found = stringAt(text, finding);
  if (found === undefined || !/^http:\/\//i.test(found.value)) return decline('The address is not written here.');
  return {
    edits: [{ start: found.start + 4, end: found.start + 4, text: 's' }],
    rationale: 'What the server and the host say travels encrypted. Review: the server has to answer by https.',
  };
};

/** MCP configuration, by rule. */
export const mcpTemplates: Readonly<Record<string, TextTemplate>> = {
  'CODE-W2-CONFIG-MCP-002': literalSecret,
  'CODE-W2-CONFIG-MCP-003': plainHttp,
};
