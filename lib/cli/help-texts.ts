import { findBuiltIn } from './families.ts';

/** The commands, each with its line in the list. */
export const commandSummaries: Readonly<Record<string, string>> = {
  mcp: 'serve tools over stdin and stdout',
  tools: 'list the tools',
  call: 'run one tool and print its result',
  doctor: 'say what is configured and what is missing',
  install: 'put the server into the configuration of a host',
};

/** A call of the family that the program is fixed to. */
const callExampleOf = (program: string): string => findBuiltIn(program.split(' ').at(-1)!)?.callExample ?? `validate_file '{"file_path": "src/auth.py"}'`;

const texts: Readonly<Record<string, (program: string, names: string) => string>> = {
  mcp: (program, names) => `Usage: ${program} mcp${names} [flags]

Serves tools over stdin and stdout: the Model Context Protocol, one JSON-RPC message a line.${names === '' ? '' : '\nWithout a family it serves all of them.'}

  --ordered           answer in the order of the requests
  --drain SECONDS     how long running calls may go on after the end of input (default 5; none: as long as they take)
  --plugin PLUGIN     a file or package that exports a family or families; may be given again
  --trace FILE        append one JSON line a message to FILE, secrets masked
  --max-line-bytes N  longest line that is looked at (default 67108864)

Example:
  printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | ${program} mcp
`,
  tools: (program, names) => `Usage: ${program} tools${names} [--plugin PLUGIN] [--json]

Lists the tools: what each is called, whether it changes anything, and what it is for.

  --plugin PLUGIN  a file or package that exports a family or families; may be given again
  --json           print what tools/list answers

Example:
  ${program} tools --json
`,
  call: (program) => `Usage: ${program} call TOOL ['{"json": "object"}' | -] [--plugin PLUGIN] [--json]

Runs one tool and prints the text of its result. With - the arguments are read from standard input.

  --plugin PLUGIN  a file or package that exports a family or families; may be given again
  --json           print the whole result object

Exit codes: 0 done, 1 the tool refused or failed, 2 usage.

Example:
  ${program} call ${callExampleOf(program)}
`,
  doctor: (program, names) => `Usage: ${program} doctor${names} [--json]

Says what is configured and what is missing: the runtime, git, the families and what they need (an identity of gage, its relay
and lists), and the hosts of this folder and this home.

  --json  print the same as JSON

Exit codes: 0 nothing is broken, 1 something is.

Example:
  ${program} doctor
`,
  install: (program) => `Usage: ${program} install claude|cursor|vscode [--print] [--force]

Adds the server to the host's configuration of this folder (.mcp.json, .cursor/mcp.json or .vscode/mcp.json).
Everything else in that file stays as it is, to the byte.

  --print  print the entry, write nothing
  --force  replace an entry of toolwire that is set differently, or whose program is not there any more

Exit codes: 0 done, 1 nothing could be written (the entry is printed, to be added by hand), 2 usage.

Example:
  ${program} install claude --print
`,
};

/** The help of one command; `program` is what stands before it. */
export function commandHelp(command: string, program: string): string {
  const fixed = program !== 'toolwire';
  return (texts[command] as (typeof texts)[string])(program, fixed ? '' : ' [family…]');
}

/** Whether there is a help text of this command. */
export function hasHelp(command: string): boolean {
  return Object.hasOwn(texts, command);
}
