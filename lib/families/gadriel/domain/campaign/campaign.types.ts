import type { Confidence, Finding, Pillar, ScanType, Severity } from '../finding.types.ts';
import type { FixProposal, FixRequest, FixSurroundings } from '../fix/fix.types.ts';

/** Where an item stands: waiting, proposed to the host, or at one of the six ends. Wire words. */
export const itemStatuses = ['pending', 'in_progress', 'fixed', 'verified', 'verified_partial', 'regressed', 'waived', 'skipped_no_agent'] as const;
export type ItemStatus = (typeof itemStatuses)[number];

/** Which findings to work on: a list admits each of its words, and all lists must admit a finding; an empty one is as none. */
export type CampaignFilter = {
  readonly severity?: readonly string[];
  readonly pillar?: readonly string[];
  readonly scan_type?: readonly string[];
  readonly rule_id?: readonly string[];
  readonly confidence_tier?: readonly string[];
  readonly finding_ids?: readonly string[];
};

/** One finding of a campaign, as the campaign file has it. */
export type CampaignItem = {
  readonly finding_id: string;
  readonly rule_id: string;
  readonly file: string;
  readonly line: number;
  readonly scan_type: ScanType;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly pillar: Pillar;
  readonly fingerprint: string;
  readonly risk: number;
  readonly status: ItemStatus;
  /** Proposals that went to the host. */
  readonly attempts: number;
  /** Times that the runner failed to make one. */
  readonly failures: number;
  readonly cost_usd: number;
  readonly diff?: string;
  /** SHA-256 of the file's bytes, hex: when the fix was proposed, and when it was looked at afterwards. */
  readonly before_hash?: string;
  readonly after_hash?: string;
  /** Why it ended as it did; secrets masked. */
  readonly reason?: string;
  /** The answer in progress, without its diff. */
  readonly proposal?: Omit<FixProposal, 'diff'>;
  /** What was found in the file before the fix: see compare-scans.ts. */
  readonly baseline?: Baseline;
};

/** What a re-scan is compared with: a key for each finding of the file but the item's own, and that one's key. */
export type Baseline = {
  /** Absent where a scan of the file does not show the finding at all. */
  readonly target?: string;
  /** Of the target. */
  readonly cwe?: string;
  /** How many others of its rule stand on the target's own line. */
  readonly beside?: number;
  readonly others: readonly string[];
  /** What `.gadriel.toml` was: see config-mark.ts. */
  readonly config?: string;
  /** How many syntax errors the file had. */
  readonly errors?: number;
};

/** The file of a campaign, `.security/campaigns/<campaign_id>.json`. Times in ISO 8601. */
export type Campaign = {
  readonly schema: 1;
  readonly campaign_id: string;
  readonly repo_root: string;
  readonly runner_id: string;
  readonly filter: CampaignFilter;
  /** What `.gadriel.toml` was at the start: see config-mark.ts. */
  readonly config?: string;
  readonly status: 'active' | 'complete' | 'aborted';
  readonly created_at: string;
  readonly updated_at: string;
  /** Sum of what is known. */
  readonly cost_usd: number;
  /** Runs of which the cost is not known. */
  readonly cost_unknown: number;
  readonly budget: { readonly max_cost_usd: number; readonly max_items: number; readonly max_attempts: number };
  readonly items: readonly CampaignItem[];
};

/** What a finished campaign comes to. Wire words; `by_status` names only what there is. */
export type CampaignSummary = {
  readonly total: number;
  readonly cost_usd: number;
  readonly cost_unknown?: number;
  readonly by_status: Readonly<Partial<Record<ItemStatus, number>>>;
  readonly regressed: readonly string[];
  readonly verified_partial_note?: string;
};

/** What campaign_advance gets from outside: the surroundings of a run, and the two parts that specs replace. */
export type CampaignParts = FixSurroundings & {
  /** Runs a short section in the order of the family's other writing calls. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  proposeFix(request: FixRequest, surroundings: FixSurroundings): Promise<FixProposal>;
  /** The findings of one file of a repository, in the text that is given. */
  rescanFile(root: string, file: string, text: string): Promise<readonly Finding[]>;
};
