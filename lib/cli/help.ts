import { formatTable } from '../terminal/table.ts';
import { version } from '../version.ts';
import { builtIns, findBuiltIn, type FamilyEntry } from './families.ts';
import { commandHelp, commandSummaries, hasHelp } from './help-texts.ts';
import { UsageError } from './usage-error.ts';

/** The help of the program, of a family, or of one command. */
export function helpText(program: string, family: FamilyEntry | undefined, command: string | undefined): string {
  if (command === undefined) return family === undefined ? programHelp(program) : familyHelp(program, family);
  if (hasHelp(command)) return commandHelp(command, program);
  const other = findBuiltIn(command);
  if (other === undefined || family !== undefined) throw new UsageError(`there is no help for ${JSON.stringify(command.slice(0, 80))}`, { help: `${program} --help` });
  return familyHelp(`${program} ${command}`, other);
}

const listed = (rows: readonly (readonly string[])[]): string => formatTable(rows.map(([name = '', summary = '']) => [`  ${name}`, summary]));

const commandRows = Object.entries(commandSummaries);

function programHelp(program: string): string {
  const families: string[][] = [];
  for (const builtIn of builtIns) families.push([builtIn.name, (builtIn.load()).title ?? '']);
  return `toolwire ${version}: a Model Context Protocol tool server over stdio

Usage: ${program} <command> [flags]
       ${program} <family> <command> [flags]
In a pipe, without a command, it serves all families.

Commands:
${listed(commandRows)}
Families:
${listed(families)}
  --help     this text; behind a command, its own
  --version  print the version

Example:
  printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | ${program} mcp
`;
}

function familyHelp(program: string, builtIn: FamilyEntry): string {
  const family = builtIn.load();
  const verbs = Object.entries(family.cli?.verbs ?? {}).map(([name, verb]) => [name, verb.summary]);
  return `${program}: ${family.title ?? family.name} (toolwire ${version})

Usage: ${program} <command> [flags]
In a pipe, without a command, it serves its tools.

Commands:
${listed([...verbs, ...commandRows])}
  --help     this text; behind a command, its own
  --version  print the version

Example:
  printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | ${program} mcp
`;
}
