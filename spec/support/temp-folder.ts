import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

/** A folder of files for the specs of one `describe`; it is removed after them. */
export type TempFolder = {
  readonly root: string;
  /** Absolute path of a name in the folder; nothing is made. */
  at(name: string): string;
  /** Writes a file, its folders too, and returns its absolute path. */
  write(name: string, content: string | Uint8Array): string;
  folder(name: string): string;
};

/** Makes a folder of its own in the system's temporary one; call it inside a `describe`. */
export function tempFolder(): TempFolder {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolwire-spec-')));
  after(() => rmSync(root, { recursive: true, force: true }));
  const at = (name: string): string => path.join(root, name);
  const folder = (name: string): string => {
    mkdirSync(at(name), { recursive: true });
    return at(name);
  };
  return {
    root,
    at,
    folder,
    write: (name, content) => {
      folder(path.dirname(name));
      writeFileSync(at(name), content);
      return at(name);
    },
  };
}
