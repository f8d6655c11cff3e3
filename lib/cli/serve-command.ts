import { serveStdio } from '../mcp/serve.ts';
import type { Flags } from '../terminal/flags.ts';
import { closeInTime, openServer } from './open-server.ts';
import { guarded, guardServer } from './server-guard.ts';
import { checkStdin } from './stdin.ts';
import { UsageError } from '../terminal/usage-error.ts';

/** The flags of a serving command. */
export const serveFlags = { ordered: 'switch', drain: 'value', plugin: 'values', trace: 'value', 'max-line-bytes': 'value' } as const;

/** How long stray handles of tools may keep the process once all is done, in milliseconds. */
export const strayLimitMs = 100;
/** What `buffer.constants.MAX_STRING_LENGTH` is at least on Node 20: a longer line could not be parsed anyway. */
const longestLine = 2 ** 29 - 24;

/** What to serve: `name` is what initialize says, `families` the named ones (none named means all). */
export type ServeRequest = { readonly name: string; readonly families: readonly string[]; readonly flags: Flags<typeof serveFlags>; readonly help: string };

/**
 * Serves on stdin and stdout until that ends and returns the exit code. The caller holds the claim on stdout already.
 *
 * Throws, before anything is read or written, a UsageError for a bad flag value or a plugin that does not load, and another
 * error for an input that can't be read.
 */
export async function serve({ name, families, flags, help }: ServeRequest): Promise<number> {
  const drain = readDrain(flags.drain, help);
  const maxLineBytes = readMaxLineBytes(flags['max-line-bytes'], help);
  await checkStdin();
  guardServer(name);
  const server = await openServer(name, families, flags.plugin ?? []);
  const trace = flags.trace === undefined ? undefined : await startTrace(flags.trace);
  const options = {
    ordered: flags.ordered === true,
    ...(drain !== undefined && { drain }),
    ...(maxLineBytes !== undefined && { maxLineBytes }),
    ...(trace !== undefined && { trace: trace.line }),
  };
  const end = await guarded(() => serveStdio(server, options));
  trace?.close();
  process.exitCode = end.exitCode;
  await closeInTime(server);
  // Signalled, and nobody takes the rest of the output: it must not keep the process.
  if (end.reason === 'signal') setTimeout(() => process.exit(), strayLimitMs).unref();
  return end.exitCode;
}

async function startTrace(file: string): Promise<{ line(direction: 'in' | 'out', line: string): void; close(): void }> {
  const { openTrace } = await import('./trace.ts');
  try {
    return openTrace(file, Date.now, (text) => void process.stderr.write(`toolwire: ${text}\n`));
  } catch (error) {
    throw new UsageError(`--trace: ${(error as Error).message}`, { cause: error });
  }
}

function readDrain(text: string | undefined, help: string): number | 'none' | undefined {
  if (text === undefined || text === 'none') return text;
  const seconds = Number(text);
  // setTimeout takes 31 bits of milliseconds.
  if (!/^\d{1,7}(?:\.\d{1,3})?$/.test(text) || seconds > 2_000_000) {
    throw new UsageError(`--drain takes seconds from 0 to 2000000, or none, not ${JSON.stringify(text.slice(0, 80))}`, { help });
  }
  return seconds;
}

function readMaxLineBytes(text: string | undefined, help: string): number | undefined {
  if (text === undefined) return undefined;
  const bytes = Number(text);
  if (!/^\d{1,9}$/.test(text) || bytes < 1 || bytes > longestLine) {
    throw new UsageError(`--max-line-bytes takes a whole number from 1 to ${longestLine}, not ${JSON.stringify(text.slice(0, 80))}`, { help });
  }
  return bytes;
}
