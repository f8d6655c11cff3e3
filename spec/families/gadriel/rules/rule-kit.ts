/** Runs the whole catalogue over a snippet, as specs of rules want it: rule ids by line. */
import assert from 'node:assert/strict';
import { createAnalyser } from '../../../../lib/families/gadriel/domain/analysis/analyser.ts';
import type { Profile, RawFinding } from '../../../../lib/families/gadriel/domain/analysis/model.types.ts';
import { matchers } from '../../../../lib/families/gadriel/domain/rules/index.ts';
import { parsePython } from '../../../../lib/syntax/python.ts';

const analyser = createAnalyser({ matchers });

/** The findings of a text of Python. */
export const findingsOf = (text: string, profile: Profile = 'default', path = 'app/views.py'): readonly RawFinding[] => {
  const { findings, incomplete } = analyser.analyse(parsePython(text), { path, profile });
  assert.equal(incomplete, undefined);
  return findings;
};

/** `17 L3-014` for each finding: the line and the rule without its prefix. */
export const found = (text: string, profile: Profile = 'default', path = 'app/views.py'): readonly string[] => {
  const module = parsePython(text);
  return findingsOf(text, profile, path).map((finding) => `${module.lineAt(finding.start)} ${finding.ruleId.slice('CODE-W1-'.length)}`);
};
