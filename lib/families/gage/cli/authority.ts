import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { formatTable } from '../../../terminal/table.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { loadBuddies } from '../domain/buddies/buddies.ts';
import { covers, loadGrants } from '../domain/home/authority.ts';
import type { Grant } from '../domain/home/authority.ts';
import { openHome } from '../domain/home/home.ts';
import { loadIdentity } from '../domain/identity/identity-file.ts';
import { openBundle } from '../domain/inbox/open.ts';
import { resolveId } from '../domain/inbox/store.ts';
import type { Row } from '../domain/verdict/verdict.types.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gage authority --help';

/** `gage authority show [ID]`: the grants, and for a bundle those that apply to it. Returns the exit code; wrong usage throws a UsageError. */
export async function runAuthority(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { json: 'switch' }, help);
  const [action = 'show', id, extra] = rest;
  if (action !== 'show' || extra !== undefined) throw new UsageError('authority needs: show, or show ID', { help });
  try {
    const home = openHome(terminal.env);
    loadIdentity(home);
    const row = id === undefined ? undefined : (await openBundle(home, { id: resolveId(home, id) }, {}, surroundingsOf(terminal))).row;
    const grants = loadGrants(home).filter((grant) => row === undefined || applies(grant, row, terminal.now()));
    const buddies = loadBuddies(home);
    const shown = grants.map((grant) => ({ name: buddies.byKey(grant.key)?.name ?? null, ...grant }));
    const bundle = row === undefined ? {} : { id: row.id, verdict: row.verdict, type: row.type, authorised: row.authorised };
    const table = formatTable(shown.map(({ name, key, types, expires_at }) => [name ?? key, types.join(', '), expires_at === undefined ? 'for good' : `until ${expires_at}`]));
    terminal.stdout.write(flags.json === true ? toJsonLine({ ...bundle, grants: shown, total: shown.length }) : table);
    if (shown.length === 0) terminal.stderr.write(row === undefined ? 'There are no grants.\n' : `No grant applies to this bundle (verdict ${row.verdict}).\n`);
    return gageExit.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}

function applies(grant: Grant, { authorised, from_key: key, type }: Row, now: number): boolean {
  return authorised && key !== null && type !== null && covers(grant, { key, type, now });
}
