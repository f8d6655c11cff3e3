import { isPlaceholder, isReference } from '../../../../secrets/placeholders.ts';
import { isSlug } from '../../../../secrets/plain-data.ts';
import { exportAt, identityAt } from './gage-keys.ts';

/** What was found in a text, from `start` to before `end`; `weight` as in `SecretFind`. */
export type OwnSecret = {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
  readonly title: string;
  readonly preview: string;
  readonly weight: 'warn' | 'refuse' | 'never';
};

/** netrc(5): machine or default, then login and password; in any file, as the words are those of no sentence. The rest of a program's binary is no password. */
const netrc = /(?<![\w-])(?:machine\s{1,8}\S{1,255}|default)\s{1,8}login\s{1,8}\S{1,255}\s{1,8}(?:account\s{1,8}\S{1,255}\s{1,8})?password\s{1,8}([^\s\0-\x1f\x7f-\x9f\ufffd]{4,1024})(?!\S)/dg;

/** Files that hold an identity of gage, the sender's own private keys (`own`) wherever they stand, and lines of netrc files. */
export function* ownSecrets(text: string, own: readonly string[]): Generator<OwnSecret> {
  for (const [rule, title, start] of [
    ['gage-identity', 'Identity file of gage', identityAt(text)],
    ['gage-export', 'Exported identity of gage', exportAt(text)],
    ...own.map((key) => ['gage-key', 'Private key of this identity', text.indexOf(key)] as const),
  ] as const) {
    // How long it is matters to nobody: it is refused in any case.
    if (start >= 0) yield { start, end: start + 1, rule, title, preview: 'a key of gage', weight: 'never' };
  }
  for (const { 1: secret = '', indices } of text.matchAll(netrc)) {
    if (isPlaceholder(secret) || isReference(secret)) continue;
    const preview = `${secret.slice(0, Math.min(4, secret.length >> 2))}… (${secret.length} characters)`;
    const [start, end] = indices?.[1] as [number, number];
    yield { start, end, rule: 'netrc', title: 'Password of a netrc file', preview, weight: isSlug(secret) ? 'warn' : 'refuse' };
  }
}
