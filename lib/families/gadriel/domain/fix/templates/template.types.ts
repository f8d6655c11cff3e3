import type { Finding } from '../../finding.types.ts';
import type { TextEdit } from '../text-edit.ts';
import type { PythonCode } from './code/python-code.ts';

/** What a template makes of a finding: edits of the text, or why it has no safe ones. */
export type TemplateFix =
  | { readonly edits: readonly TextEdit[]; readonly rationale: string }
  | { readonly declined: string };

/** A template for Python code: pure, and run on the code as it is now, where `finding` has its fresh place. */
export type PythonTemplate = (code: PythonCode, finding: Finding) => TemplateFix;

/** Templates by rule id. */
export type TemplateTable = Readonly<Record<string, PythonTemplate>>;

/** Says that there is no safe edit, and why. */
export const decline = (why: string): TemplateFix => ({ declined: why });
