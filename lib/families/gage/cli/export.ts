import path from 'node:path';
import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { openHome } from '../domain/home/home.ts';
import { checkExportFile, writeExport } from '../domain/identity/export-file.ts';
import { loadIdentity } from '../domain/identity/identity-file.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { readPassphrase } from './passphrase.ts';

const help = 'gage export-identity --help';

/** `gage export-identity FILE`: writes both private keys, sealed by a passphrase, into a new file. Returns the exit code; wrong usage throws a UsageError. */
export async function runExportIdentity(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { 'passphrase-fd': 'value' }, help);
  const [file, extra] = rest;
  if (file === undefined || extra !== undefined) throw new UsageError('export-identity needs one file to make', { help });
  try {
    const identity = loadIdentity(openHome(terminal.env));
    const target = path.resolve(terminal.cwd, file);
    await checkExportFile(target);
    const passphrase = await readPassphrase(terminal, { fd: flags['passphrase-fd'], isNew: true, help });
    await writeExport(target, identity, passphrase, terminal.random);
    terminal.stderr.write('Keep the file and the passphrase apart: together they are your identity.\n');
    return gageExit.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}
