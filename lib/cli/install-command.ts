import { readFileSync } from 'node:fs';
import path from 'node:path';
import { systemReason } from '../text/system-error.ts';
import type { CliContext } from '../mcp/family.types.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import type { Flags } from '../terminal/flags.ts';
import { entryFor, hosts, isOurs, missingLauncher, type Host } from './hosts.ts';
import { insertMember, replaceValue, type JsonObject } from './json-edit.ts';
import { parseJsonc, skipTrivia, type JsonMember, type JsonNode } from './jsonc.ts';
import { launcherOf } from '../terminal/launcher.ts';
import { suggestion } from '../terminal/nearest.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { toJsonLine } from '../text/json-line.ts';
import { safeText } from '../text/safe-text.ts';

/** The flags of `toolwire install`. */
export const installFlags = { print: 'switch', force: 'switch' } as const;

/**
 * `toolwire install HOST`: adds the server to the host's configuration of the working folder, or prints the entry.
 * Refuses, with nothing written but the entry printed, a file that it can't read, an entry of our name that starts something
 * else, and without --force one of ours that is set differently.
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
  const { script: launcher, words: first } = launcherOf(family);
  const entry = entryFor(host, launcher, [...first, 'mcp']);
  const alone = toJsonLine({ [host.member]: { [server]: entry } }, 2);
  if (flags.print === true) {
    terminal.stdout.write(alone);
    return exitCodes.done;
  }
  const file = path.join(terminal.cwd, host.file);
  const before = readText(file);
  if (typeof before === 'object') return refuse(host, before.refused, alone, terminal);
  const after = before === undefined ? undefined : mergeEntry(before, host, server, entry, { launcher, force: flags.force === true });
  if (after !== undefined && 'refused' in after) return refuse(host, after.refused, alone, terminal);
  if (after?.text === before && before !== undefined) {
    terminal.stdout.write(`${host.file} has the server already\n`);
    return exitCodes.done;
  }
  const { writeFileAtomic } = await import('../store/atomic-write.ts');
  const { makeFolders } = await import('../store/make-folders.ts');
  try {
    makeFolders(path.dirname(file));
    await writeFileAtomic(file, after?.text ?? alone);
  } catch (error) {
    return refuse(host, `it can not be written: ${systemReason(error, onTheWay)}`, alone, terminal);
  }
  terminal.stdout.write(`${host.file}: ${host.title} starts ${server} from now on (restart it to see the tools)\n`);
  return exitCodes.done;
}

function refuse(host: Host, reason: string, alone: string, terminal: CliContext): number {
  terminal.stderr.write(`${host.file}: ${safeText(reason, 1_000)}; nothing was written. What it needs:\n`);
  terminal.stdout.write(alone);
  return exitCodes.refused;
}

/** Words for what fails on the way to a file whose folders are made. */
const onTheWay = { ENOENT: 'its folder can not be made', ENOTDIR: 'a file stands where its folder should be', EEXIST: 'a file stands where its folder should be' };

/** `launcher` is the running program; `force` replaces an entry of ours that is set differently. */
export type MergeOptions = { readonly launcher?: string; readonly force?: boolean };

/**
 * The configuration text with the entry added, all else as it was; the same text where it is there already. An entry of
 * ours that differs is replaced with `force` alone: it may be somebody's own choice of flags.
 */
export function mergeEntry(
  text: string,
  host: Host,
  server: string,
  entry: object,
  { launcher, force = false }: MergeOptions = {},
): { readonly text: string } | { readonly refused: string } {
  const whole = `${JSON.stringify({ [host.member]: { [server]: entry } }, null, 2)}\n`;
  if (text.trim() === '') return { text: whole };
  if (host.comments && holdsCommentsAlone(text)) return { text: `${text}${text.endsWith('\n') ? '' : '\n'}${whole}` };
  const root = parseConfig(text, host);
  if (typeof root === 'string') return { refused: root };
  if (!isObject(root)) return { refused: 'it holds no JSON object' };
  const servers = memberOf(root, host.member)?.node;
  if (servers === undefined) return { text: insertMember(text, root, root, host.member, { [server]: entry }) };
  if (!isObject(servers)) return { refused: `its ${host.member} is no object` };
  const old = memberOf(servers, server);
  if (old === undefined) return { text: insertMember(text, root, servers, server, entry) };
  const { value } = old.node;
  if (JSON.stringify(value) === JSON.stringify(entry)) return { text };
  if (!isOurs(value, launcher)) return { refused: `its entry ${server} starts something else` };
  const missing = missingLauncher(value);
  const reason = missing === undefined ? 'is set differently' : `starts ${missing}, which is not there any more`;
  if (!force) return { refused: `its entry ${server} ${reason} (--force replaces it)` };
  const replaced = replaceValue(text, root, old, entry);
  return replaced === undefined ? { refused: `its entry ${server} has comments, which would be lost` } : { text: replaced };
}

/** The root of a configuration, or why it can't be read. */
function parseConfig(text: string, host: Host): JsonNode | string {
  try {
    if (!host.comments) JSON.parse(text);
    return parseJsonc(text);
  } catch (error) {
    return host.comments ? `it can not be read: ${(error as Error).message}` : 'it is no plain JSON (comments?)';
  }
}

function holdsCommentsAlone(text: string): boolean {
  try {
    return skipTrivia(text, 0) === text.length;
  } catch {
    return false;
  }
}

const isObject = (node: JsonNode): node is JsonObject => node.members !== undefined;

/** The last member of this name, which is the one that readers of JSON take. */
const memberOf = (object: JsonObject, key: string): JsonMember | undefined => object.members.findLast((member) => member.key === key);

function readText(file: string): string | { readonly refused: string } | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    return { refused: `it can not be read: ${systemReason(error, onTheWay)}` };
  }
}
