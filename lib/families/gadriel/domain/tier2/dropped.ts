import { isKnownCwe } from '../cwe-families.ts';
import { confidences, severities } from '../finding.types.ts';
import { aiKinds, parseAiFindings, type AiFinding } from './ai-findings.ts';
import { fuse, type FusionMode, type ScannedFiles } from './fuse.ts';

/** An entry of a submission that a fusion leaves out: its index from 0, and why. */
export type Dropped = { readonly index: number; readonly why: string };

/** Nobody reads more, and a submission may have a million entries. */
const maxTold = 50;
const maxLookedAt = 1_000;

/**
 * Which entries of a submission come to nothing by themselves, in their order, the first 50 of them. An entry that is only too
 * many (a fusion takes the 50 most severe) is not among them. Reasons hold text of the submission.
 */
export function droppedOf(scanned: ScannedFiles, submitted: readonly unknown[], mode: FusionMode): readonly Dropped[] {
  const dropped: Dropped[] = [];
  for (const [index, entry] of submitted.slice(0, maxLookedAt).entries()) {
    const [item] = parseAiFindings([entry]).items;
    const why = item === undefined ? faultOf(entry) : rejectionOf(scanned, item, mode);
    if (why !== undefined) dropped.push({ index, why });
    if (dropped.length === maxTold) break;
  }
  return dropped;
}

/** What is wrong with the shape of an entry that does not parse. */
function faultOf(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return 'it is no object';
  const { cwe, severity, file, line, rationale, kind } = entry as Record<string, unknown>;
  if (typeof cwe !== 'string') return 'cwe must be a text such as CWE-89';
  if (!isOneOf(severities, severity)) return `severity must be one of ${severities.join(', ')}`;
  if (typeof file !== 'string') return 'file must be a text';
  if (!Number.isSafeInteger(line) || (line as number) < 1) return 'line must be a number from 1';
  if (typeof rationale !== 'string' || rationale.trim() === '') return 'rationale must be a text that is not empty';
  if (!isOneOf(aiKinds, kind)) return `kind must be one of ${aiKinds.join(', ')}`;
  return `confidence must be one of ${confidences.join(', ')}`;
}

/** Why a fusion takes nothing from a well-formed entry; undefined where it takes it. */
function rejectionOf(scanned: ScannedFiles, item: AiFinding, mode: FusionMode): string | undefined {
  if (!isKnownCwe(item.cwe)) return `the CWE ${item.cwe} is not known`;
  const lines = scanned.lineCounts.get(item.file);
  if (lines === undefined) return `${item.file} was not scanned: name files as findings do, from the root of the repository`;
  if (item.line > lines) return `${item.file} has no line ${item.line}`;
  // The fusion itself decides, so that the two can not differ.
  if (fuse(scanned, [item], mode).report.rejected_count === 0) return undefined;
  return item.kind === 'new_finding' ? 'no finding of the scan is near, and corroborate_only adds none' : `no finding of the scan is near that could be meant (kind ${item.kind})`;
}

const isOneOf = (words: readonly string[], value: unknown): boolean => (words as readonly unknown[]).includes(value);
