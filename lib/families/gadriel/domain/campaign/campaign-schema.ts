import path from 'node:path';
import { compileSchema } from '../../../../schema/validate.ts';
import { confidences, pillars, scanTypes, severities } from '../finding.types.ts';
import { itemStatuses, type Campaign } from './campaign.types.ts';

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;
const count = { type: 'integer', minimum: 0 } as const;
const amount = { type: 'number', minimum: 0 } as const;

const item = {
  type: 'object',
  properties: {
    finding_id: text, rule_id: text, file: text, line: { type: 'integer', minimum: 1 }, scan_type: { enum: scanTypes }, severity: { enum: severities },
    confidence: { enum: confidences }, pillar: { enum: pillars }, fingerprint: text, risk: amount, status: { enum: itemStatuses }, attempts: count,
    failures: count, cost_usd: amount, diff: text, before_hash: text, after_hash: text, reason: text,
    proposal: { type: 'object', properties: { status: { const: 'proposed' }, rationale: text }, required: ['status', 'rationale'] },
    baseline: { type: 'object', properties: { target: text, cwe: text, beside: count, others: texts, config: text, errors: count }, required: ['others'] },
  },
  required: [
    'finding_id', 'rule_id', 'file', 'line', 'scan_type', 'severity', 'confidence', 'pillar', 'fingerprint', 'risk', 'status', 'attempts', 'failures', 'cost_usd',
  ],
  // What is in progress is answered again and compared, so it has all that this needs.
  if: { properties: { status: { const: 'in_progress' } }, required: ['status'] },
  then: { required: ['diff', 'proposal', 'baseline'] },
} as const;

const schema = {
  type: 'object',
  properties: {
    schema: { const: 1 }, campaign_id: text, repo_root: text, runner_id: text,
    filter: { type: 'object', additionalProperties: texts },
    config: text, status: { enum: ['active', 'complete', 'aborted'] },
    created_at: text, updated_at: text, cost_usd: amount, cost_unknown: count,
    budget: {
      type: 'object',
      properties: { max_cost_usd: amount, max_items: count, max_attempts: count },
      required: ['max_cost_usd', 'max_items', 'max_attempts'],
    },
    items: { type: 'array', items: item },
  },
  required: [
    'schema', 'campaign_id', 'repo_root', 'runner_id', 'filter', 'status', 'created_at', 'updated_at', 'cost_usd', 'cost_unknown', 'budget', 'items',
  ],
} as const;

const validator = compileSchema(schema);

/** Whether an item may name a file so: from the root, and without what could lead out of it. Empty is no file. */
export const isItemPath = (file: string): boolean =>
  !path.posix.isAbsolute(file) && !path.win32.isAbsolute(file) && !file.split('/').includes('..') && !file.includes('\0');

/** The campaign in a parsed file, or where it is none and why. */
export function checkCampaign(value: unknown): { readonly campaign: Campaign } | { readonly problem: string } {
  const { valid, issues } = validator.validate(value);
  if (valid) {
    const odd = (value as Campaign).items.findIndex(({ file }) => !isItemPath(file));
    return odd === -1 ? { campaign: value as Campaign } : { problem: `/items/${odd}/file: it must be a path inside the repository` };
  }
  const [issue] = issues;
  return { problem: `${issue?.path || 'the whole'}: ${issue?.message}` };
}
