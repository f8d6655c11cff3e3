import type { Finding } from './finding.types.ts';
import { ScanPool } from './scan-pool.ts';
import type { ScanOutcome } from './scan-request.ts';

/** How much of a file's language is looked at; null stands for Python, of which everything is. */
export type LanguageCoverage = { readonly language: string; readonly sast: boolean; readonly secrets: true } | null;

/** The answer of validate_file. `count` counts all findings, also the `truncated` ones that did not fit the answer. */
export type FileReport = {
  readonly findings: readonly Finding[];
  readonly count: number;
  readonly truncated?: number;
  readonly incomplete?: string;
  readonly tier2_request: null;
};

/** The answer of validate_buffer. */
export type BufferReport = Omit<FileReport, 'tier2_request'> & { readonly language_coverage: LanguageCoverage; readonly tier2_request: null };

/** Scans files and texts in worker threads of its own, which start at the first scan; whoever makes it closes it. */
export class Scans {
  readonly #pool = new ScanPool();

  /** Scans a file on disk; `file` is absolute or relative to `cwd`. Rejects with ToolFailed where it can not be scanned. */
  async validateFile(file: string, cwd: string, signal?: AbortSignal): Promise<FileReport> {
    const outcome = await this.#pool.run({ kind: 'file', file, cwd, profile: 'default' }, signal);
    return { ...counted(outcome), tier2_request: null };
  }

  /** Scans a text that need not be on disk; `file` is the label it would be saved under. Rejects likewise. */
  async validateBuffer(content: string, file: string, signal?: AbortSignal): Promise<BufferReport> {
    const outcome = await this.#pool.run({ kind: 'buffer', content, file, profile: 'default' }, signal);
    const { language, sast } = outcome;
    return { ...counted(outcome), language_coverage: language === 'python' ? null : { language, sast, secrets: true }, tier2_request: null };
  }

  /** Ends the workers, and with them the scans that are not over. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}

function counted({ findings, count, truncated, incomplete }: ScanOutcome): Omit<FileReport, 'tier2_request'> {
  return { findings, count, ...(truncated !== undefined && { truncated }), ...(incomplete !== undefined && { incomplete }) };
}
