import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

/** A relay in a process of its own. */
export type RelayProcess = {
  readonly origin: string;
  readonly pid: number;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  /** All that it wrote to stderr by now. */
  logged(): string;
  kill(): void;
  /** Interrupts it, and answers its exit code. */
  stop(): Promise<number | null>;
};

const launch = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'support', 'launch.js');

/** Runs `gage relay serve`, over a folder when one is given, and waits for the line with its origin; `within` is a command that runs the one behind it. */
export async function runRelayProcess(
  folder: string | undefined, words: readonly string[], env: Readonly<Record<string, string>> = {}, within: readonly string[] = [],
): Promise<RelayProcess> {
  const place = folder === undefined ? [] : ['--dir', folder];
  const [program = '', ...rest] = [...within, process.execPath, launch, 'gage', 'relay', 'serve', ...place, ...words];
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  after(() => child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stderr.on('data', (part) => void (stderr += String(part)));
  const line = await new Promise<string>((resolve) => {
    child.stdout.on('data', (part) => {
      stdout += String(part);
      if (stdout.includes('\n')) resolve(stdout);
    });
    child.on('close', () => resolve(''));
  });
  assert.match(line, /^\{"origin":"[^"]+"\}\n$/, stderr);
  const { origin } = JSON.parse(line) as { origin: string };
  return {
    origin,
    pid: child.pid ?? 0,
    ended,
    logged: () => stderr,
    kill: () => void child.kill('SIGKILL'),
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}
