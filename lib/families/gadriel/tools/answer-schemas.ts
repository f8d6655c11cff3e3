/** Hints of a tool that reads only, without a network. */
export const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

/** The members that every answer of findings has. */
export const reportProperties = {
  findings: { type: 'array', items: { type: 'object' }, description: 'In order of line and rule.' },
  count: { type: 'integer', description: 'Number of findings, left-out ones included.' },
  truncated: { type: 'integer', description: 'How many of the least severe findings are left out of this answer.' },
} as const;

/** What a scan of one file adds to them. */
export const scanProperties = {
  ...reportProperties,
  waived: { type: 'integer', description: 'How many findings are left out because the repository waives them; not counted.' },
  incomplete: { type: 'string', description: 'Why the analysis stopped before the end of the code.' },
  tier2_request: { type: ['object', 'null'], description: 'null unless Tier 2 is on (GADRIEL_TIER2=1).' },
} as const;

/** Whether validate_* asks for findings of the host's model too: off unless GADRIEL_TIER2 is 1. */
export const isTier2On = (env: Readonly<Record<string, string | undefined>>): boolean => env['GADRIEL_TIER2'] === '1';
