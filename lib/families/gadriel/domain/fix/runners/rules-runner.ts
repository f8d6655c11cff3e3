import { applyEdits } from '../text-edit.ts';
import { isNotebook } from '../../source-path.ts';
import { fixByTemplate } from '../templates/index.ts';
import type { Opinion, Runner, RunnerFix, RunnerRequest } from './runner.types.ts';

/** From here on a finding counts as real without a second look (the score of confidence high). */
const sureScore = 75;

/** The offline runner: templates by rule. It costs nothing, talks to nobody, and gives the same answer each time. */
export const rulesRunner: Runner = {
  id: 'rules',
  maxAttempts: 1,
  unavailable: () => undefined,
  maySeeSource: () => true,
  propose: (request) => Promise.resolve(byTemplate(request)),
  confirm: (request) => Promise.resolve({ kind: 'opinion', opinion: opinionOf(request), cost_usd: 0 }),
};

function byTemplate({ finding, text }: RunnerRequest): RunnerFix {
  const fix = fixByTemplate(text, finding);
  if (fix === undefined) {
    const rationale = isNotebook(finding.file)
      ? 'Offline templates do not work on notebooks.'
      : `No offline template is known for ${finding.rule_id} in this file.`;
    return { kind: 'not_fixable', rationale, cost_usd: 0 };
  }
  if ('declined' in fix) return { kind: 'declined', rationale: fix.declined, cost_usd: 0 };
  const fixed = applyEdits(text, fix.edits);
  return fixed === undefined
    ? { kind: 'invalid', wrong: 'edits of the template overlap', cost_usd: 0 }
    : { kind: 'fixed', text: fixed, rationale: fix.rationale, cost_usd: 0 };
}

/** Rules alone never call a finding false: they found it, and find it again. */
function opinionOf({ finding }: RunnerRequest): Opinion {
  const sure = finding.confidence_score >= sureScore;
  return {
    confirmation: sure ? 'real_risk' : 'uncertain',
    confirmation_rationale: sure
      ? `The scan still finds it, with ${finding.confidence_score} of 100.`
      : `The scan still finds it, but with ${finding.confidence_score} of 100 only: look at where the value comes from.`,
    explanation: finding.message,
    effort: finding.trace.length > 3 ? 'medium' : 'low',
    additional_actions: [finding.remediation],
  };
}
