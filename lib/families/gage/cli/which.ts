import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Home } from '../domain/home/home.ts';
import type { Which } from '../domain/inbox/open.ts';
import { resolveId } from '../domain/inbox/store.ts';
import { Refused } from '../domain/refused.ts';
import { gageExit } from './exit-codes.ts';
import type { Verdict } from '../domain/verdict/verdict.types.ts';

/** The bundle that a word means: digits of an id, 12 or more, unless a folder of that name is there; anything else is a folder. Throws Refused. */
export function whichBundle(word: string, home: Home, cwd: string): Which {
  if (/^[0-9a-f]{6,11}$/i.test(word) && !existsSync(path.resolve(cwd, word))) throw shortId();
  return isId(word) && !existsSync(path.resolve(cwd, word)) ? { id: resolveId(home, word) } : { dir: word };
}

/** The refusal of an id that was shortened too far. */
export const shortId = (): Refused => new Refused('an id may be shortened to 12 digits, not to fewer; gage inbox lists them');

/** Whether a word is an id or the beginning of one. */
export const isId = (word: string): boolean => /^[0-9a-f]{12,64}$/i.test(word);

/** The exit code that goes with a verdict: done for one that a script may go on with, else that of a bad verdict. */
export function verdictExit(verdict: Verdict): number {
  return verdict === 'verified' || verdict === 'listed_unconfirmed' || verdict === 'self' ? gageExit.done : gageExit.verdict;
}
