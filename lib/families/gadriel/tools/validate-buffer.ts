import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';
import { isTier2On, readOnly, scanProperties } from './answer-schemas.ts';

/** validate_buffer: scans text that is not saved yet. */
export function validateBufferTool({ context, loadScans, loadSessions }: Parts): Tool {
  return defineTool({
    name: 'validate_buffer',
    title: 'Scan a code buffer',
    description:
      'Scans source text that is not saved yet: Python is analysed for vulnerabilities (injection, deserialization, crypto, TLS, ' +
      'path and SSRF flaws, unsafe use of model output), any text is searched for leaked secrets. Writes nothing, calls no model.',
    inputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string', description: 'The whole source text, at most 5 MiB.' },
        file_path: { type: 'string', description: 'The path it would be saved under: decides the language and is echoed in the findings.' },
      },
      required: ['content', 'file_path'],
      additionalProperties: true,
    },
    outputSchema: {
      type: 'object',
      properties: { ...scanProperties, language_coverage: { type: ['object', 'null'], description: 'null for Python.' } },
      required: ['findings', 'count', 'language_coverage', 'tier2_request'],
    },
    annotations: { title: 'Scan a code buffer', ...readOnly },
    call: async ({ content, file_path }, { signal }) => {
      const report = await (await loadScans()).validateBuffer(content, file_path, context, signal);
      if (!isTier2On(context.env)) return report;
      const { offerTier2 } = await import('../domain/tier2/offer.ts');
      return offerTier2(report, { content, file: file_path }, await loadSessions(), context.now());
    },
  });
}
