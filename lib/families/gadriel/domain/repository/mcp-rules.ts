import type { Pillar } from '../finding.types.ts';
import type { Rule } from '../rules/rule.types.ts';

/** A rule about the configuration of MCP servers; the same members as a SAST rule has. */
export type McpRule = Omit<Rule, 'pillar' | 'scanType'> & { readonly pillar: Pillar; readonly scanType: 'config' };

const server = (member: string): string => `{ "mcpServers": { "example": ${member} } }\n`;
const common = { owasp: ['A05:2021'], pillar: 'compliance', scanType: 'config', tags: ['mcp'] } as const;

/** CONFIG-MCP-001 to 004 (design of gadriel, section 3.2). */
export const mcpRules: readonly McpRule[] = [
  {
    ...common, id: 'CODE-W2-CONFIG-MCP-001', cwe: 'CWE-829', severity: 'medium', confidence: 'high',
    title: 'MCP server started from an unpinned package',
    message: 'The package {what} is fetched in whatever version is newest when the host starts it.',
    remediation: 'Name an exact version of the package, such as name@1.2.3.',
    why: 'npx and uvx fetch a package and run it with the rights of its user. Without a version every start may run other code: whoever takes over the package runs theirs on each machine that starts it.',
    bad: server('{ "command": "npx", "args": ["-y", "some-mcp-server"] }'),
    good: server('{ "command": "npx", "args": ["-y", "some-mcp-server@1.2.3"] }'),
  },
  {
    ...common, id: 'CODE-W2-CONFIG-MCP-002', cwe: 'CWE-798', severity: 'high', confidence: 'high',
    title: 'Secret written into an MCP configuration',
    message: 'The value of {what} is a literal secret in a file that is often shared.',
    remediation: 'Revoke the secret, and refer to a variable instead, such as ${EXAMPLE_TOKEN} or an input prompt.',
    why: 'MCP configuration files lie in repositories and dotfiles, are copied between machines and read by every tool that starts servers. A secret in one is as good as published.',
    // Put together, so that no scanner takes it for a leak.
    bad: server(`{ "command": "serve", "env": { "EXAMPLE_TOKEN": "${['q7Rw2', 'ZtYb9Kc4', 'Vn8Xs'].join('')}" } }`),
    good: server('{ "command": "serve", "env": { "EXAMPLE_TOKEN": "${EXAMPLE_TOKEN}" } }'),
  },
  {
    ...common, id: 'CODE-W2-CONFIG-MCP-003', cwe: 'CWE-319', severity: 'high', confidence: 'high',
    title: 'MCP server reached without encryption',
    message: 'The server {what} is reached over plain HTTP.',
    remediation: 'Use the https address of the server; plain HTTP only for one on this machine.',
    why: 'Prompts, tool results and the headers that authorise them can be read and changed by everybody on the way. Changed tool results steer the model that reads them.',
    bad: server('{ "url": "http://mcp.example.com/mcp" }'),
    good: server('{ "url": "https://mcp.example.com/mcp" }'),
  },
  {
    ...common, id: 'CODE-W2-CONFIG-MCP-004', cwe: 'CWE-732', severity: 'medium', confidence: 'medium',
    title: 'File system MCP server open to a whole disk or home folder',
    message: 'The file system server may read and write everything below {what}.',
    remediation: 'Give the server the project folder alone.',
    why: 'A model that was talked into it reads keys and writes start-up files if the server lets it. A server needs the folder of the project, not the disk.',
    bad: server('{ "command": "mcp-server-filesystem", "args": ["/"] }'),
    good: server('{ "command": "mcp-server-filesystem", "args": ["/srv/project"] }'),
  },
];
