import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { finishFindings, sastFinding, secretFinding, type Draft } from '../../../lib/families/gadriel/domain/make-finding.ts';
import { ruleById } from '../../../lib/families/gadriel/domain/rules/index.ts';
import { scanSecrets } from '../../../lib/secrets/scan.ts';
import { parsePython } from '../../../lib/syntax/python.ts';
import { makeRaw } from './support/finding.ts';
import { githubToken } from './support/sample-secrets.ts';

const module = parsePython('a = 1\n  eval(\n x)\n');
const evalAt = module.text.indexOf('eval');
const raw = makeRaw({ ruleId: 'CODE-W1-L3-002', start: evalAt, end: module.text.indexOf(')') + 1 });

describe('sastFinding', () => {
  it('takes from the rule what the report leaves open', () => {
    const rule = ruleById('CODE-W1-L3-002');
    assert.ok(rule);
    const { title, severity, confidence, cwe, remediation, owasp } = rule;
    const draft = sastFinding(raw, module);
    assert.deepEqual(draft, {
      ruleId: rule.id, title, message: rule.message, severity, confidence, cwe, line: 2, column: 3, endLine: 3, endColumn: 4, remediation,
      scanType: 'sast', owasp, tags: [...rule.tags], trace: [],
    });
  });

  it('lets the report outrank the rule', () => {
    const draft = sastFinding({ ...raw, message: 'm', severity: 'low', confidence: 'low', cwe: 'CWE-78', tags: ['t'], trace: [{ offset: 0, line: 1, note: 'n' }] }, module);
    const { message, severity, confidence, cwe, tags, trace } = draft;
    assert.deepEqual({ message, severity, confidence, cwe, trace }, { message: 'm', severity: 'low', confidence: 'low', cwe: 'CWE-78', trace: [{ line: 1, note: 'n' }] });
    assert.equal(tags.at(-1), 't');
  });

  it('makes what it quotes of the code harmless and short', () => {
    const hostile = `\u001b[31m\u202e\ud800${'x'.repeat(1_000)}`;
    const draft = sastFinding({ ...raw, message: hostile, trace: [{ offset: 0, line: 1, note: hostile }] }, module);
    for (const text of [draft.message, draft.trace[0]?.note ?? '']) {
      assert.ok(text.startsWith('\\x1b[31m\\u{202e}\\u{d800}xxx'), text);
      assert.ok(text.length <= 200 && text.endsWith('…'));
    }
  });

  it('has no draft for a rule that does not exist', () => {
    assert.throws(() => sastFinding({ ...raw, ruleId: 'CODE-W1-L3-999' }, module), /no rule CODE-W1-L3-999/);
  });
});

describe('finishFindings', () => {
  const draft = (members: Partial<Draft> = {}): Draft => ({ ...sastFinding(raw, module), ...members });

  it('orders by line, rule and column, and gives id, fingerprint and score', () => {
    const drafts = [
      draft({ line: 3, column: 1 }), draft({ line: 2, column: 9 }), draft({ line: 2, column: 3, confidence: 'low' }),
      draft({ line: 2, column: 9, ruleId: 'CODE-W1-L3-001', confidence: 'medium' }),
    ];
    const findings = finishFindings(drafts, module.text, 'src/a.py', []);
    assert.deepEqual(findings.map(({ line, rule_id, column, confidence_score }) => [line, rule_id, column, confidence_score]), [
      [2, 'CODE-W1-L3-001', 9, 65], [2, 'CODE-W1-L3-002', 3, 35], [2, 'CODE-W1-L3-002', 9, 90], [3, 'CODE-W1-L3-002', 1, 90],
    ]);
    for (const { finding_id, rule_id, fingerprint, file } of findings) {
      assert.match(fingerprint, /^[0-9a-f]{64}$/);
      assert.equal(finding_id, `${rule_id}:${fingerprint.slice(0, 8)}`);
      assert.equal(file, 'src/a.py');
    }
    assert.equal(new Set(findings.map(({ fingerprint }) => fingerprint)).size, 4);
  });

  it('has nothing to do for no drafts', () => assert.deepEqual(finishFindings([], 'x', 'a.py', []), []));

  const tokenLine = (token: string): string => `eval(x); token = "${token}"\n`;

  it('hashes no secret: the line counts with the id of the detector in its place', () => {
    const hash = (token: string): (string | undefined)[] => {
      const text = tokenLine(token);
      const hits = scanSecrets(text, { path: 'a.py', language: 'python' });
      assert.equal(hits.length, 1);
      return finishFindings([draft({ line: 1 }), ...hits.map(secretFinding)], text, 'a.py', hits).map(({ fingerprint }) => fingerprint);
    };
    assert.deepEqual(hash(githubToken(1)), hash(githubToken(2)));
  });

  it('finds the right line behind a secret of several lines', () => {
    const key = (letter: string): string => `"""-----BEGIN ${'RSA PRIVATE'} KEY-----\n${`${`Mb9${letter}xZ0/q+7Lw`.repeat(5)}\n`.repeat(3)}-----END ${'RSA PRIVATE'} KEY-----"""\neval(x)\n`;
    const hashes = ['Q', 'T'].map((letter) => {
      const text = key(letter);
      const hits = scanSecrets(text, { path: 'a.py', language: 'python' });
      assert.ok(hits.length >= 1);
      return finishFindings([draft({ line: text.split('\n').indexOf('eval(x)') + 1 })], text, 'a.py', hits)[0]?.fingerprint;
    });
    assert.equal(hashes[0], finishFindings([draft({ line: 1 })], 'eval(x)\n', 'a.py', [])[0]?.fingerprint);
    assert.equal(hashes[0], hashes[1]);
  });

  it('ties one secret in many places by a tag, and leaves a lone one without', () => {
    const [twice, once] = [githubToken(1), githubToken(2)];
    const text = `a = "${twice}"\nb = "${once}"\nc = "${twice}"\n`;
    const hits = scanSecrets(text, { path: 'a.py', language: 'python' });
    const findings = finishFindings(hits.map(secretFinding), text, 'a.py', hits);
    assert.deepEqual(findings.map(({ line, tags }) => [line, tags.filter((tag) => tag.startsWith('same'))]), [[1, ['same-secret:1']], [2, []], [3, ['same-secret:1']]]);
  });
});
