import { defineTool } from '../../mcp/define.ts';
import type { FamilyContext, Tool } from '../../mcp/family.types.ts';
import type { Scans } from './domain/validate.ts';

const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

const findings = { type: 'array', items: { type: 'object' }, description: 'In order of line and rule.' } as const;
const count = { type: 'integer', description: 'Number of findings, left-out ones included.' } as const;
const truncated = { type: 'integer', description: 'How many of the least severe findings are left out of this answer.' } as const;
const incomplete = { type: 'string', description: 'Why the analysis stopped before the end of the code.' } as const;
const tier2 = { type: ['object', 'null'], description: 'null unless Tier 2 is on.' } as const;

/** The tools of the family; `loadScans` is called at the first call. */
export function gadrielTools(context: FamilyContext, loadScans: () => Promise<Scans>): readonly Tool[] {
  return [
    defineTool({
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
        properties: { findings, count, truncated, incomplete, language_coverage: { type: ['object', 'null'], description: 'null for Python.' }, tier2_request: tier2 },
        required: ['findings', 'count', 'language_coverage', 'tier2_request'],
      },
      annotations: { title: 'Scan a code buffer', ...readOnly },
      call: async ({ content, file_path }, { signal }) => (await loadScans()).validateBuffer(content, file_path, signal),
    }),
    defineTool({
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
        properties: { findings, count, truncated, incomplete, tier2_request: tier2 },
        required: ['findings', 'count', 'tier2_request'],
      },
      annotations: { title: 'Scan a file', ...readOnly },
      call: async ({ file_path }, { signal }) => (await loadScans()).validateFile(file_path, context.cwd, signal),
    }),
  ];
}
