import type { Assignment } from './assignments.ts';
import { isWordLike } from './plain-data.ts';

const TRANSLATIONS = /(?:^|[\\/])(?:i18n|l10n|locales?|lang|langs|languages|translations?|messages)[\\/]|(?:^|[\\/])(?:messages|strings|translations?)(?:[._-][\w-]{1,12})?\.[a-z]{2,10}$/i;

/**
 * Whether an assignment's name sounds secret but says where text of a person's language, or the entry of another object, is:
 * translations of the word password, and `key:` of a Kubernetes reference or ConfigMap.
 */
export function isOnlyNamed({ name, start }: Assignment, value: string, text: string, path: string): boolean {
  if (TRANSLATIONS.test(path) && isWordLike(value)) return true;
  if (name !== 'key') return false;
  const before = text.slice(Math.max(0, start - 2_000), start);
  const document = before.slice(before.lastIndexOf('\n---') + 1);
  return /KeyRef["']?\s{0,4}:/.test(document.slice(-240)) || /^kind:[ \t]{1,4}ConfigMap\b/m.test(document);
}
