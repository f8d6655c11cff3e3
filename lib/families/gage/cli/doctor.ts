import { accessSync, constants, statSync } from 'node:fs';
import type { Check, CliContext } from '../../../mcp/family.types.ts';
import { safeText } from '../../../text/safe-text.ts';
import { isMissing, systemReason } from '../../../text/system-error.ts';
import { loadBuddies } from '../domain/buddies/buddies.ts';
import { loadGrants } from '../domain/home/authority.ts';
import { loadConfig } from '../domain/home/config.ts';
import { openHome, showPlace, type Home } from '../domain/home/home.ts';
import { loadRoutes } from '../domain/home/routes.ts';
import { deniedReason, noFolder, whereThere } from '../domain/home/where-there.ts';
import { readIdentity } from '../domain/identity/identity-file.ts';
import { isRefused, Refused } from '../domain/refused.ts';

type Answer = Omit<Check, 'subject'>;

/** What is written to where something comes, and where something is built. */
const inboxPlaces = ['inbox', 'inbox/incoming', 'inbox/pending', 'inbox/accepted', 'inbox/rejected', 'inbox/quarantine'] as const;

/**
 * What `doctor` says of the home of gage: the identity, the relay, each of its files, and the folders of inbox and outbox once something
 * has made them. A home that no command takes is one answer alone, and one that can be read and not written an answer beside the others. No relay is asked.
 */
export function checkGage({ env }: CliContext): readonly Check[] {
  let home: Home;
  try {
    home = openHome(env);
  } catch (error) {
    return [{ subject: 'gage home', ...answerOf(error) }];
  }
  const check = (what: string, look: () => Answer): Check => {
    try {
      return { subject: `gage ${what}`, ...look() };
    } catch (error) {
      return { subject: `gage ${what}`, ...answerOf(error) };
    }
  };
  const list = (what: string, count: (home: Home) => number): Check => check(what, () => ({ state: 'ok', detail: String(count(home)) }));
  const usable = (place: string): boolean => checkUsable(home.path(place), showPlace(place));
  const folders = (what: string, places: readonly string[]): readonly Check[] => {
    const answer = check(what, () => {
      const there = places.filter(usable);
      return there.length > 0 ? { state: 'ok', detail: safeText(home.path(what)) } : { state: 'missing', detail: '' };
    });
    // Each is made by what needs it first, so that nothing is amiss before.
    return answer.state === 'missing' ? [] : [answer];
  };
  // Where it is all right, or not there yet, the identity says so.
  const itself = check('home', () => ({ state: usable('.') ? 'ok' : 'missing', detail: '' }));
  return [
    ...(itself.state === 'broken' ? [itself] : []),
    check('identity', () => ({ state: 'ok', detail: `${readIdentity(home).handle} (${safeText(home.root)})` })),
    check('relay', () => {
      const { relay } = loadConfig(home);
      return relay === undefined ? { state: 'missing', detail: 'none is set, so nothing is pushed or pulled: gage config relay URL' } : { state: 'ok', detail: relay };
    }),
    list('buddies', (from) => loadBuddies(from).all.length),
    list('routes', (from) => loadRoutes(from).length),
    list('grants', (from) => loadGrants(from).length),
    ...folders('inbox', inboxPlaces),
    ...folders('outbox', ['outbox']),
  ];
}

/** Whether a folder is there. Throws Refused where it is none, or this user may not read or write it; whose it is `openHome` has looked at. */
function checkUsable(folder: string, shown: string): boolean {
  const found = whereThere(folder, shown, () => statSync(folder));
  if (found === undefined) return false;
  if (!found.isDirectory()) throw noFolder(shown);
  whereThere(folder, shown, () => accessSync(folder, constants.R_OK | constants.X_OK));
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    throw new Refused(`${shown} can not be written: ${systemReason(error, deniedReason)}`, { cause: error });
  }
}

function answerOf(error: unknown): Answer {
  if (!isRefused(error)) throw error;
  // What is not there can be made; all else keeps gage from working.
  return { state: isMissing(error.cause) ? 'missing' : 'broken', detail: safeText(error.message) };
}
