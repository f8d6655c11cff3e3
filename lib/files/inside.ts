import path from 'node:path';

/** Whether a path is a folder itself or in it, by segments; both absolute, normal and real. */
export function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}
