import { createHash } from 'node:crypto';
import { confine, isPathRefusedError } from '../../../../store/root.ts';
import { decodeSource } from '../decode-source.ts';
import { readSource } from '../read-source.ts';
import { isToolFailed } from '../tool-failed.ts';

/** A file as an item of a campaign sees it; `hash` is SHA-256 of its bytes, hex. */
export type ItemFile = { readonly text: string; readonly hash: string };

/** Reads a file of a repository; undefined where it is gone, unreadable or not inside. */
export function readItemFile(root: string, file: string): ItemFile | undefined {
  try {
    const bytes = readSource(confine(root, file));
    return { text: decodeSource(bytes, file), hash: createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    if (isToolFailed(error) || isPathRefusedError(error)) return undefined;
    throw error;
  }
}
