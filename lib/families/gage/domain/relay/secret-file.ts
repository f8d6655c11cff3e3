import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../../../../store/atomic-write.ts';
import { writeNewFile } from '../../../../store/new-file.ts';
import { isMissing, systemReason } from '../../../../text/system-error.ts';
import { Refused } from '../refused.ts';

/** Where a secret is, and `make`: whether a missing one is made. */
export type SecretFile = { readonly file: string; readonly make: boolean; readonly random: (size: number) => Uint8Array };

const FORM = /^[0-9a-f]{64}\n?$/;

/**
 * Reads the relay's secret, 32 bytes as 64 hex digits. Throws Refused when it is missing and not to be made, when others
 * may read it (POSIX), or when it is something else.
 */
export async function loadRelaySecret({ file, make, random }: SecretFile): Promise<Uint8Array> {
  try {
    return await read(file);
  } catch (error) {
    if (!isMissing(error)) throw refusal(error);
  }
  if (!make) throw new Refused('the secret file of the relay does not exist: check its path, or make it with (umask 077; openssl rand -hex 32 > FILE); relays of one bucket share one, so copy it to each machine then');
  try {
    await create(file, random);
    return await read(file);
  } catch (error) {
    throw refusal(error);
  }
}

async function read(file: string): Promise<Uint8Array> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) throw new Refused('others may read the secret file of the relay; chmod 600 it');
    if (!found.isFile() || found.size > 100) throw notSecret();
    const text = await handle.readFile('latin1');
    if (!FORM.test(text)) throw notSecret();
    return Buffer.from(text.slice(0, 64), 'hex');
  } finally {
    await handle.close();
  }
}

/** Made whole under another name first: a relay that starts at the same time reads all of it, or makes none of its own. */
async function create(file: string, random: (size: number) => Uint8Array): Promise<void> {
  const temp = path.join(path.dirname(file), `.secret-${Buffer.from(random(8)).toString('hex')}.tmp`);
  await writeNewFile(temp, `${Buffer.from(random(32)).toString('hex')}\n`);
  try {
    await link(temp, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(temp, { force: true });
  }
  await syncFolder(path.dirname(file));
}

const notSecret = (): Refused => new Refused('the secret file of the relay does not hold 64 hex digits; make one with: openssl rand -hex 32');
const refusal = (error: unknown): unknown =>
  error instanceof Refused ? error : new Refused(`the secret file of the relay cannot be used: ${systemReason(error)}`, { cause: error });
