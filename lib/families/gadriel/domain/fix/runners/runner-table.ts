import type { Surroundings } from '../../../../../domain/surroundings.types.ts';
import { claudeCliRunner } from './claude-cli-runner.ts';
import { claudeRunner } from './claude-runner.ts';
import { rulesRunner } from './rules-runner.ts';
import type { Runner } from './runner.types.ts';

/** The runners by id, most able first. */
export const runners: readonly Runner[] = [claudeRunner(), claudeCliRunner(), rulesRunner];

/** The runner where nobody names one: `claude` where a key is set, else `rules`, which works offline. */
export const defaultRunnerId = (env: Surroundings['env']): string => (env['ANTHROPIC_API_KEY'] ? 'claude' : 'rules');
