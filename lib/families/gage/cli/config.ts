import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { formatTable } from '../../../terminal/table.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { safeText } from '../../../text/safe-text.ts';
import { systemReason } from '../../../text/system-error.ts';
import { changeConfig, loadConfig } from '../domain/home/config.ts';
import type { Config } from '../domain/home/config.ts';
import { openHome } from '../domain/home/home.ts';
import type { Home } from '../domain/home/home.ts';
import { readIdentity } from '../domain/identity/identity-file.ts';
import { Refused } from '../domain/refused.ts';
import { readOrigin } from '../domain/home/relay-origin.ts';
import { rootProblem, showPath } from '../domain/roots/send-roots.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';

const help = 'gage config --help';
const usage = 'config needs: show, relay URL, relay --unset, or send-roots add DIR, remove DIR, list, --unset';

/** `gage config show | relay URL | send-roots …`: reads and changes config.json. Returns the exit code; wrong usage throws a UsageError. */
export async function runConfig(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { json: 'switch', unset: 'switch' }, help);
  const [what = 'show', ...more] = rest;
  const json = flags.json === true;
  if (flags.unset === true && what !== 'relay' && what !== 'send-roots') throw new UsageError('--unset is for config relay and config send-roots', { help });
  const run = what === 'relay' ? relayChange(more, flags.unset === true) : what === 'send-roots' ? rootsChange(more, flags.unset === true, terminal) : what === 'show' && more.length === 0 ? noChange : undefined;
  if (run === undefined) throw new UsageError(usage, { help });
  try {
    const home = openHome(terminal.env);
    // Not the check of all settings: this command is where their repair begins.
    readIdentity(home);
    const config = await run(home);
    const roots = config.sendRoots ?? [];
    if (what === 'send-roots' && !json) terminal.stdout.write(roots.map((each) => `${safeText(each)}\n`).join(''));
    else terminal.stdout.write(json ? toJsonLine(wireOf(config)) : formatTable(Object.entries(wireOf(config)).map(([key, value]) => [key, wordsOf(value)])));
    if (what === 'send-roots' && roots.length === 0) terminal.stderr.write(config.sendRoots === undefined ? 'None is set: files of the working folder can be sent.\n' : 'The list is empty: no file can be sent. gage config send-roots --unset brings back the working folder.\n');
    return gageExit.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}

type Change = (home: Home) => Promise<Config>;

const noChange: Change = async (home) => loadConfig(home);

function relayChange([url, extra]: readonly string[], unset: boolean): Change {
  if (unset ? url !== undefined : url === undefined || extra !== undefined) throw new UsageError(usage, { help });
  const read = url === undefined ? { origin: undefined } : readOrigin(url);
  if ('problem' in read) throw new UsageError(`that can not be the relay: ${read.problem}`, { help });
  return (home) => changeConfig(home, (config) => ({ ...config, relay: read.origin }));
}

function rootsChange([action, dir, extra]: readonly string[], unset: boolean, { cwd, env }: CliContext): Change {
  if (unset) {
    if (action !== undefined) throw new UsageError(usage, { help });
    return (home) => changeConfig(home, (config) => ({ ...config, sendRoots: undefined }));
  }
  if (action === 'list' && dir === undefined) return noChange;
  if ((action !== 'add' && action !== 'remove') || dir === undefined || extra !== undefined) throw new UsageError(usage, { help });
  const given = path.resolve(cwd, dir);
  if (action === 'add') {
    return async (home) => {
      const folder = await folderOf(given);
      const problem = rootProblem(folder, home, env);
      if (problem !== undefined) throw new Refused(`${showPath(dir)} can not be a send root, as it ${problem}: name the folders with what may leave this machine`);
      return changeConfig(home, (config) => (config.sendRoots?.includes(folder) === true ? config : { ...config, sendRoots: [...(config.sendRoots ?? []), folder] }));
    };
  }
  return async (home) => {
    // A folder that is gone has no real path any more; then it is taken as it is written in the list.
    const folder = await realpath(given).catch(() => given);
    return changeConfig(home, (config) => {
      const left = config.sendRoots?.filter((each) => each !== folder && each !== given);
      if (left === undefined || left.length === config.sendRoots?.length) throw new Refused('that folder is no send root: gage config send-roots list shows them');
      return { ...config, sendRoots: left };
    });
  };
}

async function folderOf(given: string): Promise<string> {
  try {
    const folder = await realpath(given);
    if ((await stat(folder)).isDirectory()) return folder;
  } catch (error) {
    throw new Refused(`the folder can not be used: ${systemReason(error)}`, { cause: error });
  }
  throw new Refused('a send root must be a folder');
}

const wireOf = ({ pushNeedsConfirmed, relay, sendRoots, withholdStrangers }: Config): Readonly<Record<string, unknown>> => ({
  push_needs_confirmed: pushNeedsConfirmed, relay: relay ?? null, send_roots: sendRoots ?? null, withhold_strangers: withholdStrangers,
});

const wordsOf = (value: unknown): string => (value === null ? 'not set' : Array.isArray(value) ? value.join(', ') || 'none' : String(value));
