import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isMissing, systemReason } from '../../../../text/system-error.ts';
import type { Home } from '../home/home.ts';
import { parseTime } from '../identity/time.ts';
import { Refused } from '../refused.ts';
import { idForm } from '../verdict/judge.ts';
import type { State } from '../verdict/verdict.types.ts';

/** The three places of the inbox that hold bundles. */
export type InboxState = Exclude<State, 'directory'>;

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
  return namesIn(home.path('inbox', state))
    .filter((name) => !name.startsWith('.') && (state === 'incoming' || idForm.test(name)))
    .map((name) => copyAt(home, state, name));
}

/** The copies of one id, the most settled first: accepted, pending, incoming. */
export function copiesOf(home: Home, id: string): Copy[] {
  return settledFirst.filter((state) => isThere(home.path('inbox', state, id))).map((state) => copyAt(home, state, id));
}

const settledFirst = ['accepted', 'pending', 'incoming'] as const;

/** Names in a folder of the inbox; none where there is no folder. Throws Refused where it can not be read. */
export function namesIn(folder: string): string[] {
  return whereThere(() => readdirSync(folder)) ?? [];
}

/** Whether anything stands at a path in the inbox, a dangling link too. Throws Refused where nobody can tell. */
export function isThere(file: string): boolean {
  return whereThere(() => lstatSync(file)) !== undefined;
}

function whereThere<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new Refused(`the inbox can not be read: ${systemReason(error)}`, { cause: error });
  }
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
