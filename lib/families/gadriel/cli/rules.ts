import type { CliContext } from '../../../mcp/family.types.ts';
import { createColours, type Colours } from '../../../terminal/colour.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { suggestion } from '../../../terminal/nearest.ts';
import { formatTable } from '../../../terminal/table.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { ruleHelpOf, ruleHelps, ruleText, silenceOf, type RuleHelp } from '../domain/report/rule-help.ts';
import { paintOf } from './show-findings.ts';

const help = 'gadriel code rules --help';

/** `gadriel code rules [ID]`: the table of all rules, or the whole text of one. Returns the exit code; an unknown id is wrong usage. */
export async function runRules(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { json: 'switch' }, help);
  const [id, extra] = rest;
  if (extra !== undefined) throw new UsageError('code rules takes one id', { help });
  const colours = createColours(terminal.stdout, terminal.env);
  if (id === undefined) {
    terminal.stdout.write(flags.json === true ? toJsonLine({ rules: ruleHelps.map(listed), count: ruleHelps.length }) : ruleTable(terminal, colours));
    return exitCodes.done;
  }
  const rule = ruleHelpOf(id);
  if (rule === undefined) {
    throw new UsageError(`there is no rule ${JSON.stringify(id.slice(0, 80))}${suggestion(id.toUpperCase(), ruleHelps.map((each) => each.id))}`, { help });
  }
  terminal.stdout.write(flags.json === true ? toJsonLine({ ...listed(rule), ...rule.examples, silence: silenceOf(rule) }) : ruleText(rule));
  return exitCodes.done;
}

/** What the list and the single rule have in common, in wire words. */
const listed = ({ id, kind, title, severity, confidence, cwe, owasp, why, remediation }: RuleHelp): object =>
  ({ rule_id: id, scan_type: kind, title, severity, confidence, ...(cwe !== undefined && { cwe }), owasp, why, remediation });

function ruleTable(terminal: CliContext, colours: Colours): string {
  const rows = ruleHelps.map(({ id, title, severity, cwe }) => [id, { text: severity, paint: paintOf(severity, colours) }, cwe ?? '', title]);
  return formatTable(rows, { head: ['rule', 'severity', 'CWE', 'finds'], paintHead: colours.bold, width: terminal.stdout.columns });
}
