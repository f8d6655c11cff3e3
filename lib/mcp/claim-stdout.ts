/** What a claim hands to its owner: the real write of stdout, and the way back. */
export type StdoutClaim = {
  /** Writes to the real stdout; `done` is called when the bytes are taken or failed. */
  write(text: string, done?: (error?: Error | null) => void): boolean;
  /** Gives stdout back when the last claim is released. */
  release(): void;
};

type Write = typeof process.stdout.write;
type Stdout = typeof process.stdout;
type Shared = { readonly original: Pick<Stdout, 'write' | 'end' | 'cork' | 'uncork'>; claims: number };

// On the process, not in the module: the bundle and the library may both be loaded, and only one may swap the function.
const key = Symbol.for('toolwire.stdout');
type Holder = { [key]?: Shared };

/**
 * Takes process.stdout over for protocol lines: console.* and process.stdout.write of everyone else go to stderr until
 * the claim is released. Claims nest.
 */
export function claimStdout(): StdoutClaim {
  const holder = process as unknown as Holder;
  const stream = process.stdout;
  const shared = (holder[key] ??= { original: pick(stream), claims: 0 });
  if (shared.claims++ === 0) {
    stream.write = ((...args: Parameters<Write>) => process.stderr.write(...args)) as Write;
    // Whoever ends stdout means his own output: what he has to say last goes the same way, and the stream stays open.
    stream.end = ((...args: unknown[]) => {
      const [text] = args;
      if (typeof text === 'string' || text instanceof Uint8Array) process.stderr.write(text);
      const done = args.find((arg) => typeof arg === 'function') as (() => void) | undefined;
      if (done !== undefined) queueMicrotask(done);
      return stream;
    }) as typeof stream.end;
    // Held back, the stream would keep the protocol too. Its destroy must stay: Node itself calls that for a pipe that broke.
    stream.cork = () => undefined;
    stream.uncork = () => undefined;
  }
  let released = false;
  return {
    write: (text, done) => shared.original.write.call(stream, text, 'utf8', done),
    release: () => {
      if (released) return;
      released = true;
      if (--shared.claims > 0) return;
      Object.assign(stream, shared.original);
      delete holder[key];
    },
  };
}

const pick = ({ write, end, cork, uncork }: Stdout): Shared['original'] => ({ write, end, cork, uncork });
