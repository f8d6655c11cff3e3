import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';
import { isTier2On, readOnly, scanProperties } from './answer-schemas.ts';

/** validate_file: scans one file on disk. */
export function validateFileTool({ context, loadScans, loadSessions }: Parts): Tool {
  return defineTool({
    name: 'validate_file',
    title: 'Scan a file',
    description:
      'Scans one file on disk: Python (and the Python cells of notebooks) is analysed for vulnerabilities, any text file is searched ' +
      'for leaked secrets. Reads the file, writes nothing, calls no model. The answer holds no file content and no secret.',
    inputSchema: {
      type: 'object',
      properties: { file_path: { type: 'string', description: 'Path of the file, absolute or relative to the working folder of the server.' } },
      required: ['file_path'],
      additionalProperties: true,
    },
    outputSchema: {
      type: 'object',
      properties: { ...scanProperties },
      required: ['findings', 'count', 'tier2_request'],
    },
    annotations: { title: 'Scan a file', ...readOnly },
    call: async ({ file_path }, { signal }) => {
      const report = await (await loadScans()).validateFile(file_path, context, signal);
      if (!isTier2On(context.env)) return report;
      const { offerTier2 } = await import('../domain/tier2/offer.ts');
      return offerTier2(report, { file: file_path, cwd: context.cwd }, await loadSessions(), context.now());
    },
  });
}
