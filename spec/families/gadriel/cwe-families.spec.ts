import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { cweFamilyOf, isKnownCwe } from '../../../lib/families/gadriel/domain/cwe-families.ts';

describe('CWE families', () => {
  it('give members of one family one name', () => {
    for (const [id, family] of [['CWE-564', 'CWE-89'], ['CWE-89', 'CWE-89'], ['CWE-78', 'CWE-77'], ['CWE-916', 'CWE-326'], ['CWE-287', 'CWE-287'], ['CWE-306', 'CWE-287']] as const) assert.equal(cweFamilyOf(id), family);
  });
  it('leave a number outside the table a family of its own', () => {
    assert.equal(cweFamilyOf('CWE-1234'), 'CWE-1234');
    assert.equal(cweFamilyOf('cwe-89'), 'cwe-89');
    assert.equal(cweFamilyOf('CWE-089'), 'CWE-089');
  });
  it('know which numbers are in the table', () => {
    assert.deepEqual(['CWE-564', 'CWE-250', 'CWE-1234', 'CWE-', 'x'].map(isKnownCwe), [true, true, false, false, false]);
  });
});
