import type { SecretHit } from '../../../../secrets/secrets.types.ts';
import { lineIndex } from '../../../../text/line-index.ts';
import { safeNote, type Draft } from '../make-finding.ts';
import type { Severity } from '../finding.types.ts';
import { parseJsonPlaces, type JsonMember, type JsonNode } from './json-places.ts';
import { checkArguments, checkFolders, checkPackage, wordsOf } from './mcp-words.ts';
import { isFilledIn, looksSecret, secretInQuery } from './mcp-secrets.ts';
import { mcpRules, type McpRule } from './mcp-rules.ts';
import { parseTomlPlaces } from './toml-places.ts';

/** Whether a path is one of the files in which hosts look for MCP servers. */
export function isMcpConfig(path: string): boolean {
  const [name = '', folder = ''] = path.toLowerCase().split(/[\\/]/).reverse();
  if (/^(?:\.?mcp(?:[-_.](?:servers?|config|settings))?|claude_desktop_config|\.claude|cline_mcp_settings)\.json$|^opencode\.jsonc?$/.test(name)) return true;
  if (folder === '.codex' && name === 'config.toml') return true;
  return /^\.(?:vscode|cursor|windsurf|gemini|claude|roo|zed)$/.test(folder) && /^(?:mcp|settings(?:\.local)?)\.json$/.test(name);
}

/** Findings of CONFIG-MCP-001 to 004 in the text of such a file; none where it is neither JSON nor TOML. Secrets found already are told by their own rule too. */
export function mcpDrafts(text: string, secrets: readonly SecretHit[]): Draft[] {
  const root = parseJsonPlaces(text) ?? parseTomlPlaces(text);
  if (root === undefined) return [];
  const { lineAt, columnAt } = lineIndex(text);
  const drafts: Draft[] = [];
  const report: Report = (number, node, what, severity) => {
    const rule = mcpRules[number - 1] as McpRule;
    drafts.push({
      ruleId: rule.id, title: rule.title, message: rule.message.replace('{what}', () => safeNote(what.slice(0, 200))),
      severity: severity ?? rule.severity, confidence: rule.confidence, cwe: rule.cwe, remediation: rule.remediation,
      line: lineAt(node.start), endLine: lineAt(node.end), column: columnAt(node.start), endColumn: columnAt(node.end),
      scanType: rule.scanType, pillar: rule.pillar, owasp: rule.owasp, tags: rule.tags, trace: [],
    });
  };
  for (const server of serversOf(root, 0)) checkServer(server, secrets, report);
  return drafts;
}

type Report = (number: number, node: JsonNode, what: string, severity?: Severity) => void;

const overlaps = (hit: SecretHit, node: JsonNode): boolean => hit.start < node.end && node.start < hit.end;

/** The server objects of a file: members of `mcpServers`, `mcp_servers` (Codex), `servers` (VS Code), `context_servers` (Zed) or `mcp` (opencode), at any depth of nesting that hosts use. */
function serversOf(node: JsonNode, depth: number): JsonMember[] {
  if (node.type !== 'object' || depth > 4) return [];
  return node.members.flatMap(({ key, value }) => {
    const isList = value.type === 'object' && /^(?:mcpServers|mcp_servers|servers|context_servers|mcp)$/.test(key);
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
  const commandNode = memberOf(server, 'command');
  // opencode writes the whole command line as one list.
  const command = commandNode?.type === 'array' ? commandNode.items : commandNode === undefined ? [] : [commandNode];
  const words = wordsOf([...command, ...(args?.type === 'array' ? args.items : [])]);
  checkPackage(words, (word) => report(1, word.node, word.text));
  checkFolders(words, key, (word, folder) => report(4, word.node, folder));
  checkArguments(words, secrets, (word, name) => report(2, word.node, name === '' ? key : name));
  for (const name of ['env', 'environment', 'headers', 'http_headers', 'requestInit']) checkSecrets(memberOf(server, name), secrets, report);
  for (const name of ['url', 'serverUrl', 'httpUrl']) {
    const url = memberOf(server, name);
    if (url !== undefined) checkUrl(url, key, secrets, report);
  }
  for (const { text, node } of words) if (isPlainRemote(text)) report(3, node, key, severityOf(text));
}

function checkUrl(node: JsonNode, key: string, secrets: readonly SecretHit[], report: Report): void {
  const url = stringOf(node) ?? '';
  if (isPlainRemote(url)) report(3, node, key, severityOf(url));
  const name = secretInQuery(url);
  if (name !== undefined || secrets.some((hit) => overlaps(hit, node))) report(2, node, name ?? key);
}

/** CONFIG-MCP-002 in the members of an object. */
function checkSecrets(node: JsonNode | undefined, secrets: readonly SecretHit[], report: Report): void {
  if (node?.type !== 'object') return;
  for (const { key, value } of node.members) {
    if (value.type === 'object') checkSecrets(value, secrets, report);
    const text = stringOf(value);
    if (text === undefined || isFilledIn(text)) continue;
    if (secrets.some((hit) => overlaps(hit, value)) || looksSecret(key, text)) report(2, value, key);
  }
}

/** Not https, and not on this machine or a name that only this machine gives. */
function isPlainRemote(url: string): boolean {
  const host = /^(?:http|ws):\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]+)/i.exec(url)?.[1]?.toLowerCase();
  return host !== undefined && !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0|host\.docker\.internal)$|\.localhost$|\$\{/.test(host);
}

/** A name without a dot is that of a container or a neighbour on the same network. */
const severityOf = (url: string): 'high' | 'medium' => (/^(?:http|ws):\/\/(?:[^/?#@]*@)?[^/?#:.[\]]+(?:[:/?#]|$)/i.test(url) ? 'medium' : 'high');
