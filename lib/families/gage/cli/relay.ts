import path from 'node:path';
import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { safeText } from '../../../text/safe-text.ts';
import { formatTime } from '../domain/identity/time.ts';
import { isLoopbackHost, readOrigin } from '../domain/home/relay-origin.ts';
import { LEAST_ROOM } from '../domain/relay/room.ts';
import { startRelay, type RelayPlace, type RelaySettings } from '../domain/relay/start-relay.ts';
import type { RelayLog } from '../domain/relay/store.types.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gage relay serve --help';
const usage = (message: string): UsageError => new UsageError(message, { help });

const flagTable = {
  dir: 'value', bucket: 'value', port: 'value', host: 'value', 'public-url': 'values', 'secret-file': 'value', 'tls-cert': 'value', 'tls-key': 'value',
  'trust-proxy': 'values', 'max-bytes': 'value', 'break-lock': 'switch', 'pushes-per-minute': 'value', 'challenges-per-minute': 'value',
} as const;

type Given = ReturnType<typeof parseFlags<typeof flagTable>>['flags'];

/** `gage relay serve`: runs a relay until it is interrupted. Returns the exit code; wrong usage throws a UsageError. */
export async function runRelay(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, flagTable, help);
  if (rest.length > 0) throw usage('relay serve takes flags alone: gage relay serve --dir DIR --port 8787');
  const settings = settingsOf(flags, terminal.cwd);
  const { signal, stdout, stderr, now } = terminal;
  try {
    const log: RelayLog = (_level, message) => void stderr.write(`${formatTime(now())} ${safeText(message)}\n`);
    const relay = await startRelay(settings, surroundingsOf(terminal), { log, signal });
    // What stdout says then is what users configure, and not where a proxy finds this relay.
    if (settings.publicUrls?.length !== 0) log('info', `listening on ${relay.listening}`);
    stdout.write(toJsonLine({ origin: relay.origin }));
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve());
      if (signal.aborted) resolve();
    });
    await relay.close();
    return gageExit.done;
  } catch (error) {
    if (error instanceof RangeError) throw usage(`--trust-proxy: ${error.message}; write 10.0.0.0/8 or one address`);
    // Given up because somebody interrupted it.
    if (signal.aborted) return gageExit.done;
    return reportFailure(error, terminal, help);
  }
}

function settingsOf(flags: Given, cwd: string): RelaySettings {
  const host = flags.host ?? '127.0.0.1';
  const publicUrls = (flags['public-url'] ?? []).map((text) => {
    const read = readOrigin(text);
    if ('problem' in read) throw usage(`--public-url ${text.slice(0, 80)}: ${read.problem}`);
    return read.origin;
  });
  // Sessions are signed for an origin: without one that others can reach, nobody could open any.
  if (!isLoopbackHost(host) && publicUrls.length === 0) throw usage('--host of another than this machine needs --public-url, the origin that users configure');
  const [cert, key] = [flags['tls-cert'], flags['tls-key']];
  if ((cert === undefined) !== (key === undefined)) throw usage('--tls-cert and --tls-key go together');
  const pushes = numberOf(flags, 'pushes-per-minute', 1, 1_000_000);
  const challenges = numberOf(flags, 'challenges-per-minute', 1, 1_000_000);
  return {
    host, publicUrls, place: placeOf(flags, cwd), port: numberOf(flags, 'port', 0, 65_535) ?? 0, trustProxy: flags['trust-proxy'] ?? [],
    tls: cert === undefined || key === undefined ? undefined : { certFile: path.resolve(cwd, cert), keyFile: path.resolve(cwd, key) },
    ...(pushes !== undefined && { pushesPerMinute: pushes }), ...(challenges !== undefined && { challengesPerMinute: challenges }),
  };
}

function placeOf(flags: Given, cwd: string): RelayPlace {
  const { dir, bucket } = flags;
  const secretFile = flags['secret-file'] === undefined ? undefined : path.resolve(cwd, flags['secret-file']);
  const breakLock = flags['break-lock'] === true;
  if (dir !== undefined && bucket === undefined) return { dir: path.resolve(cwd, dir), secretFile, maxBytes: numberOf(flags, 'max-bytes', LEAST_ROOM, Number.MAX_SAFE_INTEGER), breakLock };
  if (dir !== undefined || bucket === undefined) throw usage('relay serve needs one of --dir DIR and --bucket URL');
  if (secretFile === undefined) throw usage('--bucket needs --secret-file: the relays of one bucket share a secret');
  if (flags['max-bytes'] !== undefined) throw usage('--max-bytes is for --dir; a bucket has its own limits');
  if (breakLock) throw usage('--break-lock is for --dir; a bucket has no lock');
  return { bucket, secretFile };
}

function numberOf(flags: Given, name: 'port' | 'max-bytes' | 'pushes-per-minute' | 'challenges-per-minute', min: number, max: number): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw usage(`--${name} needs a whole number from ${min} to ${max}`);
  return value;
}
