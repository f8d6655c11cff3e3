import type { FamilyContext } from '../../mcp/family.types.ts';
import type { Pairings } from './domain/buddies/pairing.ts';

/** What the tools of one family share: its surroundings, and the pairings of this session, loaded at the first call. */
export type Parts = {
  readonly context: FamilyContext;
  loadPairings(): Promise<Pairings>;
};
