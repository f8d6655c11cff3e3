import { Buffer } from 'node:buffer';
import type { DispatchTable } from './dispatch-table.ts';
import type { Tool } from './family.types.ts';
import type { Revision } from './eras/revisions.ts';

/** Pages of tools/list as JSON text (without the closing brace), made once a revision. */
export class ToolsList {
  readonly #table: DispatchTable;
  readonly #pageSize: number;
  readonly #encoded = new Map<string, readonly string[]>();

  constructor(table: DispatchTable, pageSize: number) {
    this.#table = table;
    this.#pageSize = pageSize;
  }

  /**
   * The members `tools` and `nextCursor` of one page, as JSON text without braces; undefined for a cursor that was
   * never given out. Without a cursor it is the first page.
   */
  page(revision: Revision, cursor: string | undefined): string | undefined {
    const tools = this.#toolsOf(revision);
    const start = cursor === undefined ? 0 : this.#offsetOf(cursor, tools.length);
    if (start === undefined) return undefined;
    const end = start + this.#pageSize;
    const members = `"tools":[${tools.slice(start, end).join(',')}]`;
    return end < tools.length ? `${members},"nextCursor":"${cursorOf(end)}"` : members;
  }

  #toolsOf(revision: Revision): readonly string[] {
    let tools = this.#encoded.get(revision.version);
    if (tools === undefined) {
      tools = [...this.#table.rows.values()].map((row) => JSON.stringify(describeTool(row.tool, revision)));
      this.#encoded.set(revision.version, tools);
    }
    return tools;
  }

  #offsetOf(cursor: string, count: number): number | undefined {
    const offset = Number(/^tools:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1]);
    const given = offset > 0 && offset < count && offset % this.#pageSize === 0 && cursor === cursorOf(offset);
    return given ? offset : undefined;
  }
}

const cursorOf = (offset: number): string => Buffer.from(`tools:${offset}`, 'latin1').toString('base64url');

/** A tool as tools/list shows it; fields that the revision does not know are left out. */
export function describeTool(tool: Tool, revision: Revision): Record<string, unknown> {
  return {
    name: tool.name,
    ...(revision.structured && { title: tool.title }),
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(revision.structured && tool.outputSchema !== undefined && { outputSchema: tool.outputSchema }),
    ...(revision.annotations && { annotations: { ...tool.annotations, title: tool.annotations.title ?? tool.title } }),
    ...(revision.icons && tool.icons !== undefined && { icons: tool.icons }),
    ...(revision.structured && tool.meta !== undefined && { _meta: tool.meta }),
  };
}
