import type { Issue } from './issue.types.ts';

const shownIssues = 5;

/**
 * Issues as one sentence for people, the first five of them; '' when there are none.
 * "/count must be an integer, got a string; /mode is not a known property; known: count."
 */
export function explainIssues(issues: readonly Issue[]): string {
  if (issues.length === 0) return '';
  const shown = issues.slice(0, shownIssues).map((issue) => issue.message);
  const more = issues.length - shown.length;
  if (more > 0) shown.push(`and ${more} more`);
  return `${shown.join('; ')}.`;
}
