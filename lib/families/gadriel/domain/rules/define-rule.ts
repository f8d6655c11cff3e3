import type { Rule } from './rule.types.ts';

/** Makes a rule of a row: the fields that are the same for all of them are filled in. */
export const defineRule = (row: Omit<Rule, 'pillar' | 'scanType' | 'tags'> & { readonly tags?: readonly string[] }): Rule =>
  ({ pillar: 'security', scanType: 'sast', tags: [], ...row });
