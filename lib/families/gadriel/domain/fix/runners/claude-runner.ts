import type { Surroundings } from '../../../../../domain/surroundings.types.ts';
import { sendMessage, usualPatience, type MessageAnswer, type Patience, type Turn } from './messages-api.ts';
import { askForFix, askForOpinion, type Ask } from './model-dialogue.ts';
import { costOf } from './prices.ts';
import type { Runner, RunnerRequest } from './runner.types.ts';

/** Whether source may be sent to a model: the value is the word true, exactly. */
export const hasConsent = (env: Surroundings['env']): boolean => env['GADRIEL_MCP_SOURCE_CONSENT'] === 'true';

/** The model that is asked. */
export const modelOf = (env: Surroundings['env']): string => env['GADRIEL_MODEL'] || 'claude-sonnet-5';

/** The runner over HTTP: the Messages API with the user's own key. Sees source by consent only. */
export function claudeRunner(patience: Patience = usualPatience): Runner {
  return {
    id: 'claude',
    maxAttempts: 3,
    unavailable: (env) => {
      if (!env['ANTHROPIC_API_KEY']) return 'ANTHROPIC_API_KEY is not set';
      return baseUrlOf(env) === undefined ? 'ANTHROPIC_BASE_URL is no http or https address' : undefined;
    },
    maySeeSource: hasConsent,
    propose: (request) => askForFix(request, askOver(request, patience)),
    confirm: (request) => askForOpinion(request, askOver(request, patience), hasConsent(request.surroundings.env)),
  };
}

function askOver({ surroundings }: RunnerRequest, patience: Patience): Ask {
  const { env } = surroundings;
  const model = modelOf(env);
  // One limit for the whole request, the second try at a broken answer included.
  const until = performance.now() + patience.total;
  return async (prompt, again) => {
    const turns: Turn[] = [{ role: 'user', content: prompt.user }];
    if (again !== undefined) {
      turns.push(
        { role: 'assistant', content: again.answer || '(nothing)' },
        { role: 'user', content: `That is not usable: ${again.wrong}. Answer again in the agreed form.` },
      );
    }
    const request = { baseUrl: baseUrlOf(env)!, key: env['ANTHROPIC_API_KEY']!, model, system: prompt.system, turns };
    const answer: MessageAnswer = await sendMessage(request, surroundings, until, patience);
    const cost_usd = answer.usage === undefined ? 0 : costOf(answer.usage, model, env);
    return 'text' in answer ? { text: answer.text, cost_usd } : { error: answer.error, cost_usd };
  };
}

/** Without the slash at its end; undefined where it is no address that can be asked. */
function baseUrlOf(env: Surroundings['env']): string | undefined {
  const given = env['ANTHROPIC_BASE_URL'] || 'https://api.anthropic.com';
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    return undefined;
  }
  // fetch refuses an address with a password in it, and would say it in its error.
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '') return undefined;
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
}
