import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openHome } from '../../../../lib/families/gage/domain/home/home.ts';
import type { Home } from '../../../../lib/families/gage/domain/home/home.ts';
import { createIdentity } from '../../../../lib/families/gage/domain/identity/identity-file.ts';
import type { Surroundings } from '../../../../lib/domain/surroundings.types.ts';
import { projectRoot } from '../../../support/project.ts';

/** The three people of the vectors; their keys are for tests only. */
export type Person = {
  readonly handle: string;
  readonly token: string;
  /** Signing key in base64. */
  readonly key: string;
  readonly label: string;
  readonly pairs: readonly string[];
  readonly words: string;
  readonly seeds: readonly [Uint8Array, Uint8Array];
};

const { identities, swapped_box } = JSON.parse(readFileSync(path.join(projectRoot, 'spec/fixtures/gage/identity.json'), 'utf8'));

const [alice, bob, mallory] = identities.map((one: any): Person => ({
  handle: one.handle,
  token: one.token,
  key: one.token.slice(0, 44),
  label: one.label,
  pairs: one.word_pairs,
  words: one.words_display,
  seeds: [Buffer.from(one.sign_seed_hex, 'hex'), Buffer.from(one.box_private_hex, 'hex')],
})) as [Person, Person, Person];

/** Who stands in the vectors of identities, and a token of alice's signing key with mallory's box key. */
export const people = { alice, bob, mallory, swapped: swapped_box.token as string };

/** 2026-01-01T00:00:00Z in ms. */
export const newYear = Date.UTC(2026, 0, 1);

/** Surroundings in which random bytes are told apart but known, and the clock stands until `clock.now` is set. */
export function surroundingsAt(clock: { now: number }): Surroundings {
  let drawn = 0;
  return { env: {}, cwd: '/', now: () => clock.now, random: (size) => new Uint8Array(size).fill(++drawn), log: () => {} };
}

/** Makes the home of a person of the vectors in a folder that need not exist. */
export async function homeOf(root: string, { handle, seeds }: Person): Promise<Home> {
  const home = openHome({ GAGE_HOME: root });
  const left = [...seeds];
  await createIdentity(home, handle, { now: () => newYear, random: () => left.shift() as Uint8Array });
  return home;
}
