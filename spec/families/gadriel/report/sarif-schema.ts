import { readFileSync } from 'node:fs';
import path from 'node:path';
import { compileSchema } from '../../../../lib/schema/validate.ts';
import { projectRoot } from '../../../support/project.ts';

/**
 * The published schema (draft-04) as the validator of this project takes it: its definitions under their later name, and
 * without the pattern of `language`, which is no regular expression (`…]?`); this program writes no language.
 */
function readSchema(): Record<string, unknown> {
  const file = path.join(projectRoot, 'node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  const { id: _id, $schema: _draft, definitions: $defs, ...rest } = JSON.parse(readFileSync(file, 'utf8').replaceAll('#/definitions/', '#/$defs/'));
  for (const part of Object.values($defs as Record<string, { properties?: Record<string, { pattern?: string }> }>)) delete part.properties?.['language']?.pattern;
  return { ...rest, $defs };
}

const schema = compileSchema(readSchema());

/** What the schema of SARIF 2.1.0 has against a log; undefined when it is valid. */
export function sarifFault(log: unknown): string | undefined {
  const { valid, issues } = schema.validate(log);
  return valid ? undefined : issues.map(({ path: place, message }) => `${place}: ${message}`).join('\n');
}
