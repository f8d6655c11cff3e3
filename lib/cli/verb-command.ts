import type { CliContext } from '../mcp/family.types.ts';
import { suggestion } from '../terminal/nearest.ts';
import { UsageError } from '../terminal/usage-error.ts';
import type { FamilyEntry } from './families.ts';
import { verbsOf } from './family-verbs.ts';
import { helpText } from './help.ts';
import { closeInTime } from './open-server.ts';

/** Runs a verb of a family's own command line and returns its exit code; a verb may have several words. */
export async function runVerb(entry: FamilyEntry, words: readonly string[], program: string, terminal: CliContext): Promise<number> {
  const family = entry.load();
  const verbs = await verbsOf(family);
  const names = Object.keys(verbs).sort((a, b) => b.length - a.length);
  const name = names.find((each) => each.split(' ').every((part, index) => words[index] === part));
  const verb = name === undefined ? undefined : verbs[name];
  const end = words.indexOf('--');
  if (words.slice(0, end < 0 ? words.length : end).some((word) => word === '--help' || word === '-h')) {
    const plain = words.slice(0, words.findIndex((word) => word.startsWith('-')));
    terminal.stdout.write(await helpText(program, entry, name?.split(' ') ?? plain));
    return 0;
  }
  if (name === undefined || verb === undefined) throw unknownVerb([...names, ...entry.serveWords], words, program);
  const code = await verb.run(words.slice(name.split(' ').length), terminal);
  await closeInTime(family);
  return code;
}

function unknownVerb(names: readonly string[], words: readonly string[], program: string): UsageError {
  const given = words.filter((word) => !word.startsWith('-')).slice(0, 2).join(' ').slice(0, 80);
  const flag = words.findIndex((word) => word.startsWith('-'));
  const group = words.slice(0, flag < 0 ? words.length : flag).join(' ');
  const deeper = names.filter((name) => name.startsWith(`${group} `)).sort();
  // The first words of a verb alone: `gadriel code`, `gadriel code campaign`.
  if (deeper.length > 0) return new UsageError(`${JSON.stringify(group)} is not a whole command: ${deeper.join(', ')}`, { help: `${program} ${group} --help` });
  const help = `${program} --help`;
  return new UsageError(`unknown command ${JSON.stringify(given)}${suggestion(given, [...names, 'mcp', 'tools', 'call', 'doctor', 'install'])}`, { help });
}
