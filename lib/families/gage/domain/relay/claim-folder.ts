import path from 'node:path';
import { isLockHeldError, isLockUnsupportedError } from '../../../../store/lock-errors.ts';
import { breakLock, openLock } from '../../../../store/lock.ts';
import { isDiskFull } from '../../../../text/system-error.ts';
import { Refused } from '../refused.ts';
import { prepareRelayFolder, relayFolderRefusal } from './relay-folder.ts';

const LOCK = '.lock';

/**
 * Takes the folder of a relay for this process, making it when it is missing; answers what gives it back. Throws Refused where it is
 * another's: with `breakLock` only of one that runs for certain.
 */
export async function claimFolder(folder: string, { breakLock: breaking }: { readonly breakLock: boolean }): Promise<() => Promise<void>> {
  try {
    prepareRelayFolder(folder);
    if (breaking) breakLock(path.join(folder, LOCK));
    const lock = openLock(path.join(folder, LOCK));
    let free = (): void => {};
    let held: Promise<void> = Promise.resolve();
    await new Promise<void>((resolve, reject) => {
      held = lock.run(() => new Promise<void>((done) => {
        free = done;
        resolve();
      }), { waitMs: 100 });
      held.catch(reject);
    }).catch((error: unknown) => {
      lock.close();
      throw error;
    });
    return async () => {
      free();
      await held;
      lock.close();
    };
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  const refuse = (text: string): Refused => new Refused(text, { cause: error });
  // A process of another container or machine, which nobody here can tell from one that was killed there.
  if (isLockHeldError(error) && error.state === 'unknown') {
    return refuse(`${LOCK} in the folder of the relay is of a process that cannot be seen from here (another container or machine, or killed there); if no relay uses the folder, start this one with --break-lock`);
  }
  if (isLockHeldError(error)) return refuse('another relay uses this folder; stop it, or give --dir another folder');
  if (isLockUnsupportedError(error)) return refuse('the file system of the folder of the relay has no hard links, which its lock needs; give --dir a folder on a local disk');
  if (isDiskFull(error)) return refuse('no space is left on the disk of the relay, which needs some KiB to start: make room (what lies in .incoming in its folder is needed by no relay that was killed)');
  return relayFolderRefusal(error);
}
