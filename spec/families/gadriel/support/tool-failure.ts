import assert from 'node:assert/strict';
import { isToolFailed } from '../../../../lib/families/gadriel/domain/tool-failed.ts';

/** Asserts that `step` throws a ToolFailed with this reason, and nothing else. */
export function assertToolFailed(step: () => unknown, reason: string | RegExp): void {
  let thrown: unknown;
  try {
    step();
  } catch (error) {
    thrown = error;
  }
  assert.ok(isToolFailed(thrown), `expected a ToolFailed, got ${String(thrown)}`);
  if (typeof reason === 'string') assert.equal(thrown.message, reason);
  else assert.match(thrown.message, reason);
}
