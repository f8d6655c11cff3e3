import path from 'node:path';
import type { CliContext } from '../../../mcp/family.types.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { safeText } from '../../../text/safe-text.ts';
import { severities, type Finding, type Severity } from '../domain/finding.types.ts';
import type { Surroundings } from '../../../domain/surroundings.types.ts';
import { isToolFailed } from '../domain/tool-failed.ts';
import { Scans } from '../domain/validate.ts';
import { refuseNotBuilt } from './not-built.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gadriel hooks --help';
/** A host's hook tells a few paths; more is no such message. */
const maxInputBytes = 16 * 1024 * 1024;
/** A host shows the text to its model; the worst come first. */
const maxShown = 50;
/** The exit code by which a host's hook stops the agent and shows it the text of stderr. */
const blocked = 2;

/** `gadriel hooks EVENT`: post-edit scans the edited files, every other event does nothing. Returns 0, or 2 at the threshold. */
export async function runHooks(words: readonly string[], terminal: CliContext): Promise<number> {
  const [event, ...others] = words;
  if (event === undefined || event === '' || event.startsWith('-')) throw new UsageError('hooks needs an event, such as post-edit', { help });
  if (event === 'adapt') refuseNotBuilt('hooks adapt', help);
  // Hosts may pass what they like to events that do nothing.
  if (event !== 'post-edit') return exitCodes.done;
  const { rest } = parseFlags(others, {}, help);
  const threshold = thresholdOf(terminal);
  if (threshold === undefined) return exitCodes.done;
  const edit = rest.length === 0 ? editOf(await readMessage(terminal)) : undefined;
  const here = folderOf(terminal);
  let code: number = exitCodes.done;
  for (const file of edit === undefined ? rest : [edit.file ?? '']) {
    const cwd = edit?.cwd ?? here ?? (path.isAbsolute(file) ? path.dirname(file) : undefined);
    if (file === '' || cwd === undefined) continue;
    const found = (await scan(file, surroundingsIn(cwd, terminal), terminal.signal)).filter((finding) => !finding.waived && severities.indexOf(finding.severity) <= severities.indexOf(threshold));
    if (found.length === 0) continue;
    terminal.stderr.write(describe(file, found));
    code = blocked;
  }
  return code;
}

/** The working folder; undefined where an agent removed it, which must not keep a file elsewhere from being looked at. */
function folderOf(terminal: CliContext): string | undefined {
  try {
    return terminal.cwd;
  } catch {
    // Node starts no worker thread in a folder that is gone.
    process.chdir(path.parse(process.execPath).root);
    return undefined;
  }
}

/** Member by member: a spread would ask for the working folder too, which may be gone. */
const surroundingsIn = (cwd: string, { env, now, random, stdin, prompt, stdout, stderr, signal }: CliContext): Surroundings =>
  surroundingsOf({ env, cwd, now, random, stdin, prompt, stdout, stderr, signal });

/** The severity that stops an agent; undefined switches the guardrail off. A word nobody knows must not switch it off. */
function thresholdOf({ env, stderr }: CliContext): Severity | undefined {
  const word = (env['GADRIEL_GUARDRAIL'] ?? '').toLowerCase();
  if (word === 'off') return undefined;
  const known = severities.find((severity) => severity === word);
  if (known === undefined && word !== '') stderr.write(`gadriel: warning: GADRIEL_GUARDRAIL is none of off, ${severities.join(', ')}; taken as high\n`);
  return known ?? 'high';
}

const readMessage = async ({ stdin }: CliContext): Promise<string> => (stdin.isTTY ? '' : new TextDecoder().decode(await stdin.read(maxInputBytes)));

/** What a host's message tells of an edit. */
type Edit = { readonly file?: string | undefined; readonly cwd?: string | undefined };

/** The edited file in a host's message, and the folder that a relative one starts at; nothing where it names none, or is no such message. */
function editOf(input: string): Edit {
  let message: unknown;
  try {
    message = JSON.parse(input);
  } catch {
    return {};
  }
  const { tool_input: tool, cwd } = (message ?? {}) as { tool_input?: { file_path?: unknown; notebook_path?: unknown } | null; cwd?: unknown };
  const file = [tool?.file_path, tool?.notebook_path].find((one) => typeof one === 'string');
  return { file, cwd: typeof cwd === 'string' && path.isAbsolute(cwd) ? cwd : undefined };
}

/** What is found in the file; nothing where it is excluded or can not be scanned, since an agent must not be stopped by that. */
async function scan(file: string, surroundings: Surroundings, signal: AbortSignal): Promise<readonly Finding[]> {
  // An agent that breaks the settings must not switch the guardrail off by it.
  const scans = new Scans({ lenient: true });
  try {
    if (await scans.isExcluded(file, surroundings)) return [];
    return (await scans.validateFile(file, surroundings, signal)).findings;
  } catch (error) {
    if (!isToolFailed(error)) throw error;
    return [];
  } finally {
    await scans.close();
  }
}

/** The public command line's form: a header, then `[Severity] RULE (scan_type):line` and the indented remedy. */
function describe(file: string, findings: readonly Finding[]): string {
  const worst = findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
  const lines = worst.slice(0, maxShown).flatMap(({ severity, rule_id, scan_type, line, message, remediation }) => [
    `[${severity[0]?.toUpperCase()}${severity.slice(1)}] ${safeText(rule_id)} (${scan_type}):${line}`,
    `  ${safeText(message)} ${safeText(remediation)}`,
  ]);
  if (worst.length > maxShown) lines.push(`… and ${worst.length - maxShown} more`);
  return `gadriel: ${findings.length} finding${findings.length === 1 ? '' : 's'} in ${safeText(file)} at the guardrail or above:\n${lines.join('\n')}\n`;
}
