import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isToolFailed, ToolFailed } from '../../../lib/families/gadriel/domain/tool-failed.ts';
import { InvalidParams } from '../../../lib/domain/invalid-params.ts';
import { outcomeOf } from '../../../lib/families/gadriel/outcome.ts';
import { gadrielTools } from '../../../lib/families/gadriel/tools.ts';
import { isRpcError } from '../../../lib/jsonrpc/errors.ts';
import { isRefusal } from '../../../lib/mcp/refusal.ts';
import type { FamilyContext, Tool } from '../../../lib/mcp/family.types.ts';

const notCalled = (): Promise<never> => Promise.reject(new Error('not called'));
const [tool] = gadrielTools({ context: { cwd: '/' } as FamilyContext, loadScans: notCalled, loadRescans: notCalled, loadSessions: notCalled }) as [Tool];

describe('ToolFailed', () => {
  it('is known by its brand, also from another copy of the module', () => {
    assert.ok(isToolFailed(new ToolFailed('no')));
    assert.ok(isToolFailed({ [Symbol.for('toolwire.gadriel.ToolFailed')]: true, message: 'no' }));
    for (const other of [new Error('no'), undefined, null, 'no', {}, { [Symbol.for('toolwire.gadriel.ToolFailed')]: 1 }]) assert.equal(isToolFailed(other), false);
  });

  it('has its name, and keeps its cause', () => {
    const cause = new Error('inner');
    const failed = new ToolFailed('no', { cause });
    assert.deepEqual([failed.name, failed.message, failed.cause], ['ToolFailed', 'no', cause]);
    assert.ok(failed instanceof Error);
  });
});

describe('outcomeOf', () => {
  it('shows ToolFailed as a refusal that names tool and reason', () => {
    const refusal = outcomeOf(new ToolFailed('no'), { tool });
    assert.deepEqual(isRefusal(refusal) && [refusal.message, refusal.reason, refusal.data], ['ToolFailed: no', 'no', { error: 'ToolFailed', tool: 'validate_buffer', reason: 'no' }]);
  });

  it('shows InvalidParams as a protocol error with its own words', () => {
    const error = outcomeOf(new InvalidParams('session expired or unknown: x'), { tool });
    assert.deepEqual(isRpcError(error) && [error.code, error.message], [-32602, 'session expired or unknown: x']);
  });

  it('leaves everything else to the server', () => {
    for (const other of [new Error('no'), undefined, 'no']) assert.equal(outcomeOf(other, { tool }), undefined);
  });
});
