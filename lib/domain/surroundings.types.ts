/** What the domain gets from outside, so that specs can inject clock, randomness and environment. */
export type Surroundings = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the working folder. */
  readonly cwd: string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** `size` random bytes. */
  random(size: number): Uint8Array;
  /** Writes one log line; `data` is appended as JSON. Never given a secret. */
  log(level: 'debug' | 'info' | 'warning' | 'error', message: string, data?: unknown): void;
};
