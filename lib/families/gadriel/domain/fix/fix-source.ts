import { Buffer, isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { confine, isPathRefusedError } from '../../../../store/root.ts';
import { readSource } from '../read-source.ts';
import { isToolFailed } from '../tool-failed.ts';

/** A file as it stands on disk. `text` lacks the byte order mark, which `mark` is; `hash` is the SHA-256 of its bytes, hex. */
export type FixSource = { readonly file: string; readonly text: string; readonly mark: '' | '\ufeff'; readonly hash: string };

/** Why no diff can be made: the file is gone, or it is none that a diff may be made for. */
export type NoSource = { readonly status: 'stale' | 'not_fixable'; readonly why: string };

/** The largest file that fixes are made for, in bytes. */
const maxFixBytes = 1024 * 1024;

/**
 * Reads a file of a repository for fixing. A path that leads out of the root or through a link, a file over 1 MiB and one that
 * is no UTF-8 are refused: `git apply` would not take a diff of it, or nobody may ask for one.
 */
export function readFixSource(root: string, file: string): FixSource | NoSource {
  let absolute: string;
  try {
    absolute = confine(root, file);
  } catch (error) {
    if (!isPathRefusedError(error)) throw error;
    return refused(`the path is refused: ${error.message.slice(error.message.lastIndexOf(': ') + 2)}`);
  }
  if (absolute !== path.join(realpathSync(root), ...file.split('/').filter((part) => part !== '' && part !== '.'))) {
    return refused('the file is reached through a symbolic link, which a diff can not change');
  }
  const size = lstatSync(absolute, { throwIfNoEntry: false })?.size;
  if (size === undefined) return { status: 'stale', why: 'the file is gone' };
  if (size > maxFixBytes) return refused('the file is larger than 1 MiB');
  try {
    return decode(file, readSource(absolute));
  } catch (error) {
    if (!isToolFailed(error)) throw error;
    return refused(error.message);
  }
}

function decode(file: string, bytes: Uint8Array): FixSource | NoSource {
  if (!isUtf8(bytes)) return refused('the file is not UTF-8, so that no diff of it can be sent as text');
  if (bytes.includes(0)) return refused('the file is binary');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (/\r(?!\n)/.test(text)) return refused('the file has single carriage returns, of which no diff shows where lines end');
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  return { file, text: text.slice(mark.length), mark, hash: hashOf(text) };
}

/** SHA-256 of a text's UTF-8 bytes, hex. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const refused = (why: string): NoSource => ({ status: 'not_fixable', why });
