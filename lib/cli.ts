import { stdoutClaim } from './cli/early-claim.ts';
import { noSuchFamily, builtIns, findBuiltIn, isFamilyName, type FamilyEntry } from './cli/families.ts';
import { loadPlugins } from './cli/open-server.ts';
import { Output } from './cli/output.ts';
import { serve, serveFlags, strayLimitMs } from './cli/serve-command.ts';
import { guardServer } from './cli/server-guard.ts';
import { isReaderGone } from './mcp/reader-gone.ts';
import { exitCodes } from './terminal/exit-codes.ts';
import { parseFlags, takeFlag } from './terminal/flags.ts';
import { suggestion } from './terminal/nearest.ts';
import { isUsageError, UsageError } from './terminal/usage-error.ts';
import { safeText } from './text/safe-text.ts';
import { version } from './version.ts';

// What a server needs is imported here, the other commands when they are asked for: a host waits for the first answer, and
// each module costs it time.

/** `family` fixes the family, as the bins named after one do. */
export type MainOptions = { readonly family?: string };

/** How a command is run: `output` is the way to the real stdout, `family` the one that is fixed. */
type Run = { readonly output: Output; readonly program: string; readonly family: FamilyEntry | undefined };

/** Commands that are there with and without a family in front of them. */
const commands = ['mcp', 'tools', 'call', 'doctor', 'install'];

/**
 * Runs one command line and sets process.exitCode: 0 done, 1 refused or failed, 2 wrong usage, 130 or 143 after a signal. Resolves when the
 * command is over and stdout has taken all of it; it ends the process itself only where stray handles of tools would
 * keep it alive. The claim on stdout is never released: what a plugin still prints then must not get there either.
 */
export async function main(argv: readonly string[], { family }: MainOptions = {}): Promise<void> {
  const program = family ?? 'toolwire';
  const output = new Output(stdoutClaim);
  // A promise alone does not keep a process: a tool that never settles would end it as if all were done.
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    const code = await runProgram(argv, { output, program, family: family === undefined ? undefined : findBuiltIn(family) });
    process.exitCode ??= code;
  } catch (error) {
    // What a signal broke off is no failure to tell of; its exit code is set already.
    if (!isInterrupted()) process.exitCode = report(error, program);
  }
  const failure = await output.flushed();
  // `toolwire tools | head -1`: a reader that has seen enough changes nothing.
  if (failure !== undefined && !isReaderGone(failure)) process.exitCode = report(failure, program, 'writing the output failed: ');
  clearInterval(alive);
  // Unreferenced: it only ever fires where a timer or socket that a tool left behind keeps the process alive.
  setTimeout(() => process.exit(), strayLimitMs).unref();
}

async function runProgram(argv: readonly string[], run: Run): Promise<number> {
  const [first, ...rest] = argv;
  if (first === 'version') return runBare(['--version'], run);
  if (first === 'help') return showHelp(run, rest);
  if (first === undefined || first.startsWith('-')) return runBare(argv, run);
  if (run.family !== undefined) return runFamily(run.family, argv, run);
  const family = findBuiltIn(first) ?? (commands.includes(first) ? undefined : await findPlugged(first, rest));
  if (family !== undefined) return runFamily(family, rest, { ...run, program: `${run.program} ${first}` });
  if (commands.includes(first)) return runCommand(first, rest, run);
  const present = builtIns.map((each) => each.name);
  if (isFamilyName(first)) throw noSuchFamily(first, present, `${run.program} --help`);
  throw new UsageError(`unknown command ${JSON.stringify(first.slice(0, 80))}${suggestion(first, [...commands, ...present])}`, { help: `${run.program} --help` });
}

/** A plugin's family is called like a built-in one where its plugin is named: `toolwire mine status --plugin ./mine.js`. */
async function findPlugged(name: string, words: readonly string[]): Promise<FamilyEntry | undefined> {
  const { values: plugins, rest } = takeFlag(words, 'plugin');
  if (rest[0] === undefined || rest[0] === 'mcp' || rest[0].startsWith('-')) guardServer(name);
  const family = plugins.length === 0 ? undefined : (await loadPlugins(plugins)).find((each) => each.name === name);
  return family && { name, plugged: true, serveWords: [], load: () => family };
}

