import type { FamilyContext } from '../../mcp/family.types.ts';
import type { Rescans } from './domain/repository/rescan-file.ts';
import type { Sessions } from './domain/tier2/sessions.ts';
import type { Scans } from './domain/validate.ts';

/** What the tools of one family share: its surroundings, and what is loaded at the first call. */
export type Parts = {
  readonly context: FamilyContext;
  loadScans(): Promise<Scans>;
  /** Scans of single files of repositories, for fixes and campaigns. */
  loadRescans(): Promise<Rescans>;
  /** The Tier 2 sessions of this family; none is ever opened unless Tier 2 is on. */
  loadSessions(): Promise<Sessions>;
};
