import type { Finding } from './finding.types.ts';
import { OwnerConfigs, type OwnerConfig, type OwnerConfigsOptions } from './owner-config.ts';
import { ScanPool } from './scan-pool.ts';
import type { ScanOutcome } from './scan-request.ts';
import { displayPath, forwardSlashes, ownerOf } from './source-path.ts';
import type { Surroundings } from '../../../domain/surroundings.types.ts';

/** How much of a file's language is looked at; null stands for Python, of which everything is. */
export type LanguageCoverage = { readonly language: string; readonly sast: boolean; readonly secrets: true } | null;

/**
 * The answer of validate_file. `count` counts all findings, also the `truncated` ones that did not fit the answer, but not
 * those that are `waived`: of these only the number is told.
 */
export type FileReport = {
  readonly findings: readonly Finding[];
  readonly count: number;
  readonly waived?: number;
  readonly truncated?: number;
  readonly incomplete?: string;
  readonly tier2_request: null;
};

/** The answer of validate_buffer. */
export type BufferReport = Omit<FileReport, 'tier2_request'> & { readonly language_coverage: LanguageCoverage; readonly tier2_request: null };

/** What a scan of one file needs: the working folder, and what its waivers and priors are read with. */
export type ScanSurroundings = Pick<Surroundings, 'env' | 'cwd' | 'now' | 'log'>;

/**
 * Scans files and texts by the rules and the `.gadriel.toml` of the repository that they belong to, in worker threads of
 * its own, which start at the first scan; whoever makes it closes it. What that file excludes is scanned all the same: it
 * was asked for by name.
 */
export class Scans {
  readonly #pool = new ScanPool();
  readonly #configs: OwnerConfigs;
  readonly #options: OwnerConfigsOptions;

  constructor(options: OwnerConfigsOptions = {}) {
    this.#configs = new OwnerConfigs(options);
    this.#options = options;
  }

  /** Scans a file on disk; `file` is absolute or relative to the working folder. Rejects with ToolFailed where it can not be scanned. */
  async validateFile(file: string, surroundings: ScanSurroundings, signal?: AbortSignal): Promise<FileReport> {
    const { cwd } = surroundings;
    const root = ownerOf(file, cwd);
    const outcome = await this.#pool.run({ kind: 'file', file, cwd, profile: 'default', ...(await this.#settings(root, surroundings)) }, signal);
    return { ...(await judged(outcome, root, surroundings, this.#options)), tier2_request: null };
  }

  /** Whether scans of the repository leave a file out by its `.gadriel.toml`. Rejects likewise where that is broken. */
  async isExcluded(file: string, surroundings: ScanSurroundings): Promise<boolean> {
    const { cwd } = surroundings;
    const config = await this.#config(ownerOf(file, cwd), surroundings);
    return config?.excludes(displayPath(file, cwd)) === true;
  }

  /** Scans a text that need not be on disk; `file` is the label it would be saved under. Rejects likewise. */
  async validateBuffer(content: string, file: string, surroundings: ScanSurroundings, signal?: AbortSignal): Promise<BufferReport> {
    const label = forwardSlashes(file);
    const root = ownerOf(label, surroundings.cwd);
    // Ids and waivers are of the path from the root, as they are for the saved file; the label is echoed as it came.
    const name = root === undefined ? label : displayPath(label, surroundings.cwd);
    const outcome = await this.#pool.run({ kind: 'buffer', content, file: name, profile: 'default', ...(await this.#settings(root, surroundings)) }, signal);
    const report = await judged(outcome, root, surroundings, this.#options);
    const findings = name === label ? report.findings : report.findings.map((finding) => ({ ...finding, file: label }));
    const { language, sast } = outcome;
    return { ...report, findings, language_coverage: language === 'python' ? null : { language, sast, secrets: true }, tier2_request: null };
  }

  /** Rejects with ToolFailed where the settings of the working folder's repository are broken: for whoever scans what may fail file by file. */
  async checkSettings(surroundings: ScanSurroundings): Promise<void> {
    await this.#config(ownerOf('.gadriel.toml', surroundings.cwd), surroundings);
  }

  /** Ends the workers, and with them the scans that are not over. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  async #config(root: string | undefined, { log }: ScanSurroundings): Promise<OwnerConfig | undefined> {
    return root === undefined ? undefined : this.#configs.of(root, log);
  }

  async #settings(root: string | undefined, surroundings: ScanSurroundings): Promise<{ readonly settings?: string }> {
    const config = await this.#config(root, surroundings);
    return config === undefined ? {} : { settings: config.settings };
  }
}

/** What the waivers and priors of the repository make of an outcome; a clean one needs none. */
async function judged(
  outcome: ScanOutcome, root: string | undefined, surroundings: ScanSurroundings, options: OwnerConfigsOptions,
): Promise<Omit<FileReport, 'tier2_request'>> {
  const { count, truncated, incomplete } = outcome;
  let { findings } = outcome;
  if (root !== undefined && count > 0) {
    const { judge } = await import('./records/judge.ts');
    findings = (await judge(root, findings, surroundings, options)).filter((finding) => !finding.waived);
  }
  const waived = outcome.findings.length - findings.length;
  return {
    findings,
    count: count - waived,
    ...(waived > 0 && { waived }),
    ...(truncated !== undefined && { truncated }),
    ...(incomplete !== undefined && { incomplete }),
  };
}
