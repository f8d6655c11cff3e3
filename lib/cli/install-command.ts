import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { CliContext } from '../mcp/family.types.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import type { Flags } from './flags.ts';
import { entryFor, hosts, isOurs, type Host } from './hosts.ts';
import { suggestion } from './nearest.ts';
import { UsageError } from './usage-error.ts';

/** The flags of `toolwire install`. */
export const installFlags = { print: 'switch' } as const;

/**
 * `toolwire install HOST`: adds the server to the host's configuration of the working folder, or prints the entry.
 * Refuses, with nothing written, a file that is no plain JSON and an entry of our name that starts something else.
 */
export async function install(
  words: readonly string[],
  family: string | undefined,
  flags: Flags<typeof installFlags>,
  terminal: CliContext,
  help: string,
): Promise<number> {
  const names = hosts.map((each) => each.name);
  const [name, extra] = words;
  const host = hosts.find((each) => each.name === name);
  if (host === undefined || extra !== undefined) {
    const near = name === undefined ? '' : suggestion(name, names);
    throw new UsageError(`install takes one host: ${names.join(', ')}${near}`, { help });
  }
  const server = family ?? 'toolwire';
  const entry = entryFor(host, realpathSync(process.argv[1] as string), launcherWords(family));
  if (flags.print === true) {
    terminal.stdout.write(`${JSON.stringify({ [host.member]: { [server]: entry } }, null, 2)}\n`);
    return exitCodes.done;
  }
  const file = path.join(terminal.cwd, host.file);
  const before = readText(file);
  const after = before === undefined ? undefined : mergeEntry(before, host, server, entry);
  if (after !== undefined && 'refused' in after) {
    terminal.stderr.write(`${host.file}: ${after.refused}; nothing was written. Try: --print\n`);
    return exitCodes.refused;
  }
  if (after?.text === before && before !== undefined) {
    terminal.stdout.write(`${host.file} has the server already\n`);
    return exitCodes.done;
  }
  mkdirSync(path.dirname(file), { recursive: true });
  const { writeFileAtomic } = await import('../store/atomic-write.ts');
  await writeFileAtomic(file, after?.text ?? `${JSON.stringify({ [host.member]: { [server]: entry } }, null, 2)}\n`);
  terminal.stdout.write(`${host.file}: ${host.title} starts ${server} from now on (restart it to see the tools)\n`);
  return exitCodes.done;
}

// The bin of a family has that family fixed already.
function launcherWords(family: string | undefined): readonly string[] {
  const own = family !== undefined && path.basename(process.argv[1] as string, '.js') === family;
  return own || family === undefined ? ['mcp'] : [family, 'mcp'];
}

/** The configuration text with the entry added or brought up to date; the same text where it is there already. */
export function mergeEntry(text: string, host: Host, server: string, entry: object): { readonly text: string } | { readonly refused: string } {
  let config: unknown;
  try {
    config = JSON.parse(text.trim() === '' ? '{}' : text);
  } catch {
    return { refused: 'it is no plain JSON (comments?)' };
  }
  if (!isRecord(config)) return { refused: 'it holds no JSON object' };
  const servers = Object.hasOwn(config, host.member) ? config[host.member] : {};
  if (!isRecord(servers)) return { refused: `its ${host.member} is no object` };
  const old = Object.hasOwn(servers, server) ? servers[server] : undefined;
  if (JSON.stringify(old) === JSON.stringify(entry)) return { text };
  if (old !== undefined && !isOurs(old)) return { refused: `its entry ${server} starts something else` };
  const indent = /^[{[]\r?\n([ \t]{1,8})/.exec(text)?.[1] ?? '  ';
  return { text: `${JSON.stringify({ ...config, [host.member]: { ...servers, [server]: entry } }, null, indent)}\n` };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw error;
  }
}
