import { isPython } from '../../source-path.ts';
import type { Finding } from '../../finding.types.ts';
import { commandTemplates } from './commands.ts';
import { dataTemplates, secretLiteral } from './data.ts';
import { hashingTemplates } from './hashing.ts';
import { pageTemplates } from './pages.ts';
import { mcpTemplates } from './mcp-config.ts';
import { openPython } from './python-code.ts';
import { queryTemplates } from './queries.ts';
import { settingTemplates } from './settings.ts';
import type { TemplateFix, TemplateTable } from './template.types.ts';
import { transportTemplates } from './transport.ts';

const templates: TemplateTable = {
  ...commandTemplates, ...dataTemplates, ...hashingTemplates, ...pageTemplates, ...queryTemplates, ...settingTemplates, ...transportTemplates,
};

/** The rules of code and of MCP configuration that have an offline template, in order; each secret detector has one beside them. */
export const rulesWithTemplate: readonly string[] = [...Object.keys(templates), ...Object.keys(mcpTemplates)].sort();

/**
 * What the offline templates make of a finding in a text, which has no byte order mark. Undefined where none is for its rule
 * or its kind of file.
 */
export function fixByTemplate(text: string, finding: Finding): TemplateFix | undefined {
  if (Object.hasOwn(mcpTemplates, finding.rule_id)) return mcpTemplates[finding.rule_id]!(text, finding);
  if (!isPython(finding.file, text)) return undefined;
  const template = Object.hasOwn(templates, finding.rule_id) ? templates[finding.rule_id] : finding.scan_type === 'secrets' ? secretLiteral : undefined;
  return template?.(openPython(text), finding);
}
