/** Templates for the JSON configuration of MCP servers; the finding is the string in question, quotes included. */
import type { Finding } from '../../../finding.types.ts';
import { parseJsonPlaces, type JsonNode } from '../../../repository/json-places.ts';
import { isSystemVariable, variableOf } from './environment-names.ts';
import { decline, type TemplateFix } from '../template.types.ts';

type TextTemplate = (text: string, finding: Finding) => TemplateFix;

/** The string's offset and what is between its quotes; undefined where no string stands at the place. */
function stringAt(text: string, finding: Finding): { readonly start: number; readonly value: string } | undefined {
  const lines = text.split(/(?<=\n)/);
  const start = lines.slice(0, finding.line - 1).join('').length + finding.column;
  const value = /^(?:[^"\\\n]|\\.){1,2000}(?=")/.exec(text.slice(start))?.[0];
  return text[start - 1] === '"' && value !== undefined ? { start, value } : undefined;
}

/** How a host writes a variable of its environment into its configuration. */
type Reference = (name: string) => string;

/**
 * The form that the host of a file expands: Claude Code's documentation of .mcp.json, those of Gemini CLI, VS Code, Cursor, Windsurf
 * and opencode. A form that a host does not know would be sent as the secret itself, so that no other file has one.
 */
const references: readonly (readonly [file: RegExp, reference: Reference])[] = [
  [/(?:^|\/)\.mcp\.json$|(?:^|\/)\.gemini\/settings\.json$/, (name) => `\${${name}}`],
  [/(?:^|\/)\.(?:vscode|cursor|windsurf)\/mcp\.json$|(?:^|\/)windsurf\/mcp_config\.json$/, (name) => `\${env:${name}}`],
  [/(?:^|\/)opencode\.jsonc?$/, (name) => `{env:${name}}`],
];

/** What a person can do where the host has no form, or none that is known. */
function whyNoReference(file: string): string {
  if (/(?:^|\/)claude_desktop_config\.json$/.test(file)) return 'The Claude desktop app expands no variables in this file: let the server read the secret from an env file of its own, or start it by a script that sets it.';
  if (/\.toml$/.test(file)) return 'Codex expands no variables: name the variable in env_vars, bearer_token_env_var or env_http_headers instead.';
  return 'How the host of this file refers to a variable is not known here: use its own way of asking for secrets, or let the server read an env file.';
}

const literalSecret: TextTemplate = (text, finding) => {
  const file = finding.file.replaceAll('\\', '/').toLowerCase();
  const reference = references.find(([pattern]) => pattern.test(file))?.[1];
  if (reference === undefined) return decline(whyNoReference(file));
  const found = stringAt(text, finding);
  const texts = textsOf(parseJsonPlaces(text));
  const at = texts.findIndex(({ start }) => found !== undefined && start + 1 === found.start);
  const name = texts[at]?.name;
  if (found === undefined || name === undefined) return decline('The secret is not the value of a name here: give it to the server by env or headers.');
  // Another server may have a secret by the same name, which is another one.
  const others = new Set(texts.slice(0, at).flatMap((each) => (each.name === name && each.value !== texts[at]!.value ? each.value : []))).size;
  const variable = others === 0 ? name : `${name}_${others + 1}`;
  // The scheme of an Authorization header is no secret.
  const scheme = /^(?:Bearer|Basic|Token|ApiKey)\s+/i.exec(found.value)?.[0] ?? '';
  return {
    edits: [{ start: found.start + scheme.length, end: found.start + found.value.length, text: reference(variable) }],
    rationale: `The secret comes from the environment that the host is started in. Review: revoke it where it was issued, and set ${variable} to its successor.`,
  };
};

/** A text of a file, and the variable that is to hold it; without a name where it is none of a server's settings. */
type Text = { readonly start: number; readonly value: string; readonly name: string | undefined };

/** The texts of a file in order. */
function textsOf(node: JsonNode | undefined, keys: readonly string[] = []): readonly Text[] {
  switch (node?.type) {
    case 'object': return node.members.flatMap(({ key, value }) => textsOf(value, [...keys, key]));
    case 'array': return node.items.flatMap((item) => textsOf(item, [...keys, '']));
    case 'string': return [{ start: node.start, value: node.value, name: variableFor(keys) }];
    default: return [];
  }
}

/**
 * A server reads `env` by the names that stand there. Headers are called the same for all servers: by one variable for all of them,
 * the secret of one server would be sent to another, so that the server's name stands before.
 */
function variableFor(keys: readonly string[]): string | undefined {
  const [key = '', list = '', ...above] = keys.toReversed();
  const name = variableOf(key);
  if (name === '') return undefined;
  if (/^env(?:ironment)?$/.test(list)) return isSystemVariable(name) ? `${name}_SECRET` : name;
  const server = /^(?:http_)?headers$/.test(list) ? variableOf(above.find((each) => each !== 'requestInit') ?? '') : '';
  if (server === '') return undefined;
  return name.startsWith(`${server}_`) ? name : `${server}_${name}`;
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
