import { isPython } from '../../source-path.ts';
import type { Finding } from '../../finding.types.ts';
import { commandTemplates } from './commands/commands.ts';
import { dataTemplates } from './settings/data.ts';
import { hashingTemplates } from './secrets/hashing.ts';
import { pageTemplates } from './pages/pages.ts';
import { mcpTemplates } from './secrets/mcp-config.ts';
import { openPython, type PythonCode } from './code/python-code.ts';
import { queryTemplates } from './queries/queries.ts';
import { secretLiteral } from './secrets/secret-literal.ts';
import { settingTemplates } from './settings/settings.ts';
import type { TextEdit } from '../text-edit.ts';
import { decline, type TemplateFix, type TemplateTable } from './template.types.ts';
import { transportTemplates } from './settings/transport.ts';

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
  const code = openPython(text, finding);
  const fix = template?.(code, finding);
  return fix !== undefined && 'edits' in fix && fix.edits.some((edit) => breaksText(code, edit)) ? decline(inText) : fix;
}

const inText = 'The code stands inside an f-string, where what replaces it can not be written before Python 3.12: take it out into a variable first.';

/** Whether an edit inside of a value of an f-string brings what may not stand there: quotes of the string, a backslash, a comment, a line end. */
function breaksText(code: PythonCode, { start, end, text }: TextEdit): boolean {
  return code.nodes().some((node) => {
    if (node.type !== 'JoinedStr' || node.start >= start || end >= node.end) return false;
    const [quote = ''] = /"""|'{3}|["']/.exec(code.source(node)) ?? [];
    // Who writes quotes of the string in its values already has a Python that takes them.
    return /[\\#]/.test(text) || (quote.length === 1 && /[\r\n]/.test(text)) || (text.includes(quote) && !code.text.slice(start, end).includes(quote));
  });
}
