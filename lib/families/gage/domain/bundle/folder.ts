import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../../../../store/atomic-write.ts';
import { writeNewFile } from '../../../../store/new-file.ts';
import type { BundleBytes, BundleFault } from './bundle.types.ts';
import { openFolder, readEntry } from './entries.ts';
import type { EntryFault, OpenFolder } from './entries.ts';
import { itemName, layout } from './layout.ts';
import { limits, readManifest } from './manifest.ts';
import type { ManifestItem } from './manifest.types.ts';

/** A signature has 89 bytes; a file of more than this is none and is not read. */
const MAX_SIGNATURE_BYTES = 1024;
/** Of the files that somebody added to a folder, so many are named. */
const MAX_EXTRAS = 16;
const TEMP = /^\.tmp-[0-9a-f]{24}$/;
const STALE_MS = 86_400_000;

type Fault = BundleBytes['faults'][number];
type Complete = { readonly manifest: Uint8Array; readonly signature: Uint8Array; readonly items: readonly Uint8Array[] };

/**
 * Reads a bundle folder, each file once. No link is followed, not even `dir` itself, no pipe or device is waited for, no file is
 * read that has not the size that the manifest says, and the entries must be exactly those of the manifest. What differs is a
 * fault, and so is a `dir` that is not there. Throws the system's error for what says nothing about the bundle (a bad disk).
 */
export function readBundleFolder(dir: string): BundleBytes {
  const faults: Fault[] = [];
  const folder = openFolder(dir);
  if (typeof folder === 'string') return { manifest: undefined, signature: undefined, items: [], faults: [faultOf(folder, 'missing_manifest')] };
  try {
    const manifest = readEntry(folder.at(layout.manifest), (size) => size <= limits.manifestBytes);
    if (manifest instanceof Uint8Array) return { manifest, ...readParts(folder, manifest, faults), faults };
    const fault = manifest === 'size' ? { reason: 'too_large' as const } : faultOf(manifest, 'missing_manifest');
    return { manifest: undefined, signature: undefined, items: [], faults: [{ ...fault, name: layout.manifest }] };
  } finally {
    folder.close();
  }
}

/**
 * Writes a bundle folder so that it is there whole or not at all: a temporary folder beside it, fsync of every file and folder,
 * rename. An empty folder at `dir` is replaced; anything else there is the system's error (ENOTEMPTY, EEXIST, ENOTDIR) and stays.
 * Throws TypeError for a bundle with a missing part. Temporary folders of runs that were killed go after a day.
 */
export async function writeBundleFolder(dir: string, bundle: BundleBytes): Promise<void> {
  const complete = completeOf(bundle);
  const parent = path.dirname(dir);
  await sweep(parent);
  const temp = path.join(parent, `.tmp-${randomBytes(12).toString('hex')}`);
  try {
    await writeParts(temp, complete);
    await rename(temp, dir);
  } catch (error) {
    await rm(temp, { recursive: true, force: true });
    throw error;
  }
  await syncFolder(parent);
}

/** Signature and items of a manifest that can be read; of another one nothing more is looked at. */
function readParts(folder: OpenFolder, manifest: Uint8Array, faults: Fault[]): Pick<BundleBytes, 'signature' | 'items'> {
  const read = readManifest(manifest);
  if (!('manifest' in read)) return { signature: undefined, items: [] };
  const { items } = read.manifest;
  const signature = readSignature(folder, faults);
  addExtras(faults, folder.others(new Set([layout.manifest, layout.signature, ...(items.length === 0 ? [] : [layout.items])]), MAX_EXTRAS));
  return { signature, items: items.length === 0 ? [] : readItems(folder.at(layout.items), items, faults) };
}

function readSignature(folder: OpenFolder, faults: Fault[]): Uint8Array | undefined {
  const signature = readEntry(folder.at(layout.signature), (size) => size <= MAX_SIGNATURE_BYTES);
  if (signature instanceof Uint8Array) return signature;
  // A missing file is no signature; whatever else stands there is a bad one.
  if (signature === 'missing') return undefined;
  if (signature !== 'size') faults.push({ reason: signature, name: layout.signature });
  return new Uint8Array();
}

function readItems(dir: string, items: readonly ManifestItem[], faults: Fault[]): BundleBytes['items'] {
  const folder = openFolder(dir);
  if (typeof folder === 'string') {
    faults.push({ ...faultOf(folder, 'missing_item'), name: layout.items });
    return items.map(() => undefined);
  }
  try {
    const names = items.map((_, index) => itemName(index));
    addExtras(faults, folder.others(new Set(names), MAX_EXTRAS), `${layout.items}/`);
    return items.map(({ bytes }, index) => {
      const name = names[index] as string;
      const content = readEntry(folder.at(name), (size) => size === bytes);
      if (content instanceof Uint8Array) return content;
      faults.push({ ...faultOf(content, 'missing_item'), name: `${layout.items}/${name}` });
      return undefined;
    });
  } finally {
    folder.close();
  }
}

function faultOf(fault: EntryFault, missing: BundleFault): Fault {
  return { reason: fault === 'missing' ? missing : fault === 'size' ? 'item_size' : fault };
}

function addExtras(faults: Fault[], names: readonly string[], prefix = ''): void {
  for (const name of names) faults.push({ reason: 'extra_member', name: prefix + name });
}

function completeOf({ manifest, signature, items }: BundleBytes): Complete {
  const whole = manifest !== undefined && signature !== undefined && !items.includes(undefined);
  if (!whole) throw new TypeError('a bundle with a missing part is not written');
  return { manifest, signature, items: items as readonly Uint8Array[] };
}

async function writeParts(temp: string, { manifest, signature, items }: Complete): Promise<void> {
  await mkdir(temp, 0o700);
  await writeNewFile(path.join(temp, layout.manifest), manifest);
  await writeNewFile(path.join(temp, layout.signature), signature);
  if (items.length > 0) {
    const folder = path.join(temp, layout.items);
    await mkdir(folder, 0o700);
    for (const [index, item] of items.entries()) await writeNewFile(path.join(folder, itemName(index)), item);
    await syncFolder(folder);
  }
  await syncFolder(temp);
}

async function sweep(parent: string): Promise<void> {
  const before = Date.now() - STALE_MS;
  for (const name of await readdir(parent)) {
    const stats = TEMP.test(name) ? await lstat(path.join(parent, name)).catch(() => undefined) : undefined;
    if (stats?.isDirectory() === true && stats.mtimeMs < before) await rm(path.join(parent, name), { recursive: true, force: true });
  }
}
