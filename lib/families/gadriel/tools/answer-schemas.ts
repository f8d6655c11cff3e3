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
  incomplete: { type: 'string', description: 'Why the analysis stopped before the end of the code.' },
  tier2_request: { type: ['object', 'null'], description: 'null unless Tier 2 is on.' },
} as const;
