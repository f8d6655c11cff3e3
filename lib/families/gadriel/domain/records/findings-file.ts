import path from 'node:path';
import type { Finding } from '../finding.types.ts';
import { ToolFailed } from '../tool-failed.ts';
import { isObject } from './is-object.ts';
import { comparePlace } from './lookup.ts';
import { fromOcsf, toOcsf } from './ocsf.ts';
import { findingsName } from './ocsf-fields.ts';
import { decodeRecord, readRecord, replaceRecord, withRecordLock } from './record-files.ts';

/** V8 makes no string of more than 512 MiB; half a million findings take this much. */
const maxFindingsBytes = 384 * 1024 * 1024;

/** Absolute path of the file of findings of a repository. */
export const findingsPath = (root: string): string => path.join(root, '.security', 'findings.json');

/**
 * The findings of the last scan, in the order of the file: a JSON array of OCSF events, or an object with them as `findings`.
 * Throws ToolFailed where there is no such file, or where it is broken, with the index of the element and the key.
 */
export async function readFindings(root: string): Promise<readonly Finding[]> {
  const findings = await findFindings(root);
  if (findings === undefined) throw new ToolFailed(`there is no ${findingsName}: run gadriel code scan first`);
  return findings;
}

/** As `readFindings`, but undefined where there is no such file. */
export async function findFindings(root: string): Promise<readonly Finding[] | undefined> {
  const bytes = await readRecord(root, findingsName, maxFindingsBytes);
  return bytes && elementsOf(decodeRecord(bytes, findingsName)).map(fromOcsf);
}

function elementsOf(text: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
    throw new ToolFailed(`${findingsName} is not valid OCSF: it is not JSON`);
  }
  const elements = isObject(value) ? value['findings'] : value;
  if (!Array.isArray(elements)) throw new ToolFailed(`${findingsName} is not valid OCSF: it must be an array, or an object with an array findings`);
  return elements;
}

/**
 * Replaces the findings of a repository, as OCSF events with `now` (milliseconds) as their time; the same input gives the same
 * bytes. Atomic, under the lock of the file. Throws ToolFailed where it can't be written; then the old file is still there.
 */
export async function writeFindings(root: string, findings: readonly Finding[], now: number): Promise<void> {
  const bytes = encodeFindings(findings, now);
  await withRecordLock(root, findingsName, () => replaceRecord(root, findingsName, bytes));
}

/**
 * Changes the findings of a repository under one hold of the lock, so that two scans of parts lose nothing of each other.
 * `change` gets what is there, undefined where there is no file, and returns what replaces it.
 */
export async function updateFindings(
  root: string, now: number, change: (before: readonly Finding[] | undefined) => readonly Finding[],
): Promise<void> {
  await withRecordLock(root, findingsName, async () => {
    const before = await findFindings(root);
    await replaceRecord(root, findingsName, encodeFindings(change(before), now));
  });
}

/** One element a line: readable, and a change shows as a line in a diff. */
function encodeFindings(findings: readonly Finding[], now: number): string {
  const lines = [...findings].sort(comparePlace).map((finding) => JSON.stringify(toOcsf(finding, now)));
  return lines.length === 0 ? '[]\n' : `[\n${lines.join(',\n')}\n]\n`;
}
