import { realpathSync } from 'node:fs';
import path from 'node:path';
import { isInside } from '../../../../files/inside.ts';
import { capFindings } from '../answer-cap.ts';
import type { Finding } from '../finding.types.ts';
import { forwardSlashes } from '../source-path.ts';
import { ToolFailed } from '../tool-failed.ts';
import { readFindings } from './findings-file.ts';
import { judge } from './judge.ts';
import { findingsName } from './ocsf-fields.ts';

/** No system has a longer one. */
const maxPathLength = 4_096;

/** The answer of findings_for_path. `count` counts all findings of the path, also the `truncated` ones. */
export type PathReport = { readonly findings: readonly Finding[]; readonly count: number; readonly truncated?: number; readonly source: string };

/**
 * The findings of the last scan in a file, or in a folder and below it, with what was waived or learned since; `given` is relative to the root or absolute inside it.
 * Throws ToolFailed where there is no readable file of findings, or for a path outside the root.
 */
export async function findingsForPath(given: string, root: string, surroundings: Parameters<typeof judge>[2]): Promise<PathReport> {
  const names = namesOf(given, root);
  const all = await readFindings(root);
  const there = all.filter(({ file }) => names.some((name) => name === '' || file === name || file.startsWith(`${name}/`)));
  const findings = await judge(root, there, surroundings);
  return { ...capFindings(findings), count: findings.length, source: findingsName };
}

/** What the path may be called in findings: as it was written, and as links lead. */
function namesOf(given: string, root: string): readonly string[] {
  if (given.length > maxPathLength) throw new ToolFailed('the path is too long');
  if (given.includes('\0')) throw new ToolFailed('the path holds a NUL character');
  const spellings = [given, forwardSlashes(given)].map((one) => path.resolve(root, one));
  const names = [...spellings, ...spellings.map(realPathOf)].map((absolute) => nameIn(root, absolute)).filter((name) => name !== undefined);
  if (names.length === 0) throw new ToolFailed('the path is outside the repository: give one relative to its root, or absolute inside it');
  return [...new Set(names)];
}

function nameIn(root: string, absolute: string): string | undefined {
  return isInside(root, absolute) ? path.relative(root, absolute).split(path.sep).join('/') : undefined;
}

/** With links followed as far as the path exists: a file that was deleted may still have findings. */
function realPathOf(absolute: string): string {
  try {
    return realpathSync(absolute);
  } catch {
    const folder = path.dirname(absolute);
    return folder === absolute ? absolute : path.join(realPathOf(folder), path.basename(absolute));
  }
}
