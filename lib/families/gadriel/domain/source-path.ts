import path from 'node:path';
import { findRoot } from '../../../store/root.ts';

/** Whether a path, or the first line of the text behind it, says that it is Python. */
export function isPython(file: string, text: string): boolean {
  if (/\.py[iw]?$/i.test(file)) return true;
  return text.startsWith('#!') && /^#![^\n]{0,200}\bpython(?:\d+(?:\.\d+)*)?\b/.test(text);
}

/** Whether a path alone says that there is code in it that is analysed. */
export const isCode = (file: string): boolean => isPython(file, '') || isNotebook(file);

/** Whether a path is a Jupyter notebook. */
export function isNotebook(file: string): boolean {
  return /\.ipynb$/i.test(file);
}

/** A label as it is echoed: forward slashes, whatever system it came from. */
export function forwardSlashes(file: string): string {
  return file.replaceAll('\\', '/');
}

/**
 * The folder that a file belongs to, absolute: the nearest one above it that holds `.git`, else the working folder if the
 * file is inside it, else undefined.
 */
export function ownerOf(file: string, cwd: string): string | undefined {
  const absolute = path.resolve(cwd, file);
  return findRoot(path.dirname(absolute)) ?? (isInside(absolute, cwd) ? cwd : undefined);
}

/** How a file on disk is named in findings: relative to the folder that it belongs to (see `ownerOf`), else absolute. */
export function displayPath(file: string, cwd: string): string {
  const absolute = path.resolve(cwd, file);
  const root = ownerOf(file, cwd);
  const shown = root === undefined ? absolute : path.relative(root, absolute);
  // Only where it separates folders: elsewhere a backslash is a character like any other.
  return shown.split(path.sep).join('/');
}

function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
