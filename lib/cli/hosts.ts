import path from 'node:path';

/** A program that starts MCP servers from a configuration file. */
export type Host = {
  readonly name: string;
  readonly title: string;
  /** The member that holds the servers by name. */
  readonly member: 'mcpServers' | 'servers';
  /** Its file for one project, below that project's folder. */
  readonly file: string;
  /** Whether an entry says that it is started over stdio. */
  readonly typed: boolean;
};

/** The hosts whose project files `toolwire install` can write, with the file and member that their manuals name. */
export const hosts: readonly Host[] = [
  { name: 'claude', title: 'Claude Code', member: 'mcpServers', file: '.mcp.json', typed: true },
  { name: 'cursor', title: 'Cursor', member: 'mcpServers', file: path.join('.cursor', 'mcp.json'), typed: false },
  { name: 'vscode', title: 'VS Code', member: 'servers', file: path.join('.vscode', 'mcp.json'), typed: true },
];

/** How a host starts the server. */
export type HostEntry = { readonly type?: 'stdio'; readonly command: string; readonly args: readonly string[] };

/** The entry that starts `launcher` (an absolute path) with these words. */
export function entryFor(host: Host, launcher: string, words: readonly string[]): HostEntry {
  return { ...(host.typed && { type: 'stdio' as const }), command: 'node', args: [launcher, ...words] };
}

/** Whether an entry of a configuration starts one of our launchers. */
export function isOurs(entry: unknown): boolean {
  const { command, args } = (typeof entry === 'object' && entry !== null ? entry : {}) as { command?: unknown; args?: unknown };
  return [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].some((word) => typeof word === 'string' && /(?:^|[\\/])toolwire(?:@[^\\/]{1,40}|\.js)?$|[\\/]toolwire[\\/]/.test(word));
}
