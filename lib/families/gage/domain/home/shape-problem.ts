import { explainIssues } from '../../../../schema/explain.ts';
import type { Issue } from '../../../../schema/validate.ts';

/** What a schema finds wrong with a state file, each behind the JSON pointer of the key it is about; without a full stop. */
export function problemOf(issues: readonly Issue[]): string {
  return explainIssues(issues).slice(0, -1);
}
