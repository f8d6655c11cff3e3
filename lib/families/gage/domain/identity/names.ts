import { scriptNames } from './script-names.ts';
import { hasUnsafe, isMarksAlone } from '../../../../text/unsafe.ts';

const MAX_BYTES = 64;
/** Letters that look alike across these three make one name pass for another. */
const LOOKALIKE = new Set(['Latin', 'Greek', 'Cyrillic']);

/**
 * What is wrong with a handle, said so that it follows the word: 1 to 64 bytes of UTF-8 in form NFC, of letters, marks,
 * digits, space, `.`, `_` and `-`, none of them invisible, no space at either end, not marks alone.
 */
export function checkHandle(text: string): string | undefined {
  return checkText(text, /^[\p{L}\p{M}\p{Nd} ._-]+$/u, 'may hold letters, digits, space, ".", "_" and "-" only');
}

/**
 * What is wrong with a handle that somebody takes now: as a handle, and no two spaces in a row, which could pass for two cells of a
 * table, so that no buddy may be called so. Handles with them are read all the same.
 */
export function checkNewHandle(text: string): string | undefined {
  return checkHandle(text) ?? twoSpacesIn(text);
}

/** What is wrong with a name that a buddy gets now: as a buddy's name, and no two spaces in a row. */
export function checkNewBuddyName(text: string): string | undefined {
  return checkBuddyName(text) ?? twoSpacesIn(text);
}

/** What is wrong with the name of an agent or a model: as a handle, and `/` and `:` may be in it. */
export function checkLabel(text: string): string | undefined {
  return checkText(text, /^[\p{L}\p{M}\p{Nd} ._/:-]+$/u, 'may hold letters, digits, space, ".", "_", "-", "/" and ":" only');
}

/** What is wrong with a name for a buddy: as a handle, and letters of Latin, Greek and Cyrillic may not be mixed. */
export function checkBuddyName(text: string): string | undefined {
  const problem = checkHandle(text);
  if (problem !== undefined) return problem;
  return scriptsOf(text).filter((script) => LOOKALIKE.has(script)).length > 1 ? 'mixes letters of Latin, Greek and Cyrillic' : undefined;
}

/** A name as names are compared: compatibility forms and case do not tell two apart. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

/** Whether two names count as one. */
export function sameName(a: string, b: string): boolean {
  return foldName(a) === foldName(b);
}

/**
 * The scripts of the letters of a name in their order, by their Unicode names; `Other` for letters of no script of their own
 * and for the rarest scripts.
 */
export function scriptsOf(name: string): readonly string[] {
  const found = new Set<string>();
  for (const character of name) {
    const script = scriptNames.find((each) => isOf(each, character));
    // Digits, spaces and marks belong to every script.
    if (script !== undefined) found.add(script);
    else if (/\p{L}/u.test(character)) found.add('Other');
  }
  return [...found];
}

const twoSpacesIn = (text: string): string | undefined => (text.includes('  ') ? 'has two spaces in a row' : undefined);

function checkText(text: string, allowed: RegExp, rule: string): string | undefined {
  if (text === '') return 'is empty';
  if (Buffer.byteLength(text) > MAX_BYTES) return `is longer than ${MAX_BYTES} bytes`;
  if (!allowed.test(text) || hasUnsafe(text) || /[\ufe0e\ufe0f]/.test(text)) return rule;
  if (text.normalize('NFC') !== text) return 'is not in Unicode form NFC';
  if (text.startsWith(' ') || text.endsWith(' ')) return 'begins or ends with a space';
  return isMarksAlone(text) ? 'holds nothing but marks' : undefined;
}

const patterns = new Map<string, RegExp>();

function isOf(script: string, character: string): boolean {
  let pattern = patterns.get(script);
  if (pattern === undefined) patterns.set(script, (pattern = new RegExp(`\\p{Script=${script}}`, 'u')));
  return pattern.test(character);
}
