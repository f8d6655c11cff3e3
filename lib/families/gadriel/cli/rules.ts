import type { CliContext } from '../../../mcp/family.types.ts';
import { createColours, type Colours } from '../../../terminal/colour.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { suggestion } from '../../../terminal/nearest.ts';
import { formatTable } from '../../../terminal/table.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { safeText } from '../../../text/safe-text.ts';
import { ruleIdSpellings } from '../domain/records/rule-ids.ts';
import { ownRuleHelps, type OwnRuleHelp } from '../domain/report/own-rules.ts';
import { ruleHelpOf, ruleHelps, ruleText, silenceOf, type RuleHelp } from '../domain/report/rule-help.ts';
import { isToolFailed } from '../domain/tool-failed.ts';
import { paintOf } from './show-findings.ts';

const help = 'gadriel code rules --help';

/**
 * `gadriel code rules [ID]`: the table of all rules with the own secrets of the repository, or the whole text of one. Returns
 * the exit code; an unknown id is wrong usage.
 */
export async function runRules(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { json: 'switch' }, help);
  const [id, extra] = rest;
  if (extra !== undefined) throw new UsageError('code rules takes one id', { help });
  const colours = createColours(terminal.stdout, terminal.env);
  if (id === undefined) {
    const all = [...ruleHelps, ...(await ownOf(terminal))].sort((a, b) => (a.id < b.id ? -1 : 1));
    terminal.stdout.write(flags.json === true ? toJsonLine({ rules: all.map(listed), count: all.length }) : ruleTable(all, terminal, colours));
    return exitCodes.done;
  }
  const builtIn = ruleHelpOf(id);
  const own = builtIn === undefined ? await ownOf(terminal) : [];
  const spellings = ruleIdSpellings(id);
  const rule = builtIn ?? own.find((each) => spellings.includes(each.id));
  if (rule === undefined) {
    throw new UsageError(`there is no rule ${JSON.stringify(id.slice(0, 80))}${suggestion(id.toUpperCase(), [...ruleHelps, ...own].map((each) => each.id))}`, { help });
  }
  terminal.stdout.write(flags.json === true ? toJsonLine({ ...listed(rule), ...rule.examples, silence: silenceOf(rule) }) : textOf(rule));
  return exitCodes.done;
}

/** The secrets that the settings of the repository add. Broken settings hide no built-in rule. */
async function ownOf({ cwd, stderr }: CliContext): Promise<readonly OwnRuleHelp[]> {
  try {
    return await ownRuleHelps(cwd);
  } catch (error) {
    if (!isToolFailed(error)) throw error;
    stderr.write(`gadriel: warning: ${safeText(error.message)}; only the built-in rules are known\n`);
    return [];
  }
}

const textOf = (rule: RuleHelp | OwnRuleHelp): string =>
  `${ruleText({ ...rule, title: safeText(rule.title) })}${'pattern' in rule ? `\nPattern, from .gadriel.toml\n  ${safeText(rule.pattern)}\n` : ''}`;

/** What the list and the single rule have in common, in wire words. */
const listed = (rule: RuleHelp | OwnRuleHelp): object => {
  const { id, kind, title, severity, confidence, cwe, owasp, why, remediation } = rule;
  const pattern = 'pattern' in rule ? { pattern: rule.pattern } : {};
  return { rule_id: id, scan_type: kind, title, severity, confidence, ...(cwe !== undefined && { cwe }), owasp, why, remediation, ...pattern };
};

function ruleTable(all: readonly RuleHelp[], terminal: CliContext, colours: Colours): string {
  const rows = all.map(({ id, title, severity, cwe }) => [id, { text: severity, paint: paintOf(severity, colours) }, cwe ?? '', safeText(title)]);
  return formatTable(rows, { head: ['rule', 'severity', 'CWE', 'finds'], paintHead: colours.bold, width: terminal.stdout.columns });
}
