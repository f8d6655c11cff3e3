import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Home } from '../domain/home/home.ts';
import type { Which } from '../domain/inbox/open.ts';
import { findId } from '../domain/inbox/store.ts';
import { Refused } from '../domain/refused.ts';
import { findBuilt } from '../domain/send/find-built.ts';
import { gageExit } from './exit-codes.ts';
import type { Verdict } from '../domain/verdict/verdict.types.ts';

/**
 * The bundle that a word means to who reads: digits of an id, 12 or more, of the inbox or else of the outbox; anything else is a folder,
 * and so are digits of neither where a folder of that name is there: what somebody put into the working folder must not take the
 * place of what has come. Throws Refused.
 */
export function whichBundle(word: string, home: Home, cwd: string): Which {
  const id = isId(word) ? findId(home, word) : undefined;
  if (id !== undefined) return { id };
  const built = isId(word) ? findBuilt(home, word) : undefined;
  if (built !== undefined) return { dir: built };
  if (!isThere(word, cwd)) {
    if (isShort(word)) throw shortId('gage inbox lists them');
    if (isId(word)) throw new Refused('there is no bundle of this id in the inbox or the outbox; gage inbox --all lists what has come');
  }
  return { dir: word };
}

/**
 * The folder of the bundle that a word means to who sends: digits of an id of the outbox, 12 or more, else a folder. Throws Refused for
 * digits that are neither.
 */
export function whichBuilt(word: string, home: Home, cwd: string): string {
  const built = findBuilt(home, word);
  if (built !== undefined) return built;
  if (!isThere(word, cwd)) {
    if (isShort(word)) throw shortId('gage send prints it; a folder is given as ./NAME');
    if (isId(word)) throw new Refused('there is no bundle of this id in the outbox; gage send prints ids, and a folder is given as ./NAME');
  }
  return word;
}

/**
 * The id that a word means to who answers a bundle: 12 or more digits of one of the inbox, or else of the outbox. All 64 are taken as they
 * are, since what is answered may have been rejected since, and so is what is no id, which is refused where a bundle is built. Throws Refused.
 */
export function whichAnswered(word: string, home: Home): string {
  if (isShort(word)) throw shortId('gage inbox --all lists them');
  if (!isId(word) || word.length === 64) return word;
  const built = (): string | undefined => {
    const folder = findBuilt(home, word);
    return folder === undefined ? undefined : path.basename(folder);
  };
  const id = findId(home, word) ?? built();
  if (id === undefined) throw new Refused('there is no bundle of the id that it replies to in the inbox or the outbox; one that is there no more is given with all 64 digits');
  return id;
}

/** The refusal of an id that was shortened too far; `where` says how to get the whole one. */
export const shortId = (where: string): Refused => new Refused(`an id may be shortened to 12 digits, not to fewer; ${where}`);

/** Whether a word looks like an id that was shortened too far. */
export const isShort = (word: string): boolean => /^[0-9a-f]{4,11}$/i.test(word);

/** Whether a word is an id or the beginning of one. */
export const isId = (word: string): boolean => /^[0-9a-f]{12,64}$/i.test(word);

const isThere = (word: string, cwd: string): boolean => existsSync(path.resolve(cwd, word));

/** The exit code that goes with a verdict: done for one that a script may go on with, else that of a bad verdict. */
export function verdictExit(verdict: Verdict): number {
  return verdict === 'verified' || verdict === 'listed_unconfirmed' || verdict === 'self' ? gageExit.done : gageExit.verdict;
}
