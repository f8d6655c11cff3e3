import type { StdoutClaim } from '../mcp/claim-stdout.ts';

/** What a command says on stdout: through the claim, so that nobody else's text gets between, and nothing of it lost unnoticed. */
export class Output {
  readonly #claim: StdoutClaim;
  #wrote = false;
  #failure: Error | undefined;
  readonly #failing = new AbortController();

  constructor(claim: StdoutClaim) {
    this.#claim = claim;
    // Each write tells its own error; without a listener the stream's would end the process before the command is done.
    process.stdout.on('error', () => undefined);
    // Whoever closed stderr does not want to hear: the exit code says it too.
    process.stderr.on('error', () => undefined);
  }

  /** Aborted when a text could not be written. */
  get failed(): AbortSignal {
    return this.#failing.signal;
  }

  /** Writes a text. A failure does not stop the command, whose exit code still has to be found: `flushed` tells it. */
  write(text: string): void {
    this.#wrote = true;
    this.#claim.write(text, (error) => this.#note(error));
  }

  /** Resolves when stdout has taken all of it or failed: with the first error of a text of this command, if there was one. */
  async flushed(): Promise<Error | undefined> {
    // Writes keep their order, so this one's end is behind that of all others.
    await new Promise<void>((resolve) => this.#claim.write('', () => resolve()));
    return this.#wrote ? this.#failure : undefined;
  }

  #note(error: Error | null | undefined): void {
    if (!error) return;
    this.#failure ??= error;
    this.#failing.abort();
  }
}
