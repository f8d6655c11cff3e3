/** The commands that do not serve, as one module: `lib/cli.ts` loads it for them alone, a server does without. */
export { helpText } from './help.ts';
export { processTerminal } from './terminal.ts';
export { runVerb } from './verb-command.ts';
import { callFlags, callTool } from './call-command.ts';
import { doctor, doctorFlags } from './doctor-command.ts';
import { commandHelp } from './help-texts.ts';
import { install, installFlags } from './install-command.ts';
import type { Output } from './output.ts';
import { parseFlags } from '../terminal/flags.ts';
import { processTerminal } from './terminal.ts';
import { showTools, toolsFlags } from './tools-command.ts';

/** Where a command was written: with a fixed family or none, and under which program words. */
export type OtherRun = { readonly output: Output; readonly program: string; readonly family: string | undefined };

/** Runs one of the commands that do not serve: tools, call, doctor, install. */
export async function runOther(command: string, words: readonly string[], run: OtherRun): Promise<number> {
  const terminal = processTerminal(run.output);
  const help = `${run.program} ${command} --help`;
  const named = run.family === undefined ? [] : [run.family];
  const shown = (flags: { help?: true }): boolean => {
    if (flags.help === true) terminal.stdout.write(commandHelp(command, run.program));
    return flags.help === true;
  };
  switch (command) {
    case 'tools': {
      const { flags, rest } = parseFlags(words, toolsFlags, help);
      return shown(flags) ? 0 : showTools([...named, ...rest], flags, terminal);
    }
    case 'call': {
      const { flags, rest } = parseFlags(words, callFlags, help);
      return shown(flags) ? 0 : callTool(rest, named, flags, terminal, help);
    }
    case 'doctor': {
      const { flags, rest } = parseFlags(words, doctorFlags, help);
      return shown(flags) ? 0 : doctor([...named, ...rest], flags, terminal, run.program);
    }
    default: {
      const { flags, rest } = parseFlags(words, installFlags, help);
      return shown(flags) ? 0 : install(rest, run.family, flags, terminal, help);
    }
  }
}
