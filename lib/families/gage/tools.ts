import type { Tool } from '../../mcp/family.types.ts';
import type { Parts } from './parts.types.ts';
import { gageBuddiesTool } from './tools/gage-buddies.ts';
import { gageIdentityTool } from './tools/gage-identity.ts';
import { gageInboxTool } from './tools/gage-inbox.ts';
import { gageOpenTool } from './tools/gage-open.ts';
import { gagePairConfirmTool } from './tools/gage-pair-confirm.ts';
import { gagePairStartTool } from './tools/gage-pair-start.ts';
import { gagePullTool } from './tools/gage-pull.ts';
import { gagePushTool } from './tools/gage-push.ts';
import { gageSendTool } from './tools/gage-send.ts';

/** The tools of the family, in the order in which they are listed. */
export function gageTools(parts: Parts): readonly Tool[] {
  return [
    gageIdentityTool(parts),
    gageBuddiesTool(parts),
    gagePairStartTool(parts),
    gagePairConfirmTool(parts),
    gageSendTool(parts),
    gagePushTool(parts),
    gagePullTool(parts),
    gageInboxTool(parts),
    gageOpenTool(parts),
  ];
}
