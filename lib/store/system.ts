import { readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';

/** What /proc/PID/stat says of a process: its state letter and its start in clock ticks since the boot. */
export type ProcessStat = { readonly state: string; readonly start: string };

/** The facts about this machine and its processes that a lock needs; specs hand in their own. */
export type System = {
  readonly pid: number;
  readonly host: string;
  /** Kernel boot id, null where there is none. */
  readonly boot: string | null;
  /** Pid and time namespace of this process, null where there is none. */
  readonly ns: string | null;
  /** Start of this process, null where /proc does not tell. */
  readonly start: string | null;
  /** True when no process of that pid exists in our pid namespace. */
  gone(pid: number): boolean;
  /** State and start of a process, null where it cannot be read. */
  stat(pid: number): ProcessStat | null;
  /** Wall-clock time of the boot, in milliseconds since the epoch. */
  bootedAt(): number;
};

/**
 * The real system. Nothing is read from a /proc mounted for another pid namespace: there the numbers mean other
 * processes, and `/proc/self` does not lead to our own pid.
 */
export function readSystem(proc = '/proc'): System {
  const self = attempt(() => readlinkSync(`${proc}/self`));
  const usable = self === String(process.pid);
  const stat = (pid: number): ProcessStat | null =>
    usable ? attempt(() => parseStat(readFileSync(`${proc}/${pid}/stat`, 'latin1'))) : null;
  const pidSpace = attempt(() => readlinkSync(`${proc}/self/ns/pid`));
  // The kernel shifts start times by the reader's time namespace, so starts compare inside one of those alone.
  const timeSpace = attempt(() => readlinkSync(`${proc}/self/ns/time`));
  return {
    pid: process.pid,
    host: os.hostname(),
    boot: attempt(() => readFileSync(`${proc}/sys/kernel/random/boot_id`, 'latin1').trim()),
    ns: pidSpace === null ? null : [pidSpace, timeSpace ?? ''].join(' ').trim(),
    start: stat(process.pid)?.start ?? null,
    gone,
    stat,
    bootedAt: () => Date.now() - os.uptime() * 1000,
  };
}

/** State (field 3) and start time (field 22) of a /proc/PID/stat line, whose name in parentheses may hold anything. */
export function parseStat(line: string): ProcessStat | null {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields[0], fields[19]];
  return state === undefined || start === undefined ? null : { state, start };
}

function gone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // EPERM means: there, but another user's. A mount with hidepid makes /proc say "missing" of such a process.
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
