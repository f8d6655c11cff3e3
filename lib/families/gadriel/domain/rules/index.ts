/** The rule catalogue: every SAST rule with its metadata, and the matchers for the engine. */
import type { Matcher } from '../analysis/model.types.ts';
import { agentRules } from './agents.ts';
import { auditRules } from './audit.ts';
import { cipherRules } from './ciphers.ts';
import { codeRules } from './code.ts';
import { commandRules, shellTrue } from './command.ts';
import { deserializationRules } from './deserialization.ts';
import { digestRules } from './digests.ts';
import { fileRules } from './files.ts';
import { htmlRules } from './html.ts';
import { loggingRules } from './logging.ts';
import { noPassword, patternRules } from './patterns.ts';
import { everyInterface, permissionRules, temporaryName } from './permissions.ts';
import { processRules } from './process.ts';
import { promptRules } from './prompts.ts';
import { queryRules } from './queries.ts';
import { randomnessRules } from './randomness.ts';
import { requestRules } from './requests.ts';
import { responseRules } from './responses.ts';
import type { Rule, RuleSet } from './rule.types.ts';
import { settingRules } from './settings.ts';
import { builtSql, sqlRules } from './sql.ts';
import { templateRules } from './templates.ts';
import { tlsRules } from './tls.ts';
import { tokenRules } from './tokens.ts';
import { xmlRules } from './xml.ts';

/** The catalogue by topic. */
export const ruleSets: readonly RuleSet[] = [
  codeRules, commandRules, processRules, sqlRules, templateRules, htmlRules, queryRules, fileRules, permissionRules, requestRules, responseRules,
  settingRules, deserializationRules, xmlRules, loggingRules, patternRules, tlsRules, tokenRules, digestRules, cipherRules, randomnessRules,
  promptRules, agentRules,
  auditRules({ shell: shellTrue, temporary: temporaryName, sql: builtSql, password: noPassword, address: everyInterface }),
];

/** Every rule, in order of id. */
export const rules: readonly Rule[] = ruleSets.flatMap((set) => set.rules).sort((a, b) => (a.id < b.id ? -1 : 1));

/** What the engine runs: give these to `createAnalyser`. */
export const matchers: readonly Matcher[] = ruleSets.flatMap((set) => set.matchers);

const byId = new Map(rules.map((rule) => [rule.id, rule]));

/** The rule of an id; undefined for ids of other scan types (secrets, MCP configuration). */
export const ruleById = (id: string): Rule | undefined => byId.get(id);
