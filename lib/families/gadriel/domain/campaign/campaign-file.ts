import { readdir, rm } from 'node:fs/promises';
import { safeText } from '../../../../text/safe-text.ts';
import { decodeRecord, plainPath, readRecord, recordFolder, replaceRecord } from '../records/record-files.ts';
import { isToolFailed, ToolFailed } from '../tool-failed.ts';
import { checkCampaign } from './campaign-schema.ts';
import type { Campaign } from './campaign.types.ts';

const maxBytes = 64 * 1024 * 1024;

/** Where the campaigns of a repository lie, from its root. */
export const campaignsFolder = '.security/campaigns';

/** An id as start makes them; others name no file. */
const idPattern = /^campaign-\d{1,16}$/;

/** Loads a campaign. Throws ToolFailed where there is none of that id, or its file is broken. */
export async function loadCampaign(root: string, id: string): Promise<Campaign> {
  const bytes = idPattern.test(id) ? await readRecord(root, nameOf(id), maxBytes) : undefined;
  if (bytes === undefined) throw new ToolFailed(`there is no campaign ${safeText(id, 80)} in ${campaignsFolder}`);
  const checked = checkCampaign(parse(bytes, nameOf(id)));
  const problem = 'problem' in checked ? checked.problem : checked.campaign.campaign_id === id ? undefined : 'campaign_id is that of another one';
  if (problem !== undefined) throw new ToolFailed(`${nameOf(id)} is no campaign: ${safeText(problem, 200)}`);
  return (checked as { campaign: Campaign }).campaign;
}

/** As `loadCampaign`, but undefined where there is none, or none that can be read. */
export async function tryLoad(root: string, id: string): Promise<Campaign | undefined> {
  try {
    return await loadCampaign(root, id);
  } catch (error) {
    if (isToolFailed(error)) return undefined;
    throw error;
  }
}

/** The ids of all campaigns of a repository that have a file, in no order. */
export async function campaignIds(root: string): Promise<string[]> {
  const names = await readdir(await recordFolder(root, 'campaigns'));
  return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length)).filter((id) => idPattern.test(id));
}

/** Removes the file of a campaign that did not come to be. */
export async function removeCampaign(root: string, id: string): Promise<void> {
  await rm(await plainPath(root, nameOf(id)), { force: true });
}

/** Writes a campaign atomically; the caller holds the lock of the campaigns. */
export async function writeCampaign(root: string, campaign: Campaign): Promise<void> {
  await replaceRecord(root, nameOf(campaign.campaign_id), `${JSON.stringify(campaign, null, 1)}\n`);
}

/** `campaign-<epoch ms>`, or the next number that no campaign has. */
export async function freeCampaignId(root: string, now: number): Promise<string> {
  const taken = new Set(await readdir(await recordFolder(root, 'campaigns')));
  let number = Math.max(0, Math.trunc(now));
  while (taken.has(`campaign-${number}.json`)) number++;
  return `campaign-${number}`;
}

const nameOf = (id: string): string => `${campaignsFolder}/${id}.json`;

function parse(bytes: Uint8Array, name: string): unknown {
  try {
    return JSON.parse(decodeRecord(bytes, name));
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new ToolFailed(`${name} is no JSON`, { cause });
  }
}
