import { loadConfig } from '../repository/config.ts';
import { repoRootOf } from '../records/repo-root.ts';
import { ruleHelpOf, type RuleHelp } from './rule-help.ts';

/** What people read about a secret pattern of a repository's own; title and pattern are the owner's text, maybe with control characters. */
export type OwnRuleHelp = RuleHelp & { readonly pattern: string };

/** The own secrets of the repository that `cwd` is in, as they stand in its `.gadriel.toml`. Rejects with ToolFailed where that file is broken. */
export async function ownRuleHelps(cwd: string): Promise<readonly OwnRuleHelp[]> {
  const { scan } = await loadConfig(await repoRootOf('.', cwd));
  // What is to be done about a leak is the same for every kind of secret.
  const like = ruleHelpOf('SECRET-075') as RuleHelp;
  return scan.secrets.map(({ id, title, pattern, severity }) => {
    // A scan reports no secret as info either.
    const effective = scan.severity[id] ?? (severity === 'info' ? 'low' : severity);
    return { ...like, id, title, severity: effective, confidence: 'high', pattern };
  });
}
