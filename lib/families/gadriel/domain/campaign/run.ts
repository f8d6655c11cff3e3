import { proposeFix, usualParts } from '../fix/propose.ts';
import { toolRoot } from '../records/repo-root.ts';
import type { RescanFile, Rescans } from '../repository/rescan-file.ts';
import { advanceCampaign, type Advanced, type AdvanceRequest } from './advance.ts';
import type { CampaignParts } from './campaign.types.ts';

/** What the host says, and where: `repoRoot` absent means the repository of the working folder. */
export type AdvanceCall = Omit<AdvanceRequest, 'root'> & { readonly repoRoot: string | undefined };

/** Advances a campaign with the real runners and the scans of the caller; see `advanceCampaign`. */
export async function advance(
  { repoRoot, ...request }: AdvanceCall, surroundings: Omit<CampaignParts, 'proposeFix' | 'rescanFile'>, rescans: Rescans,
): Promise<Advanced> {
  const root = await toolRoot(repoRoot, surroundings.cwd);
  const rescan = rememberScans(rescans.rescanFile);
  let told = 0;
  return advanceCampaign({ root, ...request }, {
    ...surroundings,
    // The campaign counts items, a runner seconds: what is told has to grow all the same.
    progress: (_done, _total, message) => surroundings.progress(++told, undefined, message),
    proposeFix: (fix, around) => proposeFix(fix, around, { ...usualParts, rescan }),
    rescanFile: (repository, file, text) => rescan(repository, file, text, surroundings, surroundings.signal),
  });
}

/** Texts that one call may come back to: what is on disk, and what a runner has made of it. */
const maxRemembered = 4;

/**
 * Scans of a call that scans a text once: it is looked at after a fix, before the next one, and by the runner's checks. Not
 * for longer than a call, as the modules around a file may change.
 */
function rememberScans(rescanFile: RescanFile): RescanFile {
  const known: { readonly file: string; readonly text: string; readonly scan: ReturnType<RescanFile> }[] = [];
  return (root, file, text, ...more) => {
    const scan = known.find((each) => each.file === file && each.text === text)?.scan ?? rescanFile(root, file, text, ...more);
    if (text !== undefined) known.unshift({ file, text, scan });
    known.length = Math.min(known.length, maxRemembered);
    return scan;
  };
}
