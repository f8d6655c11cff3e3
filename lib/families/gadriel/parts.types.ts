import type { FamilyContext } from '../../mcp/family.types.ts';
import type { Scans } from './domain/validate.ts';

/** What the tools of one family share: its surroundings, and what is loaded at the first call. */
export type Parts = {
  readonly context: FamilyContext;
  loadScans(): Promise<Scans>;
};
