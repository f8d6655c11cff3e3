import { explainIssues } from '../../../../schema/explain.ts';
import type { Issue } from '../../../../schema/validate.ts';

/** The version of a state file. People write these files by hand: where it is missing, the description says what to write. */
export const fileVersion = { const: 1, description: 'write "v":1 beside the other keys' } as const;

/** What a schema finds wrong with a state file, each behind the JSON pointer of the key it is about; without a full stop. */
export function problemOf(issues: readonly Issue[]): string {
  return explainIssues(issues).slice(0, -1);
}
