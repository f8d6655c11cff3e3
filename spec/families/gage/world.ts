import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { addBuddy } from '../../../lib/families/gage/domain/buddies/edit.ts';
import { changeConfig, type Config } from '../../../lib/families/gage/domain/home/config.ts';
import { openHome, type Home } from '../../../lib/families/gage/domain/home/home.ts';
import { createIdentity } from '../../../lib/families/gage/domain/identity/identity-file.ts';
import type { Identity } from '../../../lib/families/gage/domain/identity/identity.types.ts';
import { isRefused } from '../../../lib/families/gage/domain/refused.ts';
import type { Surroundings } from '../../../lib/domain/surroundings.types.ts';
import { projectRoot } from '../../support/project.ts';
import { runVerbOf, type VerbRun, type VerbSetting } from '../../support/run-verb.ts';
import { launcher } from '../../support/server-process.ts';
import type { TempFolder } from '../../support/temp-folder.ts';

/** Somebody with a home and a working folder of their own. */
export type Person = {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** The working folder, which is the send root too. */
  readonly work: string;
  readonly home: Home;
  readonly identity: Identity;
  readonly surroundings: Surroundings;
  /** Runs a verb of the command line in this process. */
  verb(words: readonly string[], setting?: Partial<VerbSetting>): Promise<VerbRun>;
};

/** Environment of somebody whose home need not exist yet. */
export const envOf = (temp: TempFolder, name: string): Readonly<Record<string, string>> => ({ GAGE_HOME: temp.at(`${name}-home`), HOME: temp.folder('users') });

/** What the domain gets; `now` is a clock that stands still unless another one is given. */
export function surroundingsAt(env: Readonly<Record<string, string>>, cwd: string, now: () => number = Date.now): Surroundings {
  return { env, cwd, now, random: (size) => randomBytes(size), log: () => undefined };
}

/** Makes a person: identity, working folder, nobody on the list. */
export async function person(temp: TempFolder, name: string): Promise<Person> {
  const env = envOf(temp, name);
  const work = temp.folder(`${name}-work`);
  const surroundings = surroundingsAt(env, work);
  const home = openHome(env);
  const identity = await createIdentity(home, name, surroundings);
  const verb = async (words: readonly string[], setting: Partial<VerbSetting> = {}): Promise<VerbRun> =>
    runVerbOf((await import('../../../lib/families/gage/cli.ts')).cli, words, { cwd: work, env, now: Date.now, random: (size) => randomBytes(size), ...setting });
  return { name, env, work, home, identity, surroundings, verb };
}

/** Puts one person on the list of another. */
export async function knows(who: Person, other: Person, confirmed = true): Promise<void> {
  await addBuddy(who.home, { token: other.identity.token, name: other.name, by: 'cli', confirmed }, who.surroundings);
}

/** People who all know each other, words compared. */
export async function friends(temp: TempFolder, ...names: readonly string[]): Promise<readonly Person[]> {
  const people: Person[] = [];
  for (const name of names) people.push(await person(temp, name));
  for (const who of people) for (const other of people) if (who !== other) await knows(who, other);
  return people;
}

/** What an identity.key looks like; nobody's. */
export const identityFile = `{"box":"${'B'.repeat(43)}=","created_at":"2026-01-01T00:00:00Z","handle":"nobody","sign":"${'S'.repeat(43)}=","v":1}\n`;

/** Changes settings of config.json. */
export async function configure(who: Person, settings: Partial<Config>): Promise<void> {
  await changeConfig(who.home, (config) => ({ ...config, ...settings }));
}

/** A relay in a process of its own, with rates that no spec reaches. */
export type RelayProcess = { readonly origin: string; readonly folder: string; stop(): Promise<void> };

/** Starts `gage relay serve` on a free port of the loopback. */
export async function startRelay(temp: TempFolder, ...more: readonly string[]): Promise<RelayProcess> {
  const folder = temp.folder('relay');
  const rates = ['--pushes-per-minute', '100000', '--challenges-per-minute', '100000'];
  const child = spawn(process.execPath, [...launcher, 'gage', 'relay', 'serve', '--dir', folder, '--port', '0', ...rates, ...more], { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<void>((resolve) => void child.on('close', () => resolve()));
  const first = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the relay ended with ${code}: ${stderr}`)));
  });
  const { origin } = JSON.parse(first) as { origin: string };
  return {
    origin, folder,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Alice and bob, who know each other, and a relay that both are configured for. */
export async function friendsWithRelay(temp: TempFolder): Promise<readonly [Person, Person, RelayProcess]> {
  const [alice, bob] = (await friends(temp, 'alice', 'bob')) as [Person, Person];
  const relay = await startRelay(temp);
  for (const who of [alice, bob]) await configure(who, { relay: relay.origin });
  return [alice, bob, relay];
}

/** Runs work without the rights of root. */
export function asNobody(work: () => void): void {
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(65_534);
  try {
    work();
  } finally {
    if (root) process.seteuid?.(0);
  }
}

/** The reason that work is refused with; the spec fails when it is not. */
export async function refusal(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (isRefused(error)) return error.message;
    throw error;
  }
  return assert.fail('it was not refused');
}
