import type { CliContext, Tool } from '../mcp/family.types.ts';
import { createColours } from '../terminal/colour.ts';
import { formatTable } from '../terminal/table.ts';
import type { Flags } from '../terminal/flags.ts';
import { toJsonLine } from '../text/json-line.ts';
import { closeInTime, openServer } from './open-server.ts';
import type { Server } from '../mcp/server.ts';

/** The flags of `toolwire tools`. */
export const toolsFlags = { json: 'switch', plugin: 'values' } as const;

/** A tool as tools/list shows it to the newest legacy revision. */
export type ListedTool = Pick<Tool, 'name' | 'title' | 'description' | 'inputSchema' | 'annotations'>;

/** `toolwire tools`: the table of tools, or with --json what tools/list answers. */
export async function showTools(names: readonly string[], flags: Flags<typeof toolsFlags>, terminal: CliContext): Promise<number> {
  const server = await openServer('toolwire', names, flags.plugin ?? []);
  const tools = await listTools(server);
  await closeInTime(server);
  if (flags.json === true) {
    terminal.stdout.write(toJsonLine({ tools }, 2));
    return 0;
  }
  const colours = createColours(terminal.stdout, terminal.env);
  const rows = tools.map((tool) => [{ text: tool.name, paint: colours.cyan }, effectOf(tool), tool.title]);
  terminal.stdout.write(formatTable(rows, { head: ['TOOL', 'EFFECT', 'TITLE'], paintHead: colours.bold, width: terminal.stdout.columns }));
  return 0;
}

/** All tools of a server, through its own tools/list, page by page. */
export async function listTools(server: Server): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  do {
    const line = await server.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: cursor === undefined ? {} : { cursor } }));
    const { result, error } = JSON.parse(line as string) as { result?: { tools: ListedTool[]; nextCursor?: string }; error?: { message: string } };
    if (result === undefined) throw new Error(`the tools can not be listed: ${error?.message}`);
    tools.push(...result.tools);
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

/** What a tool does to the world, in a few words, from its annotations. */
export function effectOf({ annotations }: ListedTool): string {
  const does = annotations.readOnlyHint ? 'reads' : annotations.destructiveHint ? 'changes, may destroy' : 'changes';
  return annotations.openWorldHint ? `${does}, network` : does;
}
