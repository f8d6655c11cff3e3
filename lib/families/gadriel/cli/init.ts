import { existsSync } from 'node:fs';
import path from 'node:path';
import type { CliContext } from '../../../mcp/family.types.ts';
import { createColours } from '../../../terminal/colour.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { launcherOf, type Launcher } from '../../../terminal/launcher.ts';
import { safeText } from '../../../text/safe-text.ts';
import { keepOutOfGit, recordFolder, recordsFolderName } from '../domain/records/record-files.ts';
import { repoRootOf } from '../domain/records/repo-root.ts';
import { ToolFailed } from '../domain/tool-failed.ts';
import { reportFailure } from './failed.ts';
import { onePath } from './one-path.ts';

const help = 'gadriel code init --help';

const scanWords = 'code scan --staged --severity high';

/**
 * The pre-commit hook: it starts the program that printed it, since few have `gadriel` on PATH, and that one where the first
 * was moved since. A script that is none of the package's bins, as in a bundle of somebody else, is left to PATH.
 */
export function hookText({ script, words }: Launcher): string {
  const quoted = `'${script.replaceAll("'", `'\\''`)}'`;
  const own = [...words, scanWords].join(' ');
  const start = `if [ -f ${quoted} ]; then exec node ${quoted} ${own}; fi\n`;
  return `#!/bin/sh
# Stops a commit that brings in a finding of severity high or above. Skip it once with git commit --no-verify.
${/[\\/]bin[\\/](?:gadriel|toolwire)\.js$/.test(script) ? start : ''}exec gadriel ${scanWords}
`;
}

const nextSteps = `What else you may add, by hand:

  a pre-commit hook that scans what is staged
      gadriel code init --pre-commit > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
  the tools in your agent's host
      gadriel install claude        (or cursor, vscode)
  a scan in your build, with a log for its code scanning page
      gadriel code scan --severity high --sarif gadriel.sarif
  settings, in .gadriel.toml; every key is in docs/gadriel.md
      exclude = ["tests/fixtures/"]
      [rules]
      L3-044 = "off"
      L3-033 = "high"
  waivers, in .gadriel-waivers.toml: written by code fix ID --false-positive "why"; commit it
`;

/** `gadriel code init`: makes `.security` with its own .gitignore and prints what else to add. Returns the exit code. */
export async function runInit(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { 'pre-commit': 'switch' }, help);
  const folder = onePath(rest, 'code init', help);
  if (flags['pre-commit'] === true) {
    terminal.stdout.write(hookText(launcherOf('gadriel')));
    return exitCodes.done;
  }
  try {
    const root = await repoRootOf(folder ?? '.', terminal.cwd);
    const made = await makeStateFolder(root);
    const colours = createColours(terminal.stdout, terminal.env);
    terminal.stdout.write(`${made ? colours.green('made') : 'there already'}: ${safeText(path.join(root, '.security'))}\n\n${nextSteps}`);
    return exitCodes.done;
  } catch (error) {
    return reportFailure(error, terminal, help, folder);
  }
}

/** Whether anything had to be made. */
async function makeStateFolder(root: string): Promise<boolean> {
  const wasThere = existsSync(path.join(root, recordsFolderName));
  const folder = await recordFolder(root);
  try {
    return (await keepOutOfGit(folder)) || !wasThere;
  } catch (error) {
    throw new ToolFailed(`.security/.gitignore could not be made: ${(error as NodeJS.ErrnoException).code}`, { cause: error });
  }
}
