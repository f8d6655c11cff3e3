import { lstat, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../../../../files/inside.ts';
import { systemReason } from '../../../../text/system-error.ts';
import { writeFileAtomic } from '../../../../store/atomic-write.ts';
import { recordsFolderName } from '../records/record-files.ts';
import { ToolFailed } from '../tool-failed.ts';

/** Kinds of files that a report is written to. */
export type ReportKind = 'sarif' | 'html';

/** Stands in every page that this program writes, near its start. */
export const htmlMark = '<meta name="generator" content="gadriel">';

/** Names that git or this program gives a meaning to: a report in their place, or below them, would be taken for settings, waivers or records. */
const reserved: readonly string[] = ['.git', recordsFolderName, '.gadriel.toml', '.gadriel-waivers.toml'];

/**
 * Writes a report. Inside the repository it makes a new file or replaces an earlier report of the same kind, never
 * anything else: no report may destroy a source file by a mistyped name. Outside it replaces what its user names.
 *
 * @throws ToolFailed where the target is refused or can not be written.
 */
export async function writeReport(file: string, text: string, { root, kind }: { readonly root: string; readonly kind: ReportKind }): Promise<void> {
  const name = path.basename(file);
  const target = await realTarget(file, name, root);
  const realRoot = await realpath(root);
  if (target !== realRoot && isInside(realRoot, target)) {
    const refused = path.relative(realRoot, target).split(path.sep).find((segment) => reserved.includes(segment.toLowerCase()));
    if (refused !== undefined) throw new ToolFailed(`${name} is not written: no report belongs into ${refused}`);
    if (!(await isReplaceable(target, kind))) {
      throw new ToolFailed(`${name} is not written: it exists inside the repository and is no earlier ${kind.toUpperCase()} report of gadriel; take another name`);
    }
  }
  try {
    await writeFileAtomic(target, text);
  } catch (error) {
    throw new ToolFailed(`${name} could not be written in ${shownFolder(path.dirname(target), root)}: ${systemReason(error, { EINVAL: 'it is a folder, a device or a pipe, no file' })}`, { cause: error });
  }
}

/** A folder as people read it: from the root where it is below, else whole. */
function shownFolder(folder: string, root: string): string {
  if (!isInside(root, folder)) return folder;
  return path.relative(root, folder) || 'the root of the repository';
}

/** Where the bytes would really go: links followed, also that of the file itself. */
async function realTarget(file: string, name: string, root: string): Promise<string> {
  if ((await lstat(file).catch(() => undefined)) !== undefined) {
    return realpath(file).catch((cause) => {
      throw new ToolFailed(`${name} could not be written: it is a link that leads nowhere`, { cause });
    });
  }
  const folder = path.dirname(file);
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined || !(await lstat(real)).isDirectory()) {
    throw new ToolFailed(`${name} could not be written: its folder ${shownFolder(folder, root)} ${real === undefined ? 'does not exist' : 'is a file'}`);
  }
  return path.join(real, name);
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
