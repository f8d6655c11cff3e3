import { safeText } from '../../../../text/safe-text.ts';
import { InvalidParams } from '../../../../domain/invalid-params.ts';
import type { ScannedFiles } from './fuse.ts';

/** How long a model may think about a scan. */
export const sessionSeconds = 120;
/** More than so many scans at once are nobody's; the oldest goes first. */
const maxSessions = 64;

/** Numbers go on over all servers of a process: an id never means two scans. */
let opened = 0;

/**
 * Scans whose findings wait for a model's. Each session can be taken once, within 120 seconds, by whoever knows its id;
 * nothing of it is on disk.
 */
export class Sessions {
  readonly #open = new Map<string, { readonly scanned: ScannedFiles; readonly until: number }>();

  /** Keeps a scan and returns the id of its session. `now` in milliseconds. */
  open(scanned: ScannedFiles, now: number): string {
    this.#sweep(now);
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size >= maxSessions) this.#open.delete(oldest);
    const id = `tier2-session-${++opened}`;
    this.#open.set(id, { scanned, until: now + sessionSeconds * 1_000 });
    return id;
  }

  /** Ends a session and returns its scan; throws InvalidParams where it is unknown, over or was taken before. */
  take(id: string, now: number): ScannedFiles {
    this.#sweep(now);
    const session = this.#open.get(id);
    if (session === undefined) throw new InvalidParams(`session expired or unknown: ${safeText(id, 100)}`);
    this.#open.delete(id);
    return session.scanned;
  }

  #sweep(now: number): void {
    for (const [id, { until }] of this.#open) if (now >= until) this.#open.delete(id);
  }
}
