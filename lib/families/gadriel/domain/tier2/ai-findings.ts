import { confidences, severities, type Confidence, type Severity } from '../finding.types.ts';

/** What a model says of a place: a flaw of its own, agreement with a finding, or that a finding is no real risk. */
export const aiKinds = ['new_finding', 'corroborate', 'contest'] as const;
export type AiKind = (typeof aiKinds)[number];

/** A finding of a model, as it was submitted, with every word known. */
export type AiFinding = {
  readonly cwe: string;
  readonly severity: Severity;
  readonly file: string;
  readonly line: number;
  readonly rationale: string;
  readonly confidence: Confidence;
  readonly kind: AiKind;
};

/** The shape of one submitted finding, as a `tier2_request` tells it. */
export const aiFindingSchema = {
  type: 'object',
  properties: {
    cwe: { type: 'string', description: 'Such as CWE-89.' },
    severity: { type: 'string', enum: severities },
    file: { type: 'string', description: 'One of candidate_files, spelled as there.' },
    line: { type: 'integer', minimum: 1 },
    rationale: { type: 'string', minLength: 1, description: 'Why, in a sentence or two; no source text.' },
    confidence: { type: 'string', enum: confidences, default: 'low' },
    kind: { type: 'string', enum: aiKinds },
  },
  required: ['cwe', 'severity', 'file', 'line', 'rationale', 'kind'],
} as const;

/** The well-formed findings of a submission, most severe first, and how many others there were. */
export type ParsedSubmission = { readonly items: readonly AiFinding[]; readonly malformed: number };

/**
 * Parses what a model submitted. The order of the result depends on the findings alone, not on the order in which they
 * came, so that a limit on their number keeps the same ones.
 */
export function parseAiFindings(submitted: readonly unknown[]): ParsedSubmission {
  const items = submitted.map(parseOne).filter((item) => item !== undefined);
  const keyed = items.map((item) => ({ item, rank: severities.indexOf(item.severity), key: sortKey(item) }));
  keyed.sort((a, b) => a.rank - b.rank || a.item.line - b.item.line || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return { items: keyed.map(({ item }) => item), malformed: submitted.length - items.length };
}

function parseOne(value: unknown): AiFinding | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { cwe, severity, file, line, rationale, confidence = 'low', kind } = value as Record<string, unknown>;
  if (typeof cwe !== 'string' || typeof file !== 'string' || typeof rationale !== 'string' || rationale.trim() === '') return undefined;
  if (!Number.isSafeInteger(line) || (line as number) < 1) return undefined;
  if (!isOneOf(severities, severity) || !isOneOf(confidences, confidence) || !isOneOf(aiKinds, kind)) return undefined;
  return { cwe, severity, file, line: line as number, rationale, confidence, kind };
}

const isOneOf = <T extends string>(words: readonly T[], value: unknown): value is T => (words as readonly unknown[]).includes(value);
const sortKey = ({ file, cwe, kind, confidence, rationale }: AiFinding): string => JSON.stringify([file, cwe, kind, confidence, rationale]);
