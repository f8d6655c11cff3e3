import { readSync } from 'node:fs';
import type { CliContext } from '../../../mcp/family.types.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { checkPassphrase } from '../domain/identity/export.ts';
import { Refused } from '../domain/refused.ts';

/** Where a passphrase comes from: `--passphrase-fd` as given, and whether it is a new one, which is asked for twice. */
export type PassphraseSource = { readonly fd: string | undefined; readonly isNew: boolean; readonly help: string };

const maxBytes = 4_096;

/**
 * A passphrase from a terminal without echo, or the first line of a file descriptor; never from argv or the environment,
 * which other processes of the machine can read. Throws Refused for a new one that is too short or was not typed twice alike, UsageError for a
 * descriptor that can not be read.
 */
export async function readPassphrase(terminal: CliContext, { fd, isNew, help }: PassphraseSource): Promise<string> {
  const ask = (question: string): Promise<string> => terminal.prompt.askLine(question, { flag: '--passphrase-fd N', echo: false });
  if (fd !== undefined) return fromDescriptor(terminal, fd, help);
  const passphrase = await ask(isNew ? 'New passphrase, 12 characters or more:' : 'Passphrase:');
  // Before it is typed a second time.
  if (isNew) checkPassphrase(passphrase);
  if (isNew && (await ask('Once more:')) !== passphrase) throw new Refused('the two passphrases differ: nothing was written');
  return passphrase;
}

async function fromDescriptor({ stdin }: CliContext, fd: string, help: string): Promise<string> {
  const number = /^\d{1,4}$/.test(fd) ? Number(fd) : NaN;
  if (Number.isNaN(number) || number === 1 || number === 2) throw new UsageError('--passphrase-fd needs the number of a descriptor to read from, 0 or from 3 on', { help });
  if (number === 0 && stdin.isTTY) throw new UsageError('--passphrase-fd 0 is for a pipe: leave it out to be asked without echo', { help });
  const bytes = number === 0 ? await stdin.read(maxBytes) : readFirstLine(number, help);
  const end = bytes.indexOf(0x0a);
  // Without a line end in reach it may go on beyond what was read.
  if (end === -1 && bytes.length >= maxBytes) throw new UsageError(`the first line of descriptor ${number} is longer than ${maxBytes} bytes`, { help });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(end === -1 ? bytes : bytes.subarray(0, end)).replace(/\r$/, '');
  } catch {
    throw new UsageError(`the first line of descriptor ${number} is not UTF-8`, { help });
  }
}

function readFirstLine(fd: number, help: string): Uint8Array {
  const buffer = new Uint8Array(maxBytes);
  let filled = 0;
  try {
    while (filled < maxBytes && !buffer.subarray(0, filled).includes(0x0a)) {
      const read = readSync(fd, buffer, filled, maxBytes - filled, null);
      if (read === 0) break;
      filled += read;
    }
  } catch (cause) {
    throw new UsageError(`descriptor ${fd} can not be read: started through npx only 0 reaches gage`, { help, cause });
  }
  return buffer.subarray(0, filled);
}
