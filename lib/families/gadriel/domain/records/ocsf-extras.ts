import { findingSources, pillars, scanTypes, severities, type Finding, type TraceStep } from '../finding.types.ts';
import type { Fields } from './ocsf-fields.ts';

/** The members of a finding that OCSF has no place for. */
export type Extras = Pick<
  Finding,
  'pillar' | 'scan_type' | 'owasp' | 'tags' | 'source' | 'fingerprint' | 'trace' | 'waived'
  | 'contested' | 'contest_rationale' | 'ai_severity' | 'attack_path_length'
>;

/** On a finding that another program's file says is suppressed: whoever writes the file anew must still know that no waiver of ours did it. */
export const foreignSuppressedTag = 'suppressed:elsewhere';

/**
 * Reads `unmapped.gadriel`, in the order of its keys. What is missing, as in another program's file, is what a rule of no
 * known kind would say; `suppressed` is what the event itself says of being waived.
 */
export function readExtras(extras: Fields | undefined, suppressed: boolean): Extras {
  const contested = extras?.optionalBoolean('contested');
  const contest_rationale = extras?.optionalText('contest_rationale');
  const ai_severity = extras?.optionalWord('ai_severity', severities);
  const attack_path_length = extras?.optionalInteger('attack_path_length', 0);
  return {
    pillar: extras?.optionalWord('pillar', pillars) ?? 'security',
    scan_type: extras?.optionalWord('scan_type', scanTypes) ?? 'sast',
    owasp: extras?.optionalTexts('owasp') ?? [],
    tags: extras?.optionalTexts('tags') ?? (extras === undefined && suppressed ? [foreignSuppressedTag] : []),
    source: extras?.optionalWord('source', findingSources) ?? 'deterministic',
    fingerprint: extras?.optionalText('fingerprint') ?? '',
    trace: extras?.optionalList('trace')?.map(readStep) ?? [],
    waived: extras?.optionalBoolean('waived') ?? suppressed,
    ...(contested !== undefined && { contested }),
    ...(contest_rationale !== undefined && { contest_rationale }),
    ...(ai_severity !== undefined && { ai_severity }),
    ...(attack_path_length !== undefined && { attack_path_length }),
  };
}

function readStep(step: Fields): TraceStep {
  const file = step.optionalText('file');
  return { line: step.integer('line', 1), note: step.optionalText('note') ?? '', ...(file !== undefined && { file }) };
}
