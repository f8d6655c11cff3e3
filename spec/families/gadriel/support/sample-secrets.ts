import { createHash } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Characters that look random but are the same each time. */
function characters(seed: string, count: number, letters: string = alphabet): string {
  let text = '';
  for (let block = 0; text.length < count; block++) {
    text += [...createHash('sha256').update(`${seed}/${block}`).digest()].map((byte) => letters[byte % letters.length]).join('');
  }
  return text.slice(0, count);
}

// Put together at run time, so that no scanner takes the specs themselves for a leak.
export const githubToken = (seed: number): string => `gh${'p'}_${characters(`github${seed}`, 36)}`;

/** Secrets of several kinds, each with the text of a line that leaks it in Python. */
export function sampleSecrets(seed: number): readonly { readonly secret: string; readonly line: string }[] {
  const make = (secret: string, line: (secret: string) => string): { secret: string; line: string } => ({ secret, line: line(secret) });
  const assigned = (name: string) => (secret: string): string => `${name} = "${secret}"`;
  return [
    make(githubToken(seed), assigned('x')),
    // Five characters of their own keep the entropy of a rare draw over the least that is reported.
    make(`AK${'IA'}${characters(`aws${seed}`, 11, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}Q2W7Z`, assigned('AWS_ACCESS_KEY_ID')),
    make(`s${'k'}_live_${characters(`stripe${seed}`, 24)}`, assigned('key')),
    make(`hf${'_'}${characters(`hf${seed}`, 34, alphabet.slice(0, 52))}`, (secret) => `login("${secret}")`),
    make(`pypi-${'AgEIcHlwaS5vcmc'}${characters(`pypi${seed}`, 70)}`, assigned('upload')),
    make(`${characters(`pw${seed}`, 10)}x9#Z`, assigned('db_password')),
    make(`${characters(`generic${seed}`, 30)}7q`, assigned('client_secret')),
    make(`${characters(`url${seed}`, 12)}7q`, (secret) => `u = "postgres://svc:${secret}@db.internal/app"`),
    make(`hunter${seed}`, (secret) => `password = "${secret}"`),
  ];
}
