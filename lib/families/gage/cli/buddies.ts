import type { CliContext } from '../../../mcp/family.types.ts';
import { createColours } from '../../../terminal/colour.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { suggestion } from '../../../terminal/nearest.ts';
import { formatTable } from '../../../terminal/table.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { isBlockAlone } from '../domain/buddies/block-sender.ts';
import { loadBuddies, stateOf } from '../domain/buddies/buddies.ts';
import type { Buddy } from '../domain/buddies/buddies.ts';
import { checkNotBlocked, findBuddy } from '../domain/buddies/check-new.ts';
import { confirmBuddy, removeBuddy, renameBuddy, setBlocked } from '../domain/buddies/edit.ts';
import { showBuddies } from '../domain/inbox/show-buddies.ts';
import { openHome } from '../domain/home/home.ts';
import type { Home } from '../domain/home/home.ts';
import { loadIdentity } from '../domain/identity/identity-file.ts';
import { forgetBlocked } from '../domain/inbox/tombstones.ts';
import { Refused } from '../domain/refused.ts';
import { quotedName } from '../domain/render/escape.ts';
import { askForWords } from './ask-words.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gage buddies --help';

/** What follows `gage buddies`: how many words it takes, and what it does with them. Each changes one buddy and returns it. */
const actions: Readonly<Record<string, { readonly takes: string; readonly run: (home: Home, names: readonly string[], terminal: CliContext) => Promise<Buddy> }>> = {
  confirm: { takes: 'NAME', run: confirm },
  rename: { takes: 'NAME NEW', run: (home, [name = '', next = '']) => renameBuddy(home, name, next) },
  block: { takes: 'NAME', run: (home, [name = '']) => setBlocked(home, name, true) },
  unblock: { takes: 'NAME', run: unblock },
  remove: { takes: 'NAME', run: remove },
};

/**
 * `gage buddies [list | confirm | rename | block | unblock | remove]`: shows the list, or changes one entry and prints its
 * name and state. Returns the exit code; wrong usage throws a UsageError.
 */
export async function runBuddies(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { json: 'switch' }, help);
  const [name = 'list', ...names] = rest;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (name === 'list' && names.length > 0) throw new UsageError('buddies list takes no words', { help });
  if (name !== 'list' && action === undefined) throw new UsageError(`there is no buddies ${name.slice(0, 40)}${suggestion(name, ['list', ...Object.keys(actions)])}`, { help });
  if (action !== undefined && names.length !== action.takes.split(' ').length) throw new UsageError(`buddies ${name} needs ${action.takes}`, { help });
  try {
    const home = openHome(terminal.env);
    if (action === undefined) return await list(home, terminal, flags.json === true);
    loadIdentity(home);
    const changed = await action.run(home, names, terminal);
    const state = name === 'remove' || (name === 'unblock' && isBlockAlone(changed)) ? 'removed' : stateOf(changed);
    terminal.stdout.write(flags.json === true ? toJsonLine({ name: changed.name, key: changed.key, state }) : `${changed.name}\t${state}\n`);
    return gageExit.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}

async function list(home: Home, terminal: CliContext, json: boolean): Promise<number> {
  const { stdout, stderr, env } = terminal;
  const shown = await showBuddies(home, surroundingsOf(terminal));
  const colours = createColours(stdout, env);
  const rows = shown.buddies.map(({ name, state, label, unread, added_at }) => [cellOf(name), state, label, unread, added_at]);
  const table = rows.length === 0 ? '' : formatTable(rows, { head: ['name', 'state', 'label', 'unread', 'added'], paintHead: colours.bold, width: stdout.columns });
  stdout.write(json ? toJsonLine(shown) : table);
  if (rows.length === 0) stderr.write('Nobody is on the list yet: gage pair TOKEN NAME\n');
  return gageExit.done;
}

async function confirm(home: Home, [name = '']: readonly string[], terminal: CliContext): Promise<Buddy> {
  const buddy = findBuddy(loadBuddies(home), name);
  const state = stateOf(buddy);
  checkNotBlocked(buddy);
  if (state === 'confirmed') return buddy;
  if (terminal.prompt.present) terminal.stderr.write(`Call ${quotedName(buddy.name)}, and let them read out the eight words that gage whoami --words prints there.\n`);
  const answer = await askForWords(terminal, buddy.token, `The eight words of ${quotedName(buddy.name)}:`);
  if (answer === 'none') throw new Refused(`${quotedName(buddy.name)} stays unconfirmed: no words were given`);
  if (answer === 'wrong') throw new Refused(`${quotedName(buddy.name)} stays unconfirmed: the words do not fit the key on the list; if theirs are right, remove and pair again`);
  return confirmBuddy(home, buddy, surroundingsOf(terminal));
}

async function unblock(home: Home, [name = '']: readonly string[], terminal: CliContext): Promise<Buddy> {
  const found = findBuddy(loadBuddies(home), name);
  const shown = quotedName(found.name);
  const question = isBlockAlone(found)
    ? `${shown} was never on your list. Take its bundles again, as those of a stranger, and its entry away?`
    : `Take bundles from ${shown} again, as from somebody on your list?`;
  await agree(terminal, question, `${quotedName(found.name)} stays blocked`);
  const buddy = await setBlocked(home, found.token, false);
  await forgetBlocked(home, buddy.key);
  return buddy;
}

async function remove(home: Home, [name = '']: readonly string[], terminal: CliContext): Promise<Buddy> {
  const { name: found, token } = findBuddy(loadBuddies(home), name);
  await agree(terminal, `Remove ${quotedName(found)} from the list?`, `${quotedName(found)} stays on the list`);
  const buddy = await removeBuddy(home, token);
  await forgetBlocked(home, buddy.key);
  return buddy;
}

/** A name of several words is quoted, so that its end is seen. */
const cellOf = (name: string): string => (name.includes(' ') ? quotedName(name) : name);

async function agree({ prompt }: CliContext, question: string, otherwise: string): Promise<void> {
  if (!(await prompt.askYesNo(question, { flag: 'a terminal: a person has to agree' }))) throw new Refused(otherwise);
}
