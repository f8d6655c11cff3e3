import type { Tool } from '../../mcp/family.types.ts';
import type { Parts } from './parts.types.ts';
import { campaignAdvanceTool } from './tools/campaign-advance.ts';
import { dismissFalsePositiveTool } from './tools/dismiss-false-positive.ts';
import { findingsForPathTool } from './tools/findings-for-path.ts';
import { fixFindingTool } from './tools/fix-finding.ts';
import { startRemediationCampaignTool } from './tools/start-remediation-campaign.ts';
import { submitAiFindingsTool } from './tools/submit-ai-findings.ts';
import { validateBufferTool } from './tools/validate-buffer.ts';
import { validateFileTool } from './tools/validate-file.ts';

/** The tools of the family, in the order in which they are listed. */
export function gadrielTools(parts: Parts): readonly Tool[] {
  return [
    validateBufferTool(parts),
    validateFileTool(parts),
    findingsForPathTool(parts),
    fixFindingTool(parts),
    dismissFalsePositiveTool(parts),
    submitAiFindingsTool(parts),
    startRemediationCampaignTool(parts),
    campaignAdvanceTool(parts),
  ];
}
