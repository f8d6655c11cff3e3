import { createHash, randomBytes } from 'node:crypto';
import { lstat, open, readdir, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { readSystem } from './system.ts';
import type { System } from './system.ts';

/** `mode` is that of a new file, as in open(2), 0o666 when not given; a file that is replaced keeps its own. */
export type WriteOptions = { readonly mode?: number };

const MAX_LINKS = 40;
const SWEEP_EVERY_MS = 60_000;
const MAX_SWEPT = 500;
const FOREIGN_TEMP_MS = 86_400_000;
const TEMP = /^\.toolwire-([0-9a-f]{8})-(\d{1,10})-(\d{1,20})-[0-9a-f]{12}\.tmp$/;
/** File systems that cannot sync a folder say one of these; there a rename is as durable as it gets. */
const NO_FOLDER_SYNC = new Set(['EPERM', 'EACCES', 'EISDIR', 'EINVAL', 'ENOTSUP', 'EBADF']);

const sweptAt = new Map<string, number>();
let writer: { readonly system: System; readonly machine: string } | undefined;

/**
 * Replaces a file's bytes so that readers, crashes and full disks see the old bytes or the new ones, nothing between:
 * temp file in the same folder, fsync, rename, fsync of the folder. On an error the old file stays and the temp goes.
 *
 * Through a symbolic link its target is replaced and the link stays. Hard links are cut, and the owner is the writer.
 * What is no regular file (a folder, a device, a pipe) is refused with code EINVAL. Beside other writers, take a lock.
 */
export async function writeFileAtomic(file: string, bytes: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
  const target = await followLinks(file);
  const folder = path.dirname(target);
  const mode = await modeOf(target);
  await sweep(folder);
  const temp = path.join(folder, tempName());
  try {
    // Narrow while it is written: the old file may have been readable to its owner alone.
    const handle = await open(temp, 'wx', mode === undefined ? (options.mode ?? 0o666) : 0o600);
    try {
      await handle.writeFile(bytes);
      if (mode !== undefined) await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temp, target);
  } catch (error) {
    await rm(temp, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Makes a folder's entries durable (a new name, a rename), where the file system can do that. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!NO_FOLDER_SYNC.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Where a write through `file` ends: every link in turn, relative ones from the real folder they are in. */
async function followLinks(file: string): Promise<string> {
  let current = file;
  for (let links = 0; links <= MAX_LINKS; links += 1) {
    current = path.join(await realpath(path.dirname(current)), path.basename(current));
    const link = await readlink(current).catch(() => undefined);
    if (link === undefined) return current;
    current = path.isAbsolute(link) ? link : path.dirname(current) + path.sep + link;
  }
  throw Object.assign(new Error(`too many symbolic links: ${file}`), { code: 'ELOOP' });
}

async function modeOf(file: string): Promise<number | undefined> {
  const found = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  if (!found.isFile()) throw Object.assign(new Error(`not a regular file: ${file}`), { code: 'EINVAL' });
  return found.mode & 0o7777;
}

function tempName(): string {
  const { system, machine } = thisWriter();
  return `.toolwire-${machine}-${system.pid}-${system.start ?? 0}-${randomBytes(6).toString('hex')}.tmp`;
}

/** Removes temps of killed writers: of our machine and namespace when they are dead, of others when a day old. */
async function sweep(folder: string): Promise<void> {
  const now = Date.now();
  if (now - (sweptAt.get(folder) ?? -Infinity) < SWEEP_EVERY_MS) return;
  if (sweptAt.size >= MAX_SWEPT) sweptAt.clear();
  sweptAt.set(folder, now);
  for (const name of await readdir(folder)) {
    const [, machine, pid, start] = TEMP.exec(name) ?? [];
    if (machine === undefined || pid === undefined || start === undefined) continue;
    const temp = path.join(folder, name);
    const { system, machine: ours } = thisWriter();
    const dead = machine === ours ? isGone(system, Number(pid), start) : await isOlder(temp, now - FOREIGN_TEMP_MS);
    if (dead) await rm(temp, { force: true });
  }
}

function isGone(system: System, pid: number, start: string): boolean {
  if (system.gone(pid)) return true;
  const found = system.stat(pid);
  return found !== null && start !== '0' && found.start !== start;
}

async function isOlder(file: string, than: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && found.mtimeMs < than;
}

/** Pids of another boot, host or namespace mean nothing here, so a temp's name says where its pid is from. */
function thisWriter(): { readonly system: System; readonly machine: string } {
  if (writer === undefined) {
    const system = readSystem();
    const where = JSON.stringify([system.host, system.boot, system.ns]);
    writer = { system, machine: createHash('sha256').update(where).digest('hex').slice(0, 8) };
  }
  return writer;
}
