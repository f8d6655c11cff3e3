import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { advanceCampaign, type Advanced, type AdvanceRequest } from '../../../../lib/families/gadriel/domain/campaign/advance.ts';
import type { Campaign, CampaignFilter, CampaignParts } from '../../../../lib/families/gadriel/domain/campaign/campaign.types.ts';
import { startCampaign, type Started, type StartRequest } from '../../../../lib/families/gadriel/domain/campaign/start.ts';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import type { FixProposal, FixRequest } from '../../../../lib/families/gadriel/domain/fix/fix.types.ts';
import { writeFindings } from '../../../../lib/families/gadriel/domain/records/findings-file.ts';
import { scanSource } from '../../../../lib/families/gadriel/domain/scan-source.ts';
import { isPython } from '../../../../lib/families/gadriel/domain/source-path.ts';
import { tempFolder, type TempFolder } from '../../../support/temp-folder.ts';

/** What a runner that a spec plays answers; members that are left out are plausible. */
export type Answer = Partial<FixProposal> & Pick<FixProposal, 'status'>;
export type Runner = (request: FixRequest, run: number) => Answer | Promise<Answer>;

/** The findings of a text as a scan of the repository tells them. */
export function scanText(path: string, text: string): readonly Finding[] {
  const python = isPython(path, text);
  return scanSource({ text, path, kind: python ? 'python' : 'other', language: python ? 'python' : 'text', profile: 'default' }).findings;
}

export const proposed: Answer = { status: 'proposed', diff: '--- a/x\n+++ b/x\n', rationale: 'safer', cost_usd: 0.25, before_hash: 'b'.repeat(64), after_hash: 'a'.repeat(64) };

/** A repository with a scripted runner and a clock: starts campaigns, advances them, and looks at what they wrote. */
export type Kit = TempFolder & {
  readonly parts: CampaignParts;
  readonly requests: FixRequest[];
  clock: number;
  runner: Runner;
  /** Writes findings.json: what scans of these files find, and the given ones. */
  scan(files: readonly string[], more?: readonly Finding[]): Promise<readonly Finding[]>;
  start(filter?: CampaignFilter, more?: Partial<StartRequest>): Promise<Started>;
  advance(campaignId: string, report?: Partial<AdvanceRequest>): Promise<Advanced>;
  campaign(id: string): Campaign;
  /** Events of the audit log, as `event:notes`. */
  audit(): string[];
  locked(): boolean;
};

/** Makes one; call it inside a `describe`. */
export function campaignKit(): Kit {
  const temp = tempFolder();
  temp.folder('.git');
  const requests: FixRequest[] = [];
  const parts: CampaignParts = {
    env: { GADRIEL_HOME: temp.at('.git/home') }, cwd: temp.root, now: () => kit.clock, random: (size) => new Uint8Array(size), log: () => undefined,
    signal: new AbortController().signal, progress: () => undefined, exclusive: (work) => work(),
    rescanFile: async (_root, file, text) => scanText(file, text),
    proposeFix: async (request, { signal }) => {
      signal.throwIfAborted();
      requests.push(request);
      const answer = await kit.runner(request, requests.length);
      return { runner_id: request.runnerId, finding_id: request.findingId, diff: null, rationale: '', iterations_used: 1, tool_calls: [], cost_usd: 0, ...answer };
    },
  };
  const kit: Kit = {
    ...temp, parts, requests, clock: Date.UTC(2026, 5, 1), runner: () => proposed,
    scan: async (files, more = []) => {
      const findings = [...files.flatMap((file) => scanText(file, readFileSync(temp.at(file), 'utf8'))), ...more];
      await writeFindings(temp.root, findings, kit.clock);
      return findings;
    },
    start: (filter = {}, more = {}) => startCampaign({ root: temp.root, filter, runnerId: 'rules', force: false, ...more }, parts),
    advance: (campaignId, report = {}) => advanceCampaign({ root: temp.root, campaignId, applied: undefined, afterHash: undefined, reason: undefined, ...report }, parts),
    campaign: (id) => JSON.parse(readFileSync(temp.at(`.security/campaigns/${id}.json`), 'utf8')) as Campaign,
    audit: () => {
      const lines = existsSync(temp.at('.security/audit-log.jsonl')) ? readFileSync(temp.at('.security/audit-log.jsonl'), 'utf8').trimEnd().split('\n') : [];
      return lines.map((line) => JSON.parse(line) as { event: string; notes: string | null }).map(({ event, notes }) => (notes === null ? event : `${event}:${notes}`));
    },
    locked: () => readdirSync(temp.at('.security/campaigns')).includes('.lock'),
  };
  return kit;
}
