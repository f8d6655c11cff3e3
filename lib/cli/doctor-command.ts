import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Check, CliContext } from '../mcp/family.types.ts';
import { createColours } from '../terminal/colour.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { formatTable } from '../terminal/table.ts';
import { toJsonLine } from '../text/json-line.ts';
import { version } from '../version.ts';
import { builtIns, findBuiltIn, noSuchFamily } from './families.ts';
import type { Flags } from '../terminal/flags.ts';
import { hosts, isOurs, missingLauncher, type Host } from './hosts.ts';
import { parseJsonc } from './jsonc.ts';
import { openServer } from './open-server.ts';
import { listTools } from './tools-command.ts';

/** The flags of `toolwire doctor`. */
export const doctorFlags = { json: 'switch' } as const;

/** `toolwire doctor`: what is configured and what is missing. Returns 1 where something is broken. */
export async function doctor(names: readonly string[], flags: Flags<typeof doctorFlags>, terminal: CliContext, program = 'toolwire'): Promise<number> {
  const present = builtIns.map((family) => family.name);
  const unknown = names.find((name) => !present.includes(name));
  if (unknown !== undefined) throw noSuchFamily(unknown, present);
  const families = names.length === 0 ? present : names;
  const checks: Check[] = [
    { state: 'ok', subject: 'toolwire', detail: version },
    checkNode(process.versions.node),
    await checkGit(),
    ...(await Promise.all(families.map((name) => checkFamily(name, terminal)))).flat(),
    ...hosts.map((host) => checkHost(host, terminal, program)),
  ];
  const broken = checks.some((check) => check.state === 'broken');
  if (flags.json === true) {
    terminal.stdout.write(toJsonLine({ ok: !broken, checks }, 2));
  } else {
    const { green, yellow, red } = createColours(terminal.stdout, terminal.env);
    const paints = { ok: green, missing: yellow, broken: red };
    const rows = checks.map(({ state, subject, detail }) => [{ text: state, paint: paints[state] }, subject, detail]);
    terminal.stdout.write(formatTable(rows, { width: terminal.stdout.columns }));
  }
  return broken ? exitCodes.refused : exitCodes.done;
}

/** Node 20 is the oldest version that is tested. */
export function checkNode(node: string): Check {
  const good = Number.parseInt(node, 10) >= 20;
  return { state: good ? 'ok' : 'broken', subject: 'node', detail: good ? node : `${node}, but 20 or newer is needed` };
}

async function checkGit(): Promise<Check> {
  // Loaded here: the other commands share this file and can do without.
  const { execFileSync } = await import('node:child_process');
  try {
    return { state: 'ok', subject: 'git', detail: execFileSync('git', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() };
  } catch {
    return { state: 'missing', subject: 'git', detail: 'not on PATH: ignored files of a repository can not be told apart' };
  }
}

async function checkFamily(name: string, terminal: CliContext): Promise<readonly Check[]> {
  const subject = `family ${name}`;
  try {
    const server = await openServer(name, [name], []);
    const tools = await listTools(server);
    await server.close();
    const { cli } = findBuiltIn(name)?.load() ?? {};
    const own = typeof cli === 'function' ? await cli() : cli;
    return [{ state: 'ok', subject, detail: `${tools.length} tools` }, ...((await own?.doctor?.(terminal)) ?? [])];
  } catch (error) {
    return [{ state: 'broken', subject, detail: (error as Error).message }];
  }
}

function checkHost(host: Host, { cwd, env }: CliContext, program: string): Check {
  const subject = host.title;
  const files = [path.join(cwd, host.file), path.join(env['HOME'] ?? env['USERPROFILE'] ?? cwd, host.name === 'claude' ? '.claude.json' : host.file)];
  for (const file of files) {
    const found = serversIn(file, host);
    if (typeof found === 'string') return { state: 'broken', subject, detail: `${file} ${found}` };
    const [lost] = found.filter(({ missing }) => missing !== undefined);
    if (lost !== undefined) {
      return { state: 'broken', subject, detail: `${lost.name} starts ${lost.missing}, which is not there any more: ${program} install ${host.name} --force (${file})` };
    }
    if (found.length > 0) return { state: 'ok', subject, detail: `starts ${found.map(({ name }) => name).join(', ')} (${file})` };
  }
  return { state: 'missing', subject, detail: `not configured: ${program} install ${host.name}` };
}

type OwnServer = { readonly name: string; readonly missing: string | undefined };

/** Our entries in a host's file; or what is wrong with the file. */
function serversIn(file: string, host: Host): readonly OwnServer[] | string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  try {
    const config = (host.comments ? parseJsonc(text).value : JSON.parse(text)) as Record<string, unknown> | null;
    const launcher = realpathSync(process.argv[1] as string);
    const servers = Object.entries((config?.[host.member] ?? {}) as Record<string, unknown>);
    return servers.filter(([, entry]) => isOurs(entry, launcher)).map(([name, entry]) => ({ name, missing: missingLauncher(entry) }));
  } catch (error) {
    return host.comments ? `can not be read: ${(error as Error).message}` : 'is no plain JSON';
  }
}
