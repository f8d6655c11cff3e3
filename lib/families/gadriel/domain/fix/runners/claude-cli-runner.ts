import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Surroundings } from '../../../../../domain/surroundings.types.ts';
import { hasConsent, modelOf } from './claude-runner.ts';
import { outputOf, type CliPatience } from './program-output.ts';
import { askForFix, askForOpinion, type Ask, type Said } from './model-dialogue.ts';
import type { Runner, RunnerRequest } from './runner.types.ts';

const usual: CliPatience = { total: 120_000, grace: 2_000 };

/** Every tool by name, since no switch is known that takes all of them away. */
const tools = 'Edit,MultiEdit,Write,NotebookEdit,Bash,BashOutput,KillShell,Read,Glob,Grep,LS,Task,WebFetch,WebSearch,TodoWrite';

/** The runner that starts the program `claude` of the user, in an empty folder. Sees source by consent only, as it sends it on. */
export function claudeCliRunner(patience: CliPatience = usual): Runner {
  return {
    id: 'claude-cli',
    maxAttempts: 3,
    unavailable: (env) => (programOf(env) === undefined ? 'the program claude is not in PATH' : undefined),
    maySeeSource: hasConsent,
    propose: (request) => askForFix(request, askProgram(request, patience)),
    confirm: (request) => askForOpinion(request, askProgram(request, patience), hasConsent(request.surroundings.env)),
  };
}

function programOf(env: Surroundings['env']): string | undefined {
  // A relative folder in PATH is that of whoever made the working folder.
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, 'claude')).find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  });
}

function askProgram({ surroundings }: RunnerRequest, { total, grace }: CliPatience): Ask {
  const until = Date.now() + total;
  return async (prompt, again) => {
    const lines = [prompt.system, '', prompt.user];
    if (again !== undefined) {
      lines.push('', `Your last answer was: ${again.answer}`, `That is not usable: ${again.wrong}. Answer again in the agreed form.`);
    }
    return run(lines.join('\n'), surroundings, { total: Math.max(1, until - Date.now()), grace });
  };
}

async function run(prompt: string, { env, signal }: RunnerRequest['surroundings'], patience: CliPatience): Promise<Said> {
  signal.throwIfAborted();
  const folder = mkdtempSync(path.join(tmpdir(), 'gadriel-claude-'));
  try {
    const args = ['-p', '--output-format', 'json', '--model', modelOf(env), '--max-turns', '1', '--disallowedTools', tools];
    const child = spawn(programOf(env) ?? 'claude', args, { cwd: folder, env: cutEnvironment(env), detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
    const ended = await outputOf(child, prompt, signal, patience);
    signal.throwIfAborted();
    return 'error' in ended ? { error: ended.error, cost_usd: null } : readOutput(ended.output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the program needs to find itself and its login, and nothing of the rest. */
function cutEnvironment(env: Surroundings['env']): Record<string, string> {
  const kept = Object.entries(env).filter(([name, value]) => value !== undefined && (name === 'PATH' || name === 'HOME' || /^(?:ANTHROPIC|CLAUDE)_/.test(name)));
  return Object.fromEntries(kept) as Record<string, string>;
}

/** Only the text of a result is a model's answer; all else says that the program does not work, whatever it is asked. */
function readOutput(output: string): Said {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch {
    return { error: { kind: 'http', message: 'the program claude did not write JSON', retryable: false }, cost_usd: null };
  }
  const { result, is_error: isError, total_cost_usd: cost } = (value ?? {}) as Record<string, unknown>;
  const cost_usd = typeof cost === 'number' && cost >= 0 ? cost : null;
  if (isError === true) return { error: { kind: 'http', message: 'the program claude reports an error', retryable: true }, cost_usd };
  return typeof result === 'string'
    ? { text: result, cost_usd }
    : { error: { kind: 'http', message: 'the program claude wrote no result', retryable: false }, cost_usd };
}
