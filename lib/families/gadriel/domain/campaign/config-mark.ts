import { createHash } from 'node:crypto';
import { loadConfig } from '../repository/config.ts';

/** What a repository's `.gadriel.toml` comes to: a short hash of its settings, and the rules that it switches off. */
export type ConfigMark = { readonly mark: string; readonly off: ReadonlySet<string> };

/**
 * Reads it. A scan that looks for other things than the one before proves nothing by its silence, so that a campaign keeps
 * the mark. Throws ToolFailed where the file is broken: then no scan of the repository is to be had either.
 */
export async function markConfig(root: string): Promise<ConfigMark> {
  const { exclude, scan } = await loadConfig(root);
  const { profile, off, severity, secrets, sources, sinks, sanitizers } = scan;
  const said = JSON.stringify([exclude, profile, off, Object.entries(severity).sort(), secrets, sources, sinks, sanitizers]);
  return { mark: createHash('sha256').update(said).digest('hex').slice(0, 16), off: new Set(off) };
}
