import type { CliContext, Family } from '../mcp/family.types.ts';
import { suggestion } from './nearest.ts';
import { closeInTime } from './open-server.ts';
import { UsageError } from './usage-error.ts';

/** Runs a verb of a family's own command line and returns its exit code; a verb may have several words. */
export async function runVerb(family: Family, words: readonly string[], program: string, terminal: CliContext): Promise<number> {
  const verbs = family.cli?.verbs ?? {};
  const names = Object.keys(verbs).sort((a, b) => b.length - a.length);
  const name = names.find((each) => each.split(' ').every((part, index) => words[index] === part));
  const verb = name === undefined ? undefined : verbs[name];
  if (name === undefined || verb === undefined) throw unknownVerb(names, words, program);
  const rest = words.slice(name.split(' ').length);
  const end = rest.indexOf('--');
  const flags = end < 0 ? rest : rest.slice(0, end);
  if (flags.includes('--help') || flags.includes('-h')) {
    terminal.stdout.write(verb.help.endsWith('\n') ? verb.help : `${verb.help}\n`);
    return 0;
  }
  const code = await verb.run(rest, terminal);
  await closeInTime(family);
  return code;
}

function unknownVerb(names: readonly string[], words: readonly string[], program: string): UsageError {
  const given = words.filter((word) => !word.startsWith('-')).slice(0, 2).join(' ').slice(0, 80);
  const deeper = names.filter((name) => name.startsWith(`${words[0]} `)).sort();
  const help = `${program} --help`;
  // The first word of a verb alone: `gadriel code`.
  if (deeper.length > 0 && (words[1] === undefined || words[1].startsWith('-'))) {
    return new UsageError(`${JSON.stringify(words[0])} is not a whole command: ${deeper.join(', ')}`, { help });
  }
  return new UsageError(`unknown command ${JSON.stringify(given)}${suggestion(given, [...names, 'mcp', 'tools', 'call', 'doctor', 'install'])}`, { help });
}
