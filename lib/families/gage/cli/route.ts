import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { formatTable } from '../../../terminal/table.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { loadBuddies } from '../domain/buddies/buddies.ts';
import { checkNotOwn, findBuddy } from '../domain/buddies/check-new.ts';
import { openHome } from '../domain/home/home.ts';
import type { Home } from '../domain/home/home.ts';
import { changeRoutes, loadRoutes } from '../domain/home/routes.ts';
import { loadIdentity } from '../domain/identity/identity-file.ts';
import { Refused } from '../domain/refused.ts';
import { showPath } from '../domain/roots/send-roots.ts';
import { routeProblem } from '../domain/send/route-folder.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';

const help = 'gage route --help';

/** `gage route add TO DIR | list | remove TO`: where bundles to a buddy are put on this machine. Returns the exit code; wrong usage throws a UsageError. */
export async function runRoute(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { json: 'switch' }, help);
  const [action = 'list', to, dir, extra] = rest;
  const given = rest.length - 1;
  const fits = (action === 'add' && given === 2) || (action === 'list' && given <= 0) || (action === 'remove' && given === 1);
  if (!fits || extra !== undefined) throw new UsageError('route needs: add TO DIR, list, or remove TO', { help });
  try {
    const home = openHome(terminal.env);
    loadIdentity(home);
    if (to !== undefined && dir !== undefined) await add(home, to, path.resolve(terminal.cwd, dir));
    else if (to !== undefined) await remove(home, to);
    // After a change too: what holds from now on.
    const shown = rowsOf(home);
    terminal.stdout.write(flags.json === true ? toJsonLine({ routes: shown, total: shown.length }) : formatTable(shown.map(({ to_name, key, path: folder }) => [to_name ?? key, folder])));
    return gageExit.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}

async function add(home: Home, to: string, dir: string): Promise<void> {
  checkNotOwn(to, loadIdentity(home).token);
  const { key } = findBuddy(loadBuddies(home), to);
  const problem = routeProblem(dir);
  if (problem !== undefined) throw new Refused(`the folder ${showPath(dir)} ${problem}`);
  const folder = await realpath(dir);
  await changeRoutes(home, (routes) => [...routes.filter((route) => route.key !== key), { key, path: folder }]);
}

/** By name, token or bare signing key, as a route outlives the buddy it was made for. */
async function remove(home: Home, to: string): Promise<void> {
  const key = loadBuddies(home).byNameOrToken(to)?.key ?? to;
  await changeRoutes(home, (routes) => {
    const left = routes.filter((route) => route.key !== key);
    if (left.length === routes.length) throw new Refused('there is no route to that buddy: gage route list shows what there is');
    return left;
  });
}

function rowsOf(home: Home): readonly { readonly to_name: string | null; readonly key: string; readonly path: string }[] {
  const buddies = loadBuddies(home);
  return loadRoutes(home).map(({ key, path: folder }) => ({ to_name: buddies.byKey(key)?.name ?? null, key, path: folder }));
}
