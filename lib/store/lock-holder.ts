import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { System } from './system.ts';

/** Who holds a lock: the content of an identity file and of every link to it. */
export type LockHolder = {
  readonly pid: number;
  readonly start: string | null;
  readonly boot: string | null;
  readonly ns: string | null;
  readonly host: string;
  /** 24 hex digits that no other holder has. */
  readonly random: string;
};

/** `alive` and `dead` are certain; `unknown` is a process we cannot see, and nobody takes its lock. */
export type HolderState = 'alive' | 'dead' | 'unknown';

/** What a lock, mark or identity file says; `holder` is null where the content is none of ours. */
export type LockFile = { readonly holder: LockHolder | null; readonly writtenAt: number };

/** A clock set a little back must not make a lock look older than the boot. */
const BOOT_SLACK_MS = 5_000;
const MAX_BYTES = 4096;
const RANDOM = /^[0-9a-f]{24}$/;

/**
 * Says whether a holder still runs. Pids and start times mean something within one boot and one pid namespace only
 * (the first namespace has the same number on every machine, so the boot id is compared first).
 */
export function stateOf({ holder, writtenAt }: LockFile, system: System): HolderState {
  if (holder === null) return 'unknown';
  if (holder.boot !== system.boot) {
    const bothKnown = holder.boot !== null && system.boot !== null;
    return bothKnown && holder.host === system.host ? 'dead' : 'unknown';
  }
  if (holder.boot === null && holder.host !== system.host) return 'unknown';
  if (holder.ns !== system.ns) return 'unknown';
  if (system.gone(holder.pid)) return 'dead';
  const stat = system.stat(holder.pid);
  if (stat === null) {
    return holder.boot === null && writtenAt + BOOT_SLACK_MS < system.bootedAt() ? 'dead' : 'alive';
  }
  const reused = holder.start !== null && stat.start !== holder.start;
  return reused || stat.state === 'Z' || stat.state === 'X' ? 'dead' : 'alive';
}

/**
 * Reads a lock, mark or identity file; undefined when it is not there. A link, a folder, a pipe or a foreign file in
 * its place is no error here but a holder we know nothing of.
 */
export function readLockFile(file: string): LockFile | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return { holder: null, writtenAt: Date.now() };
  }
  try {
    const stat = fstatSync(fd);
    const buffer = Buffer.alloc(MAX_BYTES);
    const text = stat.isFile() ? buffer.toString('utf8', 0, readSync(fd, buffer, 0, MAX_BYTES, 0)) : '';
    return { holder: parseHolder(text), writtenAt: stat.mtimeMs };
  } finally {
    closeSync(fd);
  }
}

/** The holder in a file's text, or null: `random` becomes part of a file name and `pid` goes to kill(2), so both are checked. */
export function parseHolder(text: string): LockHolder | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { pid, start, boot, ns, host, random } = value as Record<string, unknown>;
  const pidIsGood = typeof pid === 'number' && Number.isInteger(pid) && pid > 0 && pid <= 0x7fff_ffff;
  if (!pidIsGood || typeof random !== 'string' || !RANDOM.test(random)) return null;
  if (typeof host !== 'string' || !isText(start) || !isText(boot) || !isText(ns)) return null;
  return { pid, start, boot, ns, host, random };
}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
