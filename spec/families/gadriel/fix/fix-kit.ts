/** What the specs of fixes share: scans of a text alone, and a repository with findings. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkFix, type FixCheck } from '../../../../lib/families/gadriel/domain/fix/check-fix.ts';
import { hashOf } from '../../../../lib/families/gadriel/domain/fix/fix-source.ts';
import type { FixSurroundings } from '../../../../lib/families/gadriel/domain/fix/fix.types.ts';
import type { FixParts } from '../../../../lib/families/gadriel/domain/fix/propose.ts';
import type { Runner } from '../../../../lib/families/gadriel/domain/fix/runners/runner.types.ts';
import { fixByTemplate } from '../../../../lib/families/gadriel/domain/fix/templates/index.ts';
import { applyEdits } from '../../../../lib/families/gadriel/domain/fix/text-edit.ts';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import { writeFindings } from '../../../../lib/families/gadriel/domain/records/findings-file.ts';
import { rescanFile } from '../../../../lib/families/gadriel/domain/repository/rescan-file.ts';
import { scanSource } from '../../../../lib/families/gadriel/domain/scan-source.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

/** The findings of a text of Python alone. */
export const scanText = (text: string, path = 'app/views.py'): readonly Finding[] =>
  scanSource({ text, path, kind: 'python', language: 'python', profile: 'default' }).findings;

/** What the template of a rule makes of its first finding in a text: the new text, checked as every fix is, or why it declines. */
export async function fixedText(text: string, ruleId: string): Promise<string> {
  const scan = scanText(text);
  const finding = scan.find(({ rule_id }) => rule_id === ruleId);
  assert.ok(finding !== undefined, `${ruleId} is not found in\n${text}\nbut ${scan.map(({ rule_id }) => rule_id).join(', ')}`);
  const fix = fixByTemplate(text, finding);
  assert.ok(fix !== undefined, `no template for ${ruleId}`);
  if ('declined' in fix) return `declined: ${fix.declined}`;
  const fixed = applyEdits(text, fix.edits);
  assert.ok(fixed !== undefined, 'edits overlap');
  const checked = await checkText(text, fixed, finding);
  assert.ok('diff' in checked, `${'wrong' in checked ? checked.wrong : ''}\n${fixed}`);
  return fixed;
}

/** Checks a new text of a file as proposals are checked. */
export function checkText(text: string, fixed: string, finding: Finding, file = 'app/views.py'): Promise<FixCheck> {
  const source = { file, text, mark: '', hash: hashOf(text) } as const;
  return checkFix(source, fixed, finding, scanText(text, file), async (after) => scanText(after, file), true);
}

/** A git repository of these files in a temporary folder, with the findings of a scan of it. Call it inside a `describe`. */
export async function scannedRepository(files: Readonly<Record<string, string | Uint8Array>>): Promise<{ readonly root: string; readonly findings: readonly Finding[]; idOf(ruleId: string): string; git(args: readonly string[], input?: string): string }> {
  const folder = tempFolder();
  const git = (args: readonly string[], input = ''): string => execFileSync('git', args as string[], { cwd: folder.root, input, encoding: 'utf8', stdio: 'pipe' });
  git(['init', '-q']);
  for (const [name, content] of Object.entries(files)) folder.write(name, content);
  const findings: Finding[] = [];
  for (const name of Object.keys(files)) findings.push(...(await rescanFile(folder.root, name, undefined, surroundings()).catch(() => [])));
  await writeFindings(folder.root, findings, 0);
  return { root: folder.root, findings, git, idOf: (ruleId) => findings.find(({ rule_id }) => rule_id === `CODE-W1-${ruleId}`)?.finding_id ?? `missing ${ruleId}` };
}

/** Surroundings of a request; what it reports is kept. */
export function surroundings(env: Readonly<Record<string, string>> = {}, signal: AbortSignal = new AbortController().signal): FixSurroundings & { readonly reports: [number, string | undefined][]; readonly logged: string[] } {
  const reports: [number, string | undefined][] = [];
  const logged: string[] = [];
  return {
    env: { GADRIEL_HOME: '/nonexistent/gadriel', ...env }, cwd: '/', now: () => 0, random: (size) => new Uint8Array(size), signal, reports, logged,
    log: (_level, message) => void logged.push(message),
    progress: (done, _total, message) => void reports.push([done, message]),
  };
}

/** These runners, with scans in this thread of the file alone: a repository's start their workers each time. */
export const partsOf = (...runners: readonly Runner[]): FixParts => ({
  runners,
  rescan: async (root, file, text) => scanText(text ?? readFileSync(path.join(root, file), 'utf8'), file),
});
