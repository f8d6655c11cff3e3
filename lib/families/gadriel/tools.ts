import type { Tool } from '../../mcp/family.types.ts';
import type { Parts } from './parts.types.ts';
import { validateBufferTool } from './tools/validate-buffer.ts';
import { validateFileTool } from './tools/validate-file.ts';

/** The tools of the family, in the order in which they are listed. */
export function gadrielTools(parts: Parts): readonly Tool[] {
  return [validateBufferTool(parts), validateFileTool(parts)];
}
