import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { link, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { canonicalJson, readCanonicalJson } from '../../../../text/canonical-json.ts';
import { isMissing, systemReason } from '../../../../text/system-error.ts';
import { syncFolder } from '../../../../store/atomic-write.ts';
import { makeFolders } from '../../../../store/make-folders.ts';
import { writeNewFile } from '../../../../store/new-file.ts';
import { checkOwner, checkWriters, isOpenToRead } from '../home/home.ts';
import type { Home } from '../home/home.ts';
import { checkSettings } from '../home/settings.ts';
import { deniedReason } from '../home/where-there.ts';
import { Refused } from '../refused.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import type { Identity } from './identity.types.ts';
import { checkNewHandle } from './names.ts';
import { completeIdentity, identityOf, storedOf } from './stored-identity.ts';
import { formatTime } from './time.ts';

const NAME = 'identity.key';
const TEMP = /^\.identity-[0-9a-f]{16}\.tmp$/;
const MAX_BYTES = 4096;
/** The identity that was loaded last, by the bytes of its file. */
let loaded: { readonly bytes: Uint8Array; readonly identity: Identity } | undefined;

/** Makes new keys and the home's identity.key; the handle is taken in form NFC, whatever a keyboard makes. Throws Refused for a bad handle and where an identity is there already. */
export async function createIdentity(home: Home, given: string, surroundings: Pick<Surroundings, 'now' | 'random'> & Partial<Pick<Surroundings, 'log'>>): Promise<Identity> {
  const handle = given.normalize('NFC');
  const problem = checkNewHandle(handle);
  if (problem !== undefined) throw new Refused(`the handle ${problem}: choose another one`);
  const { random, now, log } = surroundings;
  const identity = completeIdentity({ handle, created_at: formatTime(now()), signSeed: random(32), boxPrivate: random(32) });
  await storeIdentity(home, identity, log);
  return identity;
}

/**
 * Writes an identity into a home that has none, and makes the home. Throws Refused where there is one: a key that is lost
 * is lost for good, so nothing is ever written over it. Warns of a home that was there before and that others can read.
 */
export async function storeIdentity(home: Home, identity: Identity, log: Surroundings['log'] = () => {}): Promise<void> {
  const temp = home.path(`.identity-${randomBytes(8).toString('hex')}.tmp`);
  try {
    const made = makeFolders(home.root, 0o700);
    await writeNewFile(temp, `${canonicalJson(storedOf(identity))}\n`);
    // Unlike rename, link does not replace what is there.
    await link(temp, home.path(NAME));
    await sweep(home);
    await syncUpTo(home.root, made ?? home.root);
    if (made === undefined && isOpenToRead(home)) log('warning', 'other users can look into the gage home, at the list and at what comes: close it with chmod 700');
  } catch (error) {
    await rm(temp, { force: true }).catch(() => {});
    if (!existsSync(home.path(NAME))) throw new Refused(`the identity can not be written: ${systemReason(error)}`, { cause: error });
    await sweep(home);
    throw new Refused('this home has an identity already: use it, or set GAGE_HOME to another folder for a second one', { cause: error });
  }
}

/**
 * The identity of a home whose settings can be used: what every tool and command begins with. Throws Refused as `readIdentity`, and
 * after that where config.json or routes.json is broken, naming the key.
 */
export function loadIdentity(home: Home): Identity {
  const identity = readIdentity(home);
  checkSettings(home);
  return identity;
}

/**
 * The identity of a home, whatever its settings. Throws Refused where there is none (naming `gage init HANDLE`), where others may
 * read the file or it belongs to somebody else (not on Windows, which has no such modes), and where it is damaged.
 */
export function readIdentity(home: Home, platform: NodeJS.Platform = process.platform): Identity {
  const bytes = readKeyFile(home.path(NAME), platform);
  // Deriving the public keys takes longer than all else of a small call; the file itself is looked at each time.
  if (loaded !== undefined && Buffer.compare(loaded.bytes, bytes) === 0) return loaded.identity;
  const identity = bytes.at(-1) === 0x0a ? parse(bytes.subarray(0, -1)) : undefined;
  if (identity !== undefined) {
    loaded = { bytes, identity };
    return identity;
  }
  throw new Refused('identity.key is damaged: bring the file back from a copy, or move it away and restore an export with gage restore-identity');
}

/** Once there is an identity no other can become one: what runs that were killed or came second left behind may go. */
async function sweep(home: Home): Promise<void> {
  for (const name of await readdir(home.root)) if (TEMP.test(name)) await rm(home.path(name), { force: true });
}

/** Makes the entries of a folder durable, and those of every folder down to it that was made with it. */
async function syncUpTo(folder: string, topmost: string): Promise<void> {
  await syncFolder(folder);
  if (folder !== topmost) await syncUpTo(path.dirname(folder), topmost);
  else await syncFolder(path.dirname(folder));
}

function parse(bytes: Uint8Array): Identity | undefined {
  try {
    return identityOf(readCanonicalJson(bytes));
  } catch {
    return undefined;
  }
}

function readKeyFile(file: string, platform: NodeJS.Platform): Uint8Array {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (isMissing(error)) throw new Refused('there is no identity yet: a person makes one with gage init HANDLE', { cause: error });
    throw new Refused(`identity.key can not be read: ${systemReason(error, { ...deniedReason, ELOOP: 'it is a symbolic link' })}`, { cause: error });
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > MAX_BYTES) throw new Refused('identity.key is no key file: bring it back from a copy');
    // What is another's can not be closed by us.
    checkOwner(stats.uid, 'identity.key', { platform });
    if (platform !== 'win32') checkReaders(stats.mode);
    checkWriters(stats, 'identity.key', { platform });
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

function checkReaders(mode: number): void {
  if ((mode & 0o077) === 0) return;
  const shown = (mode & 0o777).toString(8);
  throw new Refused(`identity.key is open to others (mode ${shown}): close it with chmod 600, and make a new identity if somebody may have read it`);
}
