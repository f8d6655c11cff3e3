import { open } from 'node:fs/promises';
import path from 'node:path';
import { isObject } from '../records/is-object.ts';
import { fromOcsf } from '../records/ocsf.ts';
import { isToolFailed, ToolFailed } from '../tool-failed.ts';

const maxBaselineBytes = 384 * 1024 * 1024;

/**
 * The fingerprints of an earlier scan: of a findings.json, or of what `code scan --json` has printed. Throws ToolFailed where
 * the file is neither.
 */
export async function readBaseline(file: string): Promise<ReadonlySet<string>> {
  const name = path.basename(file);
  let value: unknown;
  try {
    value = JSON.parse(await readText(file));
  } catch (error) {
    if (isToolFailed(error)) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    const reason = code === undefined ? 'it is not JSON' : code === 'ENOENT' ? 'it does not exist' : code;
    throw new ToolFailed(`the baseline ${name} can not be read: ${reason}`, { cause: error });
  }
  const elements = isObject(value) ? value['findings'] : value;
  if (!Array.isArray(elements)) throw new ToolFailed(`the baseline ${name} holds no findings: give an earlier findings.json or the output of code scan --json`);
  return new Set(elements.map((element: unknown, index) => {
    const given = isObject(element) ? element['fingerprint'] : undefined;
    return typeof given === 'string' ? given : fromOcsf(element, index).fingerprint;
  }));
}

async function readText(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    if (size > maxBaselineBytes) throw new ToolFailed(`the baseline ${path.basename(file)} is larger than ${maxBaselineBytes / 1024 / 1024} MiB`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
