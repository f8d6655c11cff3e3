import type { SecretHit } from '../../../../secrets/secrets.types.ts';
import { lineIndex } from '../../../../text/line-index.ts';
import { safeNote, type Draft } from '../make-finding.ts';
import { parseJsonPlaces, type JsonMember, type JsonNode } from './json-places.ts';
import { mcpRules, type McpRule } from './mcp-rules.ts';

/** Whether a path is one of the files in which hosts look for MCP servers. */
export function isMcpConfig(path: string): boolean {
  const [name = '', folder = ''] = path.toLowerCase().split(/[\\/]/).reverse();
  if (/^(?:\.?mcp(?:[-_.](?:servers?|config|settings))?|claude_desktop_config|\.claude|cline_mcp_settings)\.json$/.test(name)) return true;
  return /^\.(?:vscode|cursor|windsurf|gemini|claude|roo|zed)$/.test(folder) && /^(?:mcp|settings(?:\.local)?)\.json$/.test(name);
}

/** Findings of CONFIG-MCP-001 to 004 in the text of such a file; none where it is no JSON. Secrets found already are told by their own rule too. */
export function mcpDrafts(text: string, secrets: readonly SecretHit[]): Draft[] {
  const root = parseJsonPlaces(text);
  if (root === undefined) return [];
  const { lineAt, columnAt } = lineIndex(text);
  const drafts: Draft[] = [];
  const report = (number: number, node: JsonNode, what: string): void => {
    const rule = mcpRules[number - 1] as McpRule;
    drafts.push({
      ruleId: rule.id, title: rule.title, message: rule.message.replace('{what}', () => safeNote(what.slice(0, 200))),
      severity: rule.severity, confidence: rule.confidence, cwe: rule.cwe, remediation: rule.remediation,
      line: lineAt(node.start), endLine: lineAt(node.end), column: columnAt(node.start), endColumn: columnAt(node.end),
      scanType: rule.scanType, pillar: rule.pillar, owasp: rule.owasp, tags: rule.tags, trace: [],
    });
  };
  for (const server of serversOf(root, 0)) checkServer(server, secrets, report);
  return drafts;
}

type Report = (number: number, node: JsonNode, what: string) => void;

/** The server objects of a file: members of `mcpServers`, `servers` (VS Code) or `context_servers` (Zed), at any depth of nesting that hosts use. */
function serversOf(node: JsonNode, depth: number): JsonMember[] {
  if (node.type !== 'object' || depth > 4) return [];
  return node.members.flatMap(({ key, value }) => {
    const isList = value.type === 'object' && /^(?:mcpServers|mcp_servers|servers|context_servers)$/.test(key);
    const here = isList ? value.members.filter((each) => isServer(each.value)) : [];
    return here.length > 0 ? here : serversOf(value, depth + 1);
  });
}

const isServer = (node: JsonNode): boolean => ['command', 'url', 'serverUrl', 'httpUrl'].some((key) => memberOf(node, key) !== undefined);

function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.type === 'object' ? node.members.find((each) => each.key === key)?.value : undefined;
}

const stringOf = (node: JsonNode | undefined): string | undefined => (node?.type === 'string' ? node.value : undefined);

function checkServer({ key, value: server }: JsonMember, secrets: readonly SecretHit[], report: Report): void {
  const args = memberOf(server, 'args');
  const words = args?.type === 'array' ? args.items : [];
  const commandNode = memberOf(server, 'command');
  const command = stringOf(commandNode) ?? '';
  // `cmd /c npx …`, as hosts on Windows need it.
  const all = [...(commandNode === undefined ? [] : [commandNode]), ...words];
  checkPackage(all, report);
  checkFolders(command, words, key, report);
  for (const name of ['env', 'headers', 'requestInit']) checkSecrets(memberOf(server, name), secrets, report);
  for (const name of ['url', 'serverUrl', 'httpUrl']) {
    const url = memberOf(server, name);
    if (isPlainRemote(stringOf(url) ?? '')) report(3, url as JsonNode, key);
  }
  for (const word of words) if (isPlainRemote(stringOf(word) ?? '')) report(3, word, key);
}

const runners = /(?:^|[\\/])(?:npx|bunx|pnpx|uvx)(?:\.cmd|\.exe)?$/i;
const managers = /(?:^|[\\/])(?:pnpm|yarn|npm|bun)(?:\.cmd)?$/i;
/** Flags of the runners that take a value of their own: the package to fetch, or something else. */
const packageFlags = new Set(['-p', '--package', '--from']);
const otherFlags = new Set(['--python', '--with', '--index-url', '--registry', '-c', '--call', '--cache', '--prefix']);

