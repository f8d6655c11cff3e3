import type { Check, CliContext } from '../../../mcp/family.types.ts';
import { safeText } from '../../../text/safe-text.ts';
import { isMissing } from '../../../text/system-error.ts';
import { loadBuddies } from '../domain/buddies/buddies.ts';
import { loadGrants } from '../domain/home/authority.ts';
import { loadConfig } from '../domain/home/config.ts';
import { openHome, type Home } from '../domain/home/home.ts';
import { loadRoutes } from '../domain/home/routes.ts';
import { readIdentity } from '../domain/identity/identity-file.ts';
import { isRefused } from '../domain/refused.ts';

type Answer = Omit<Check, 'subject'>;

/** What `doctor` says of the home of gage: the identity, the relay, and each of its files. No relay is asked. */
export function checkGage({ env }: CliContext): readonly Check[] {
  const check = (what: string, look: (home: Home) => Answer): Check => ({ subject: `gage ${what}`, ...answerOf(() => look(openHome(env))) });
  const list = (what: string, count: (home: Home) => number): Check => check(what, (home) => ({ state: 'ok', detail: String(count(home)) }));
  return [
    check('identity', (home) => ({ state: 'ok', detail: `${readIdentity(home).handle} (${safeText(home.root)})` })),
    check('relay', (home) => {
      const { relay } = loadConfig(home);
      return relay === undefined ? { state: 'missing', detail: 'none is set, so nothing is pushed or pulled: gage config relay URL' } : { state: 'ok', detail: relay };
    }),
    list('buddies', (home) => loadBuddies(home).all.length),
    list('routes', (home) => loadRoutes(home).length),
    list('grants', (home) => loadGrants(home).length),
  ];
}

function answerOf(look: () => Answer): Answer {
  try {
    return look();
  } catch (error) {
    if (!isRefused(error)) throw error;
    // What is not there can be made; all else keeps gage from working.
    return { state: isMissing(error.cause) ? 'missing' : 'broken', detail: safeText(error.message) };
  }
}
