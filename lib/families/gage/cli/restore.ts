import { constants, lstatSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { systemErrorCode, systemReason } from '../../../text/system-error.ts';
import { openHome } from '../domain/home/home.ts';
import { publicSideOf } from '../domain/home/own-identity.ts';
import { restoreIdentity } from '../domain/identity/export.ts';
import { storeIdentity } from '../domain/identity/identity-file.ts';
import { Refused } from '../domain/refused.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { readPassphrase } from './passphrase.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gage restore-identity --help';
/** An export is under a kilobyte. */
const maxBytes = 64 * 1024;

/** `gage restore-identity FILE`: makes the identity of an export, where there is none, and prints token and words. Returns the exit code; wrong usage throws a UsageError. */
export async function runRestoreIdentity(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { 'passphrase-fd': 'value', json: 'switch' }, help);
  const [file, extra] = rest;
  if (file === undefined || extra !== undefined) throw new UsageError('restore-identity needs one file that gage export-identity made', { help });
  try {
    const home = openHome(terminal.env);
    // Before the passphrase is asked for; what makes the key file looks again.
    if (lstatSync(home.path('identity.key'), { throwIfNoEntry: false }) !== undefined) {
      throw new Refused('this home has an identity already, and none is overwritten: set GAGE_HOME to another folder');
    }
    const bytes = await readExport(path.resolve(terminal.cwd, file));
    const passphrase = await readPassphrase(terminal, { fd: flags['passphrase-fd'], isNew: false, help });
    const identity = await restoreIdentity(bytes, passphrase);
    await storeIdentity(home, identity, surroundingsOf(terminal).log);
    const own = await publicSideOf(identity);
    terminal.stdout.write(flags.json === true ? toJsonLine(own) : `${own.token}\n${own.words}\n`);
    terminal.stderr.write('Compare the words with those of the old machine: the same words, the same identity. The buddy list is not in an export.\n');
    return gageExit.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}

async function readExport(file: string): Promise<Uint8Array> {
  try {
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > maxBytes) throw new Refused('the file is no export of an identity');
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    throw new Refused(`the file can not be read: ${systemReason(error)}`, { cause: error });
  }
}
