import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { appendAudit, auditLogPath, type AuditEvent } from '../../../../lib/families/gadriel/domain/records/audit-log.ts';
import { readJsonLines } from '../../../../lib/store/jsonl.ts';
import { githubToken } from '../support/sample-secrets.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { assertFails } from './records-kit.ts';

const posix = process.platform !== 'win32';
const ts = '2026-06-01T12:00:00.000Z';

describe('the audit log', () => {
  const temp = tempFolder();
  const lines = (root: string): any[] => readFileSync(auditLogPath(root), 'utf8').trim().split('\n').map((line) => JSON.parse(line));

  it('gets one line an event, with the members that always are and those that apply', async () => {
    const root = temp.folder('plain');
    const event: AuditEvent = { notes: 'why', line: 3, path: 'a.py', rule_id: 'R', finding_id: 'R:0', agent_runner: 'rules', event: 'fix_proposed', ts, before_hash: 'ab', cost_usd: 0.25 };
    await appendAudit(root, [event, { ts, event: 'campaign_started', campaign_id: 'campaign-1', prior: { alpha: 1, beta: 2 } }]);
    await appendAudit(root, [{ ts, event: 'campaign_complete', after_hash: 'cd' }]);
    assert.equal(auditLogPath(root), path.join(root, '.security', 'audit-log.jsonl'));
    assert.deepEqual(lines(root), [
      { ts, event: 'fix_proposed', finding_id: 'R:0', rule_id: 'R', path: 'a.py', line: 3, agent_runner: 'rules', notes: 'why', before_hash: 'ab', cost_usd: 0.25 },
      { ts, event: 'campaign_started', finding_id: null, rule_id: null, path: null, line: null, agent_runner: null, notes: null, campaign_id: 'campaign-1', prior: { alpha: 1, beta: 2 } },
      { ts, event: 'campaign_complete', finding_id: null, rule_id: null, path: null, line: null, agent_runner: null, notes: null, after_hash: 'cd' },
    ]);
    assert.deepEqual(Object.keys(lines(root)[0]).slice(0, 8), ['ts', 'event', 'finding_id', 'rule_id', 'path', 'line', 'agent_runner', 'notes']);
  });

  it('is not made for no events', async () => {
    await appendAudit(temp.folder('none'), []);
    assert.ok(!existsSync(temp.at('none/.security')));
  });

  it('keeps events whole behind a torn line', async () => {
    const root = temp.at('torn');
    temp.write('torn/.security/audit-log.jsonl', '{"ts":"old"}\n{"ts":"torn, eve');
    await appendAudit(root, [{ ts, event: 'surfaced' }]);
    const reader = readJsonLines(auditLogPath(root));
    const seen: unknown[] = [];
    for await (const { value } of reader) seen.push((value as { ts: string }).ts);
    assert.deepEqual([seen, reader.skipped.count], [['old', ts], 1]);
  });

  it('takes events of many callers at once, each on a line of its own', async () => {
    const root = temp.folder('many');
    await Promise.all(Array.from({ length: 30 }, (_, line) => appendAudit(root, [{ ts, event: 'surfaced', line }, { ts, event: 'confirmed_real', line }])));
    assert.deepEqual(lines(root).map(({ line }) => line).sort((a, b) => a - b), Array.from({ length: 60 }, (_, index) => index >> 1));
  });

  it('keeps secrets out of notes', async () => {
    const root = temp.folder('secret');
    await appendAudit(root, [{ ts, event: 'surfaced', notes: `revoked ${githubToken(5)} today` }]);
    assert.equal(lines(root)[0].notes, 'revoked *** today');
  });

  it('has all events of a call or none when the disk is full', { skip: !posix }, async () => {
    const root = temp.folder('full');
    await appendAudit(root, [{ ts, event: 'surfaced' }]);
    const before = readFileSync(auditLogPath(root), 'utf8');
    const module = new URL('../../../../lib/families/gadriel/domain/records/audit-log.js', import.meta.url).href;
    const program = `import { appendAudit } from '${module}';
      const event = { ts: '', event: 'surfaced', notes: 'not so '.repeat(100) };
      await appendAudit(${JSON.stringify(root)}, Array.from({ length: 500 }, () => event)).catch((error) => console.log(error.name, error.message));`;
    const { stdout, stderr } = spawnSync('sh', ['-c', 'trap "" XFSZ; ulimit -f 64; exec "$0" --input-type=module -e "$1"', process.execPath, program], {
      encoding: 'utf8', env: { ...process.env, NODE_V8_COVERAGE: '' },
    });
    assert.equal(`${stdout}${stderr}`, 'ToolFailed .security/audit-log.jsonl can not be written: the limit for the size of files is reached\n');
    assert.equal(readFileSync(auditLogPath(root), 'utf8'), before);
  });

  it('is never written through a link', { skip: !posix }, async () => {
    const source = temp.write('victim.py', 'x = 1\n');
    symlinkSync(source, path.join(temp.folder('linked/.security'), 'audit-log.jsonl'));
    await assertFails(appendAudit(temp.at('linked'), [{ ts, event: 'surfaced' }]), '.security/audit-log.jsonl is a symbolic link: it is neither read nor written through');
    assert.equal(readFileSync(source, 'utf8'), 'x = 1\n');
  });
});