/** CONFIG-MCP-001. */
function checkPackage(words: readonly JsonNode[], report: Report): void {
  const texts = words.map((word) => stringOf(word) ?? '');
  const found = texts.findIndex((text) => runners.test(text));
  const isVerb = (text: string, index: number): boolean => /^(?:dlx|exec|x)$/.test(text) && managers.test(texts[index - 1] ?? '');
  const runs = found >= 0 ? found : texts.findIndex(isVerb);
  if (runs < 0) return;
  for (let index = runs + 1; index < texts.length; index++) {
    const text = texts[index] as string;
    if (otherFlags.has(text)) index++;
    else if (packageFlags.has(text)) {
      const next = words[index + 1];
      if (next !== undefined && !isPinned(texts[index + 1] ?? '')) report(1, next, texts[index + 1] ?? '');
      return;
    } else if (!text.startsWith('-')) {
      if (!isPinned(text)) report(1, words[index] as JsonNode, text);
      return;
    }
  }
}

/** An exact version, a commit, a path of this machine, or something filled in later. */
function isPinned(spec: string): boolean {
  if (spec === '' || /^[./~]|^[A-Za-z]:[\\/]|\$\{|^file:/.test(spec)) return true;
  if (/^(?:git\+|github:|https?:)/i.test(spec)) return /[#@][0-9a-f]{7,64}$/i.test(spec);
  return /.@v?\d{1,9}\.\d{1,9}[\w.+-]{0,80}$|==\d[\w.+!-]{0,80}$/.test(spec);
}

/** CONFIG-MCP-002. A name that says nothing still counts where the value has the shape of a token. */
function checkSecrets(node: JsonNode | undefined, secrets: readonly SecretHit[], report: Report): void {
  if (node?.type !== 'object') return;
  for (const { key, value } of node.members) {
    if (value.type === 'object') checkSecrets(value, secrets, report);
    const text = stringOf(value);
    if (text === undefined || /\$\{?\w|\{\{|<[\w -]{1,80}>|^%\w{1,80}%$/.test(text)) continue;
    const bearer = /^(?:Bearer|Basic|Token|ApiKey)\s+(\S{8,})$/i.exec(text)?.[1];
    const known = secrets.some((hit) => hit.start < value.end && value.start < hit.end);
    if (known || looksSecret(key, bearer ?? text, bearer !== undefined)) report(2, value, key);
  }
}

const secretName = /(?:^|[_-])(?:token|secret|password|passwd|pwd|pat|credentials?|(?:api|access|private|auth)[_-]?key)$|apikey$|authorization$/i;

function looksSecret(key: string, value: string, isBearer: boolean): boolean {
  const isPlace = /^(?:https?|file|postgres\w*):|^[./~]|\s/i.test(value);
  const isPlaceholder = /your|example|changeme|placeholder|insert|replace|xxxx|\*\*\*|^(?:true|false|\d+)$/i.test(value);
  if (value.length < 8 || isPlace || isPlaceholder) return false;
  return isBearer || (secretName.test(key) && /\d/.test(value) && /[A-Za-z]/.test(value));
}

/** Not https, and not on this machine or a name that only this machine gives. */
function isPlainRemote(url: string): boolean {
  const host = /^(?:http|ws):\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]+)/i.exec(url)?.[1]?.toLowerCase();
  return host !== undefined && !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0|host\.docker\.internal)$|\.localhost$|\$\{/.test(host);
}

/** CONFIG-MCP-004. */
function checkFolders(command: string, words: readonly JsonNode[], key: string, report: Report): void {
  const isFileServer = [command, key, ...words.map((word) => stringOf(word) ?? '')].some((text) => /file-?_?system|(?:^|[-_/])fs(?:$|[-_@])/i.test(text));
  if (!isFileServer) return;
  for (const word of words) {
    const folder = (stringOf(word) ?? '').replace(/^--?[\w-]{1,40}=/, '');
    if (isWholeDisk(folder)) report(4, word, folder);
  }
}

/** A disk, the folder of all users, or the whole of one user's, as systems and shells write them. */
const wholeDisks: readonly RegExp[] = [
  /^\/(?:\*{1,2})?$/, /^~\/?$/, /^\$\{?HOME\}?\/?$/, /^\$\{userHome\}\/?$/, /^%USERPROFILE%\\?$/, /^\/(?:home|Users|root|etc|var|usr)\/?$/,
  /^\/(?:home|Users)\/[^/]+\/?$/, /^[A-Za-z]:[\\/]?$/, /^[A-Za-z]:[\\/]Users(?:[\\/][^\\/]+)?[\\/]?$/,
];

const isWholeDisk = (folder: string): boolean => wholeDisks.some((pattern) => pattern.test(folder));
