import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';
import { readOnly, reportProperties } from './answer-schemas.ts';

/** findings_for_path: what the last scan found in a file. */
export function findingsForPathTool({ context }: Parts): Tool {
  return defineTool({
    name: 'findings_for_path',
    title: 'Findings of a file',
    description:
      'Reads what the last `gadriel code scan` found in a file, or in a folder and below it, from .security/findings.json of the ' +
      'repository; waived findings are among them, marked. Scans nothing, writes nothing, calls no model.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'File or folder: relative to the root of the repository, or absolute inside it.' },
        repo_root: { type: 'string', minLength: 1, description: 'The repository; that of the working folder of the server when left out.' },
      },
      required: ['path'],
      additionalProperties: true,
    },
    outputSchema: {
      type: 'object',
      properties: { ...reportProperties, source: { type: 'string', description: 'The file that was read, relative to the root.' } },
      required: ['findings', 'count', 'source'],
    },
    annotations: { title: 'Findings of a file', ...readOnly },
    call: async ({ path, repo_root }) => {
      const { findingsForPath } = await import('../domain/records/findings-for-path.ts');
      const { toolRoot } = await import('../domain/records/repo-root.ts');
      return findingsForPath(path, await toolRoot(repo_root, context.cwd), context);
    },
  });
}