/** Without a verb: a host that starts the bare program gets a server, a person gets the help. */
async function runBare(words: readonly string[], run: Run): Promise<number> {
  const { flags, rest } = parseFlags(words, { ...serveFlags, version: 'switch' }, `${run.program} --help`);
  if (flags.version === true) return print(run, run.family?.version === undefined ? `${version}\n` : `${run.family.name} ${run.family.version} (toolwire ${version})\n`);
  if (flags.help === true) return showHelp(run, []);
  if (rest.length > 0) throw new UsageError(`put the command first: ${run.program} ${rest[0]} …`, { help: `${run.program} --help` });
  if (process.stdin.isTTY === true) return showHelp(run, []);
  return runMcp(words, run);
}

async function runFamily(family: FamilyEntry, words: readonly string[], run: Run): Promise<number> {
  const within = { ...run, family };
  const [first, second] = words;
  if (first === undefined || first.startsWith('-')) return runBare(words, within);
  if (first === 'help') return showHelp(within, words.slice(1));
  if (family.serveWords.includes(`${first} ${second}`)) return runMcp(words.slice(2), within);
  if (commands.includes(first)) return runCommand(first, words.slice(1), within);
  const { processTerminal, runVerb } = await import('./cli/commands.ts');
  const verbWords = family.plugged === true ? takeFlag(words, 'plugin').rest : words;
  return runVerb(family, verbWords, run.program, processTerminal(run.output));
}

async function runCommand(command: string, words: readonly string[], run: Run): Promise<number> {
  if (command === 'mcp') return runMcp(words, run);
  const { runOther } = await import('./cli/commands.ts');
  return runOther(command, words, { output: run.output, program: run.program, family: run.family?.name });
}

async function runMcp(words: readonly string[], run: Run): Promise<number> {
  const help = `${run.program} mcp --help`;
  const { flags, rest } = parseFlags(words, serveFlags, help);
  if (flags.help === true) return showHelp(run, ['mcp']);
  if (run.family === undefined) return serve({ name: 'toolwire', families: rest, flags, help });
  if (rest.length > 0) throw new UsageError(`${help.replace(' --help', '')} takes no names, it serves ${run.family.name} alone`, { help });
  return serve({ name: run.family.name, families: [run.family.name], flags, help });
}

async function showHelp(run: Run, words: readonly string[]): Promise<number> {
  const asked = takeFlag(words, 'plugin').rest.filter((word) => word !== '--help' && word !== '-h');
  const [name, ...rest] = asked;
  const { helpText } = await import('./cli/commands.ts');
  const plugged = run.family === undefined && name !== undefined ? await findPlugged(name, words) : undefined;
  const text = await (plugged === undefined ? helpText(run.program, run.family, asked) : helpText(`${run.program} ${name}`, plugged, rest));
  return print(run, text);
}

/** Whether the first SIGINT or SIGTERM has come to a command, which sets its exit code. */
const isInterrupted = (): boolean => process.exitCode === exitCodes.interrupted || process.exitCode === exitCodes.terminated;

function print(run: Run, text: string): number {
  run.output.write(text);
  return exitCodes.done;
}

/** Says on stderr what went wrong; returns the exit code. */
function report(error: unknown, program: string, before = ''): number {
  const message = error instanceof Error ? error.message : String(error);
  // It may quote a plugin's or a file's text: it must stay one line and not drive the terminal.
  process.stderr.write(`${program}: ${before}${safeText(message.replace(/\s+/g, ' '), 2_000)}\n`);
  if (!isUsageError(error)) return exitCodes.refused;
  if (error.help !== undefined) process.stderr.write(`Try: ${error.help}\n`);
  return exitCodes.usage;
}
