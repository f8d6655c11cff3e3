import { suggestion } from '../terminal/nearest.ts';
import { formatTable } from '../terminal/table.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { version } from '../version.ts';
import { builtIns, findBuiltIn, type FamilyEntry } from './families.ts';
import { verbsOf } from './family-verbs.ts';
import { commandHelp, commandSummaries, hasHelp } from './help-texts.ts';

/**
 * The help of the program, of a family, of one command or verb, or of the verbs that begin with the words asked for.
 * Throws a UsageError where there is none.
 */
export async function helpText(program: string, family: FamilyEntry | undefined, words: readonly string[]): Promise<string> {
  const asked = words.join(' ');
  if (asked === '') return family === undefined ? programHelp(program) : familyHelp(program, family);
  if (hasHelp(asked)) return commandHelp(asked, program);
  const [first = '', ...rest] = words;
  const other = family === undefined ? findBuiltIn(first) : undefined;
  if (other !== undefined) return helpText(`${program} ${first}`, other, rest);
  if (family !== undefined) {
    const verb = Object.entries(await verbsOf(family.load())).find(([name]) => name === asked)?.[1];
    if (verb !== undefined) return verb.help.endsWith('\n') ? verb.help : `${verb.help}\n`;
    if (family.serveWords.includes(asked)) return commandHelp('mcp', program);
    const deeper = (await verbRows(family)).filter(([name]) => name?.startsWith(`${asked} `));
    if (deeper.length > 0) return groupHelp(program, asked, deeper);
  }
  const known = family === undefined ? builtIns.map(({ name }) => name) : (await verbRows(family)).map(([name = '']) => name);
  const near = suggestion(asked, [...Object.keys(commandSummaries), ...known]);
  throw new UsageError(`there is no help for ${JSON.stringify(asked.slice(0, 80))}${near}`, { help: `${program} --help` });
}

const listed = (rows: readonly (readonly string[])[]): string => formatTable(rows.map(([name = '', summary = '']) => [`  ${name}`, summary]));

const commandRows = Object.entries(commandSummaries);

/** The verbs of a family with their lines, those that serve among them. */
async function verbRows({ load, serveWords }: FamilyEntry): Promise<readonly (readonly string[])[]> {
  const verbs = Object.entries(await verbsOf(load())).map(([name, verb]) => [name, verb.summary]);
  return [...verbs, ...serveWords.map((words) => [words, 'the same as mcp'])];
}

function groupHelp(program: string, group: string, rows: readonly (readonly string[])[]): string {
  return `Usage: ${program} ${group} <command> [flags]

Commands:
${listed(rows)}
  --help  behind a command, its own text

Example:
  ${program} ${rows[0]?.[0]} --help
`;
}

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

async function familyHelp(program: string, builtIn: FamilyEntry): Promise<string> {
  const family = builtIn.load();
  return `${program}: ${family.title ?? family.name} (toolwire ${version})

Usage: ${program} <command> [flags]
In a pipe, without a command, it serves its tools.

Commands:
${listed([...(await verbRows(builtIn)), ...commandRows])}
  --help     this text; behind a command, its own
  --version  print the version

Example:
  printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | ${program} mcp
`;
}
