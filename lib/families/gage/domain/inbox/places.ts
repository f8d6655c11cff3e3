import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { showPlace } from '../home/home.ts';
import type { Home } from '../home/home.ts';
import { whereThere } from '../home/where-there.ts';
import { parseTime } from '../identity/time.ts';
import { idForm } from '../verdict/judge.ts';
import type { State } from '../verdict/verdict.types.ts';

/** The three places of the inbox that hold bundles. */
export type InboxState = Exclude<State, 'directory'>;

/** The folders of the inbox. */
export type InboxPlace = InboxState | 'rejected' | 'quarantine';

/** One copy in the inbox. */
export type Copy = {
  readonly state: InboxState;
  /** Name of its folder: the id, if nobody meddled. */
  readonly folder: string;
  /** Absolute path of that folder, and of the bundle's, which is the same for what somebody on this machine delivered. */
  readonly root: string;
  readonly path: string;
  /** When a pull took it in. */
  readonly receivedAt: string | undefined;
};

/** The copies in one place, in no order. Names that begin with a dot are writes under way. */
export function copiesIn(home: Home, state: InboxState): Copy[] {
  return namesIn(home, state)
    .filter((name) => !name.startsWith('.') && (state === 'incoming' || idForm.test(name)))
    .map((name) => copyAt(home, state, name));
}

/** The copies of one id, the most settled first: accepted, pending, incoming. */
export function copiesOf(home: Home, id: string): Copy[] {
  return settledFirst.filter((state) => isThere(home, state, id)).map((state) => copyAt(home, state, id));
}

const settledFirst = ['accepted', 'pending', 'incoming'] as const;

/** Names in a folder of the inbox; none where there is no folder. Throws Refused where it can not be read. */
export function namesIn(home: Home, place: InboxPlace): string[] {
  return lookInto(home, place, (folder) => readdirSync(folder)) ?? [];
}

/** Whether anything stands in a folder of the inbox under a name, a dangling link too. Throws Refused where nobody can tell. */
export function isThere(home: Home, place: InboxPlace, name: string): boolean {
  return lookInto(home, place, (folder) => lstatSync(path.join(folder, name))) !== undefined;
}

function lookInto<T>(home: Home, place: InboxPlace, look: (folder: string) => T): T | undefined {
  const folder = home.path('inbox', place);
  return whereThere(folder, showPlace(`inbox/${place}`), () => look(folder));
}

/** A small JSON file of the inbox as an object; undefined where there is none, and where it is broken: no trust rests on any of them. */
export function readNote(file: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const stats = lstatSync(file);
    if (!stats.isFile() || stats.size > 4096) return undefined;
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function copyAt(home: Home, state: InboxState, folder: string): Copy {
  const root = home.path('inbox', state, folder);
  if (state === 'incoming') return { state, folder, root, path: root, receivedAt: undefined };
  const at = readNote(path.join(root, 'arrival.json'))?.['at'];
  const receivedAt = typeof at === 'string' && parseTime(at) !== undefined ? at : undefined;
  return { state, folder, root, path: path.join(root, 'bundle'), receivedAt };
}
