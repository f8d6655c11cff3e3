import { constants, lstatSync } from 'node:fs';
import { access, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../../../../store/atomic-write.ts';
import { writeNewFile } from '../../../../store/new-file.ts';
import { systemErrorCode, systemReason } from '../../../../text/system-error.ts';
import { Refused } from '../refused.ts';
import { exportIdentity } from './export.ts';
import type { Identity } from './identity.types.ts';

const isThere = 'it is there already';

/** Throws Refused where `writeExport` could not make the file: for before anybody is asked for a passphrase, as it looks again. */
export async function checkExportFile(file: string): Promise<void> {
  try {
    // With the dot behind it a file in the place of the folder is told too.
    await access(`${path.dirname(file)}${path.sep}.`, constants.W_OK);
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw new Refused(`the file can not be made: ${isThere}`);
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Writes both private keys, sealed by a passphrase, into a file that must not be there yet. Throws Refused where it can not be made; then none is left. */
export async function writeExport(file: string, identity: Identity, passphrase: string, random: (size: number) => Uint8Array): Promise<void> {
  const bytes = await exportIdentity(identity, passphrase, random);
  try {
    await writeNewFile(file, bytes);
    try {
      await syncFolder(path.dirname(file));
    } catch (error) {
      // It is ours and whole, but may be gone after a crash: nobody should rely on it.
      await rm(file, { force: true });
      throw error;
    }
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  if (systemErrorCode(error) === undefined) return error;
  return new Refused(`the file can not be made: ${systemReason(error, { EEXIST: isThere, ENOENT: 'its folder does not exist' })}`, { cause: error });
}
