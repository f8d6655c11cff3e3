import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { auditLogPath } from '../../../../lib/families/gadriel/domain/records/audit-log.ts';
import { dismissFalsePositive } from '../../../../lib/families/gadriel/domain/records/dismiss.ts';
import { readFindings, writeFindings } from '../../../../lib/families/gadriel/domain/records/findings-file.ts';
import { openPriors } from '../../../../lib/families/gadriel/domain/records/priors.ts';
import { parseWaivers } from '../../../../lib/families/gadriel/domain/records/waiver-file.ts';
import { readJsonLines } from '../../../../lib/store/jsonl.ts';
import { makeFinding } from '../support/finding.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { noon, surroundings } from './records-kit.ts';

const script = fileURLToPath(import.meta.resolve('./dismissal-worker.js'));
const hand = '# by hand\r\n[[waiver]]\r\nrule_id = "OLD"';

describe('a dismissal that is killed', () => {
  const temp = tempFolder();
  const env = { GADRIEL_HOME: temp.at('home') };
  const findings = Array.from({ length: 200 }, (_, index) => makeFinding({ rule_id: 'R', finding_id: `R:${String(index).padStart(8, '0')}`, line: index + 1 }));

  async function repository(name: string): Promise<string> {
    const root = temp.folder(name);
    temp.write(`${name}/.gadriel-waivers.toml`, hand);
    await writeFindings(root, findings, noon);
    return root;
  }

  /** Runs the worker, which dies at the given step, and returns the signal that ended it. */
  async function run(root: string, from: number, dieAt: number): Promise<string | null> {
    const child = spawn(process.execPath, [script, root, String(from), String(dieAt)], { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    assert.ok(signal === 'SIGKILL' || code === 0, `code ${code}`);
    return signal;
  }

  /** All files load, what was written by hand is there, and no dismissal of before is lost. */
  async function check(root: string, done: number): Promise<number> {
    const text = readFileSync(`${root}/.gadriel-waivers.toml`, 'utf8');
    assert.ok(text.startsWith(hand));
    const lines = parseWaivers(text).slice(1).map(({ line }) => line);
    assert.deepEqual(lines, Array.from({ length: lines.length }, (_, index) => index + 1));
    assert.ok(lines.length >= done, `${lines.length} waivers of ${done}`);
    assert.equal((await readFindings(root)).length, findings.length);
    const heard = surroundings();
    openPriors(root, env, heard.log);
    assert.deepEqual(heard.logged, []);
    return lines.length;
  }

  it('at any of its writes leaves files that load, and the next one goes through', { skip: !existsSync('/proc/self/stat') }, async () => {
    const root = await repository('steps');
    let died = 0;
    let waivers = 0;
    for (let step = 1; (await run(root, waivers, step)) === 'SIGKILL'; step++) {
      died++;
      waivers = await check(root, waivers);
    }
    assert.ok(died >= 12, `it died ${died} times`);
    const next = findings[150]!;
    await dismissFalsePositive({ root, finding_id: next.finding_id, reason: 'x', by: 'cli' }, surroundings({ env }));
    assert.equal(parseWaivers(readFileSync(`${root}/.gadriel-waivers.toml`, 'utf8')).at(-1)?.line, next.line);
    // What the dead were writing is swept up.
    assert.deepEqual(readdirSync(root), ['.gadriel-waivers.toml', '.security']);
    const last: unknown[] = [];
    const log = readJsonLines(auditLogPath(root));
    for await (const { value } of log) last.push((value as { finding_id: string }).finding_id);
    assert.equal(last.at(-1), next.finding_id);
  });

  it('at any of its writes and then done again is one waiver, one lesson and at least one event', { skip: !existsSync('/proc/self/stat') }, async () => {
    let died = 0;
    for (let step = 1; ; step++) {
      const root = await repository(`again-${step}`);
      const signal = await run(root, 0, step);
      if (signal === 'SIGKILL') died++;
      await run(root, 0, 1_000_000);
      const logged: unknown[] = [];
      for await (const { value } of readJsonLines(auditLogPath(root))) logged.push(value);
      assert.deepEqual([openPriors(root, env).get('R', 'security').beta, await check(root, 1)], [1.5, 1], `step ${step}`);
      assert.ok(logged.length >= 1, `step ${step}`);
      if (signal !== 'SIGKILL') break;
    }
    assert.ok(died >= 12, `it died ${died} times`);
  });

  it('at any moment leaves files that load', async () => {
    const root = await repository('moments');
    let waivers = 0;
    for (let round = 0; round < 6; round++) {
      const child = spawn(process.execPath, [script, root, String(waivers), 'never'], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
      // The first line says that it is at work; how far it gets from there differs from round to round.
      await once(child.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 25));
      child.kill('SIGKILL');
      await once(child, 'exit');
      waivers = await check(root, waivers);
    }
    assert.ok(waivers > 0);
  });
});
