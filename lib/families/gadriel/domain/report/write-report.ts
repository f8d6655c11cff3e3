import { lstat, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../../../../store/atomic-write.ts';
import { ToolFailed } from '../tool-failed.ts';

/** Kinds of files that a report is written to. */
export type ReportKind = 'sarif' | 'html';

/** Stands in every page that this program writes, near its start. */
export const htmlMark = '<meta name="generator" content="gadriel">';

/**
 * Writes a report. Inside the repository it makes a new file or replaces an earlier report of the same kind, never
 * anything else: no report may destroy a source file by a mistyped name. Outside it replaces what its user names.
 *
 * @throws ToolFailed where the target is refused or can not be written.
 */
export async function writeReport(file: string, text: string, { root, kind }: { readonly root: string; readonly kind: ReportKind }): Promise<void> {
  const name = path.basename(file);
  const target = await realTarget(file, name);
  const inside = path.relative(await realpath(root), target);
  const isInside = inside !== '' && inside !== '..' && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside);
  if (isInside) {
    if (inside.split(path.sep).some((name) => name.toLowerCase() === '.git')) throw new ToolFailed(`${name} is not written: no report belongs into .git`);
    if (!(await isReplaceable(target, kind))) {
      throw new ToolFailed(`${name} is not written: it exists inside the repository and is no earlier ${kind.toUpperCase()} report of gadriel; take another name`);
    }
  }
  try {
    await writeFileAtomic(target, text);
  } catch (error) {
    throw new ToolFailed(`${name} could not be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`, { cause: error });
  }
}

/** Where the bytes would really go: links followed, also that of the file itself. */
async function realTarget(file: string, name: string): Promise<string> {
  try {
    const stats = await lstat(file).catch(() => undefined);
    if (stats !== undefined) return await realpath(file);
    return path.join(await realpath(path.dirname(file)), name);
  } catch (error) {
    throw new ToolFailed(`${name} could not be written: its folder does not exist`, { cause: error });
  }
}

async function isReplaceable(target: string, kind: ReportKind): Promise<boolean> {
  let text: string;
  try {
    if (!(await lstat(target)).isFile()) return false;
    text = await readFile(target, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
  if (kind === 'html') return text.slice(0, 2_000).includes(htmlMark);
  try {
    return (JSON.parse(text) as { runs: [{ tool: { driver: { name: unknown } } }] }).runs[0].tool.driver.name === 'gadriel';
  } catch {
    return false;
  }
}
