import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { isToolFailed } from '../../../../lib/families/gadriel/domain/tool-failed.ts';
import type { Surroundings } from '../../../../lib/domain/surroundings.types.ts';

/** The clock of these specs. */
export const noon = Date.UTC(2026, 5, 1, 12);

/** Asserts that a step rejects with a ToolFailed of this reason, and with nothing else. */
export async function assertFails(step: Promise<unknown>, reason: string | RegExp): Promise<void> {
  const thrown = await step.then(() => undefined, (error: unknown) => error);
  assert.ok(isToolFailed(thrown), `expected a ToolFailed, got ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
  if (typeof reason === 'string') assert.equal(thrown.message, reason);
  else assert.match(thrown.message, reason);
}

/** Surroundings with a still clock, whose log is kept. */
export function surroundings(members: Partial<Surroundings> = {}): Surroundings & { readonly logged: string[] } {
  const logged: string[] = [];
  return { env: {}, cwd: process.cwd(), now: () => noon, random: (size) => new Uint8Array(size), log: (level, message) => logged.push(`${level}: ${message}`), logged, ...members };
}

/** Makes a git repository of a folder. */
export function gitInit(folder: string): void {
  assert.equal(spawnSync('git', ['init', '-q'], { cwd: folder }).status, 0);
}

/** File modes bind nobody in a process of root. */
export const modesBind = process.platform !== 'win32' && process.getuid?.() !== 0;
