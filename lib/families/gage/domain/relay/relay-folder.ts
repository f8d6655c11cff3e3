import { statSync } from 'node:fs';
import { makeFolders } from '../../../../store/make-folders.ts';
import { systemErrorCode, systemReason } from '../../../../text/system-error.ts';
import { checkModes } from '../home/home.ts';
import { Refused } from '../refused.ts';

/** Makes the folder of a relay when it is missing. Throws Refused where it cannot be used, and where others may write into it. */
export function prepareRelayFolder(folder: string): void {
  try {
    makeFolders(folder, 0o700);
    checkModes(statSync(folder).mode, 'the folder of the relay');
  } catch (error) {
    throw relayFolderRefusal(error);
  }
}

/** What a relay that cannot use its folder says; an error that is none of the system's stays itself. */
export function relayFolderRefusal(error: unknown): unknown {
  return systemErrorCode(error) === undefined ? error : new Refused(`the folder of the relay cannot be used: ${systemReason(error)}`, { cause: error });
}
