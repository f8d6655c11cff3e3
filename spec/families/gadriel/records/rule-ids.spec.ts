import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isKnownId, knownRule, unknownRules } from '../../../../lib/families/gadriel/domain/records/known-rules.ts';
import { ruleIdSpellings } from '../../../../lib/families/gadriel/domain/records/rule-ids.ts';
import { makeFinding } from '../support/finding.ts';

describe('the id of a rule', () => {
  const cases: [id: string, spellings: string[]][] = [
    ['L3-002', ['L3-002', 'CODE-W1-L3-002', 'CODE-W2-L3-002']],
    ['config-mcp-001', ['config-mcp-001', 'CONFIG-MCP-001', 'CODE-W1-CONFIG-MCP-001', 'CODE-W2-CONFIG-MCP-001']],
    ['l3-002:0123ABCD', ['l3-002:0123ABCD', 'L3-002:0123abcd', 'CODE-W1-L3-002:0123abcd', 'CODE-W2-L3-002:0123abcd']],
    ['CODE-W1-L3-002', ['CODE-W1-L3-002']],
    ['code-w1-l3-002', ['code-w1-l3-002', 'CODE-W1-L3-002']],
  ];
  for (const [id, spellings] of cases) it(`${id} may mean ${spellings.length} ids`, () => assert.deepEqual(ruleIdSpellings(id), spellings));

  it('is known with and without its prefix, in any case, of every kind of rule', () => {
    const known = ['L3-002', 'code-w1-l3-002', 'SECRET-004', 'CONFIG-MCP-001', 'AI-690', 'L3-9999', 'CODE-W9-L3-002', ''].map(knownRule);
    assert.deepEqual(known, ['CODE-W1-L3-002', 'CODE-W1-L3-002', 'CODE-W1-SECRET-004', 'CODE-W2-CONFIG-MCP-001', 'CODE-W1-AI-690', undefined, undefined, undefined]);
  });

  it('is unknown when it is no rule, of this program or of a finding', () => {
    const findings = [makeFinding({ rule_id: 'CKV-1', finding_id: 'CKV-1:00000001' })];
    assert.deepEqual(unknownRules(['L3-002', 'CKV-1', 'ckv-1', 'CKV-1:00000001', 'L3-9999', 'nothing'], findings), ['CKV-1:00000001', 'L3-9999', 'nothing']);
    assert.deepEqual(['CKV-1', 'CKV-1:00000001', 'L3-002', 'L3-002:00000001', 'nothing'].map((id) => isKnownId(id, findings)), [true, true, true, false, false]);
  });
});
