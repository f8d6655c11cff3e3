import { Buffer } from 'node:buffer';
import { exitCodeOfSignal } from '../terminal/exit-codes.ts';
import type { CliContext } from '../mcp/family.types.ts';
import type { StdoutClaim } from '../mcp/claim-stdout.ts';

/**
 * The process as a command sees it. Text goes to the real stdout through the claim, so that a plugin's console.log
 * stays out of it. The first SIGINT or SIGTERM fires `signal`, a second one ends the process.
 */
export function processTerminal(claim: StdoutClaim): CliContext {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (ending.signal.aborted) process.exit(exitCodeOfSignal(name));
      process.exitCode = exitCodeOfSignal(name);
      ending.abort();
    });
  }
  // `toolwire tools | head -1`: nobody reads any more, so there is nothing left to do.
  process.stdout.on('error', () => process.exit());
  return {
    env: process.env,
    cwd: process.cwd(),
    now: Date.now,
    random: (size) => crypto.getRandomValues(new Uint8Array(size)),
    stdin: { isTTY: process.stdin.isTTY === true, read: readStdin },
    stdout: { isTTY: process.stdout.isTTY === true, columns: process.stdout.columns, write: (text) => void claim.write(text) },
    stderr: { isTTY: process.stderr.isTTY === true, columns: process.stderr.columns, write: (text) => void process.stderr.write(text) },
    signal: ending.signal,
  };
}

async function readStdin(limit = Infinity): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).byteLength;
    if (size > limit) break;
  }
  return new Uint8Array(Buffer.concat(chunks));
}
