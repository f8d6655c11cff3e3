import type { Family, Verb } from '../mcp/family.types.ts';

/** The verbs of a family by name, loaded where the family loads them late; none where it has no command line. */
export async function verbsOf({ cli }: Family): Promise<Readonly<Record<string, Verb>>> {
  return (typeof cli === 'function' ? await cli() : cli)?.verbs ?? {};
}
