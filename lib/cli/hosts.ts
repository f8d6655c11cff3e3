import { existsSync } from 'node:fs';
import path from 'node:path';
import { builtIns } from './families.ts';

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
  /** Whether its file may hold comments and trailing commas. */
  readonly comments: boolean;
};

/** The hosts whose project files `toolwire install` can write, with the file and member that their manuals name. */
export const hosts: readonly Host[] = [
  { name: 'claude', title: 'Claude Code', member: 'mcpServers', file: '.mcp.json', typed: true, comments: false },
  { name: 'cursor', title: 'Cursor', member: 'mcpServers', file: path.join('.cursor', 'mcp.json'), typed: false, comments: false },
  { name: 'vscode', title: 'VS Code', member: 'servers', file: path.join('.vscode', 'mcp.json'), typed: true, comments: true },
];

/** How a host starts the server. */
export type HostEntry = { readonly type?: 'stdio'; readonly command: string; readonly args: readonly string[] };

/** The entry that starts `launcher` (an absolute path) with these words. */
export function entryFor(host: Host, launcher: string, words: readonly string[]): HostEntry {
  return { ...(host.typed && { type: 'stdio' as const }), command: 'node', args: [launcher, ...words] };
}

/** Names of the package's bins. */
const bins = ['toolwire', ...builtIns.map(({ name }) => name)].join('|');
const ownWord = new RegExp(String.raw`(?:^|[\\/])toolwire(?:@[^\\/]{1,40}|\.(?:js|cmd|exe))?$|[\\/]toolwire[\\/]|[\\/]bin[\\/](?:${bins})\.js$`);
const ownCommand = new RegExp(String.raw`(?:^|[\\/])(?:${bins})(?:\.(?:js|cmd|exe))?$`);

/** Whether an entry of a configuration starts one of our bins, wherever it is installed, or `launcher`, the running one. */
export function isOurs(entry: unknown, launcher?: string): boolean {
  const [command = '', ...args] = wordsOf(entry);
  return ownCommand.test(command) || [command, ...args].some((word) => word === launcher || ownWord.test(word));
}

/** The file that an entry of ours starts and that is not there any more, as after its clone was moved; undefined where none is missing. */
export function missingLauncher(entry: unknown): string | undefined {
  return wordsOf(entry).find((word) => path.isAbsolute(word) && word.endsWith('.js') && ownWord.test(word) && !existsSync(word));
}

/** The command of an entry and its arguments. */
function wordsOf(entry: unknown): readonly string[] {
  const { command, args } = (typeof entry === 'object' && entry !== null ? entry : {}) as { command?: unknown; args?: unknown };
  return [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].map((word) => (typeof word === 'string' ? word : ''));
}
