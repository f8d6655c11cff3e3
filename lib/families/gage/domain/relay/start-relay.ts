import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode, systemReason } from '../../../../text/system-error.ts';
import { Refused } from '../refused.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { openBucketStore } from './bucket-store.ts';
import { BucketError, openBucket, type Bucket } from './bucket.ts';
import { openDiskStore } from './disk-store.ts';
import { prepareRelayFolder } from './relay-folder.ts';
import { loadRelaySecret, type SecretFile } from './secret-file.ts';
import { serveRelay, type RelayServeOptions, type RunningRelay } from './server.ts';
import type { RelayLog, RelayStore } from './store.types.ts';

/** Where a relay keeps its messages: a folder of this machine, or a bucket and the secret that its relays share. Absolute paths. */
export type RelayPlace =
  | { readonly dir: string; readonly secretFile: string | undefined; readonly maxBytes: number | undefined; readonly breakLock: boolean }
  | { readonly bucket: string; readonly secretFile: string };

/** How a relay is run; `tls` are the paths of PEM files. */
export type RelaySettings = Pick<RelayServeOptions, 'host' | 'port' | 'publicUrls' | 'trustProxy' | 'pushesPerMinute' | 'challengesPerMinute'> & {
  readonly place: RelayPlace;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
};

/**
 * Opens secret, store and server of a relay. Throws Refused when one of them cannot be had, a RangeError for a bad proxy range.
 * A signal ends the wait for a bucket, which then cannot be had.
 */
export async function startRelay({ place, tls: files, ...settings }: RelaySettings, { env, now, random }: Surroundings, { log, signal }: { readonly log: RelayLog; readonly signal: AbortSignal }): Promise<RunningRelay> {
  const tls = files === undefined ? undefined : { cert: await readPem(files.certFile), key: await readPem(files.keyFile) };
  const secret = await loadRelaySecret({ ...secretFileOf(place), random });
  const store: RelayStore = 'dir' in place
    ? await openDiskStore({ folder: place.dir, random, log, breakLock: place.breakLock, uptime: () => performance.now(), ...(place.maxBytes !== undefined && { maxBytes: place.maxBytes }) })
    : await openBucketStore({ bucket: await reachableBucket(place.bucket, env, signal), random });
  try {
    return await serveRelay({ ...settings, tls, store, secret, now, random, log });
  } catch (error) {
    // A certificate and a key that do not belong together, or are none.
    if (files !== undefined && /^ERR_(?:OSSL|TLS|SSL)/.test(systemErrorCode(error) ?? '')) throw new Refused('the certificate and the key of the relay do not work; they must be PEM files that belong together', { cause: error });
    throw error;
  }
}

/** The bucket, asked for a listing: a wrong name or credential is better told at the start than by every message. */
async function reachableBucket(url: string, env: Surroundings['env'], signal: AbortSignal): Promise<Bucket> {
  const bucket = openBucket(url, env);
  try {
    await bucket.until(signal).list('m/');
    return bucket;
  } catch (error) {
    if (!(error instanceof BucketError)) throw error;
    throw new Refused(`${error.message}${hintOf(error.status)}`, { cause: error });
  }
}

/** A bucket that has never answered is more likely a wrong URL than a server that is down. What is no S3 says so itself, with 200. */
function hintOf(status: number | null): string {
  switch (status) {
    case 200:
      return '';
    case 403:
      return ': check the credentials, the region and what they may do';
    case 404:
      return ': check its name';
    default:
      return '; check the URL of --bucket and the region';
  }
}

/** A folder has its own secret beside its mailboxes, made at the first start. A file that somebody names is there, or its name is a slip. */
function secretFileOf(place: RelayPlace): Pick<SecretFile, 'file' | 'make'> {
  if (!('dir' in place)) return { file: place.secretFile, make: false };
  if (place.secretFile !== undefined) return { file: place.secretFile, make: false };
  prepareRelayFolder(place.dir);
  return { file: path.join(place.dir, 'relay.secret'), make: true };
}

async function readPem(file: string): Promise<string> {
  try {
    return await readFile(file, 'latin1');
  } catch (error) {
    throw new Refused(`${path.basename(file)} of the relay cannot be read: ${systemReason(error)}`, { cause: error });
  }
}
