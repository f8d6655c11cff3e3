import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { Surroundings } from '../../../domain/surroundings.types.ts';
import { isToolFailed } from './tool-failed.ts';

/** What scans of single files need of a `.gadriel.toml`. */
export type OwnerConfig = {
  /** A ScanSettings as JSON. */
  readonly settings: string;
  /** Whether scans of the repository leave a path out; it is relative to the root, with forward slashes. */
  excludes(file: string): boolean;
};

/** A server may scan files of many repositories; those of the last ones are kept. */
const maxKept = 16;

/** `lenient`: where the settings or waivers are broken, the log is told so, and the built-in rules stand and nothing is waived: for a guardrail that must not be switched off so. */
export type OwnerConfigsOptions = { readonly lenient?: boolean };

/** The settings of repositories, read again when their file has changed. */
export class OwnerConfigs {
  readonly #known = new Map<string, { readonly stamp: string; readonly config: Promise<OwnerConfig | undefined> }>();
  readonly #lenient: boolean;

  constructor({ lenient = false }: OwnerConfigsOptions = {}) {
    this.#lenient = lenient;
  }

  /** Those of a root, undefined where it has none. Rejects with ToolFailed, naming the line, where they are broken. */
  async of(root: string, log: Surroundings['log']): Promise<OwnerConfig | undefined> {
    const stamp = await stampOf(path.join(root, '.gadriel.toml'));
    if (stamp === undefined) return undefined;
    const known = this.#known.get(root);
    if (known?.stamp === stamp) return known.config;
    const config = this.#lenient ? readLeniently(root, log) : readConfig(root);
    // Whoever awaits it below hears of a failure; one that nobody asks for any more must not end the process.
    config.catch(() => undefined);
    this.#known.delete(root);
    this.#known.set(root, { stamp, config });
    for (const [oldest] of this.#known) if (this.#known.size > maxKept) this.#known.delete(oldest);
    return config;
  }
}

/** Tells one state of the file from another; undefined where there is none. One look, as most repositories have none. */
async function stampOf(file: string): Promise<string | undefined> {
  try {
    const { mtimeNs, ctimeNs, size, ino } = await lstat(file, { bigint: true });
    return `${mtimeNs} ${ctimeNs} ${size} ${ino}`;
  } catch (error) {
    // What else keeps it from being seen is told by the reading.
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ? undefined : '';
  }
}

async function readLeniently(root: string, log: Surroundings['log']): Promise<OwnerConfig | undefined> {
  try {
    return await readConfig(root);
  } catch (error) {
    if (!isToolFailed(error)) throw error;
    log('warning', `${error.message}; the built-in rules are used`);
    return undefined;
  }
}

async function readConfig(root: string): Promise<OwnerConfig> {
  // Loaded here: it brings all rules along, which the thread that answers the protocol does not need otherwise.
  const { excluder, loadConfig } = await import('./repository/config.ts');
  const { exclude, scan } = await loadConfig(root);
  return { settings: JSON.stringify(scan), excludes: excluder(exclude) };
}
