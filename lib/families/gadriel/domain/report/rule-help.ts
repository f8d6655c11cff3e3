import { detectorTable } from '../../../../secrets/scan.ts';
import type { Confidence, ScanType, Severity } from '../finding.types.ts';
import { foreignIds } from '../foreign-ids.ts';
import { maskSecrets } from '../../../../secrets/mask-secrets.ts';
import { ruleIdSpellings } from '../records/rule-ids.ts';
import { mcpRules } from '../repository/mcp-rules.ts';
import { rules } from '../rules/index.ts';

/** What people read about a rule, of whichever kind. */
export type RuleHelp = {
  readonly id: string;
  readonly kind: ScanType;
  readonly title: string;
  /** Of most of its findings; one may be more or less. */
  readonly severity: Severity;
  readonly confidence: Confidence;
  /** Undefined where each finding brings its own. */
  readonly cwe: string | undefined;
  readonly owasp: readonly string[];
  readonly why: string;
  /** One sentence. */
  readonly remediation: string;
  readonly examples: { readonly bad: string; readonly good: string; readonly language: string } | undefined;
};

const secretWhy =
  'Whoever can read the code, a copy of it, its history or its build can use the secret, and nobody notices. '
  + 'Taking it out of the file is not enough: it stays in the history, so it has to be revoked.';

// The text of a real secret has no place here either.
const secretExamples = {
  language: 'python',
  bad: 'token = "<the secret itself>"\n',
  good: 'import os\n\ntoken = os.environ["SERVICE_TOKEN"]\n',
};

const secretRules: readonly RuleHelp[] = detectorTable.map(({ id, title, severity, confidence }) => ({
  id, kind: 'secrets', title, severity, confidence, cwe: 'CWE-798', owasp: ['A07:2021'], why: secretWhy,
  remediation: 'Revoke the secret where it was issued, then read its successor from the environment or a secret store.',
  examples: secretExamples,
}));

const codeRules: readonly RuleHelp[] = rules.map(({ id, title, severity, confidence, cwe, owasp, why, remediation, bad, good }) => ({
  id, kind: 'sast', title, severity, confidence, cwe, owasp, why, remediation, examples: { bad, good, language: 'python' },
}));

const configRules: readonly RuleHelp[] = mcpRules.map(({ id, title, severity, confidence, cwe, owasp, why, remediation, bad, good }) => ({
  // A log with this text must not be taken for a leak itself.
  id, kind: 'config', title, severity, confidence, cwe, owasp, why, remediation, examples: { bad: maskSecrets(bad), good, language: 'json' },
}));

/** What a model reports alone (section "Tier 2" of the docs); it has no detector here. */
const modelRule: RuleHelp = {
  id: 'CODE-W1-AI-690', kind: 'ai', title: 'Reported by a model alone', severity: 'low', confidence: 'low', cwe: undefined, owasp: [],
  why: 'A model read the code and named this place; no rule confirms it. It is advice: it never stops a build, whatever severity was claimed.',
  remediation: 'Read the place, and fix it or dismiss it with a reason.',
  examples: undefined,
};

/** Every rule with a text, in order of id. */
export const ruleHelps: readonly RuleHelp[] = [...codeRules, ...secretRules, ...configRules, modelRule].sort((a, b) => (a.id < b.id ? -1 : 1));

const byId = new Map(ruleHelps.map((help) => [help.id, help]));

/** The text of a rule by its id, or by the id without `CODE-W1-` or `CODE-W2-`, in any case; undefined when there is none. */
export function ruleHelpOf(id: string): RuleHelp | undefined {
  return ruleIdSpellings(id).map((spelling) => byId.get(spelling)).find((help) => help !== undefined);
}

/** How a finding of the rule is silenced: the marks of the source where it can have comments, then the waiver. */
export function silenceOf({ id, kind }: RuleHelp): readonly string[] {
  const waiver = `gadriel code fix ${id} --false-positive "why"`;
  if (kind !== 'sast' && kind !== 'secrets') return [waiver];
  const short = id.replace(/^CODE-W1-/, '');
  const foreign = [...foreignIds].filter(([, covered]) => covered.includes(id)).map(([number]) => `B${number}`);
  return [
    `# gadriel:ignore[${short}] why`,
    ...(foreign.length > 0 ? [`# nosec ${foreign.join(', ')}`] : []),
    ...(kind === 'secrets' ? ['# gitleaks:allow', '# pragma: allowlist secret'] : []),
    waiver,
  ];
}

/** The text of `code rules ID`, without colours; ends with a newline. */
export function ruleText(help: RuleHelp): string {
  const { id, title, severity, confidence, cwe, owasp, why, remediation, examples } = help;
  return [
    `${id}: ${title}`,
    [...(cwe === undefined ? [] : [cwe]), `severity ${severity}`, `confidence ${confidence}`, ...owasp].join(', '),
    '', 'Why', `  ${why}`, '', 'Remedy', `  ${remediation}`,
    ...(examples === undefined ? [] : ['', 'Bad', indent(examples.bad), '', 'Good', indent(examples.good)]),
    '', 'To silence it', ...silenceOf(help).map((line) => `  ${line}`), '',
  ].join('\n');
}

/** The same as Markdown. */
export function ruleMarkdown(help: RuleHelp): string {
  const { why, remediation, examples } = help;
  const fence = (code: string, language: string): string => `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``;
  return [
    why, `**Remedy:** ${remediation}`,
    ...(examples === undefined ? [] : ['Bad:', fence(examples.bad, examples.language), 'Good:', fence(examples.good, examples.language)]),
    'To silence it:', fence(silenceOf(help).join('\n'), ''),
  ].join('\n\n');
}

const indent = (code: string): string => code.trimEnd().split('\n').map((line) => (line === '' ? '' : `  ${line}`)).join('\n');
