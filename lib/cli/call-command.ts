import { Buffer } from 'node:buffer';
import type { CliContext } from '../mcp/family.types.ts';
import type { ContentBlock } from '../mcp/protocol.types.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { createProgress } from '../terminal/progress.ts';
import { toJsonLine } from '../text/json-line.ts';
import { safeText } from '../text/safe-text.ts';
import type { Flags } from '../terminal/flags.ts';
import { suggestion } from '../terminal/nearest.ts';
import { closeInTime, openServer } from './open-server.ts';
import { listTools } from './tools-command.ts';
import { UsageError } from '../terminal/usage-error.ts';

/** The flags of `toolwire call`. */
export const callFlags = { json: 'switch', plugin: 'values' } as const;

type Result = { readonly content: readonly ContentBlock[]; readonly isError?: boolean };
type Answer = { readonly result?: Result; readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } };

/**
 * `toolwire call TOOL ARGUMENTS`: one call, its text on stdout as it is, or with --json the raw result object.
 * Returns 1 where the tool says no (its text on stderr) or the call fails.
 */
export async function callTool(
  words: readonly string[],
  families: readonly string[],
  flags: Flags<typeof callFlags>,
  terminal: CliContext,
  help: string,
): Promise<number> {
  const [tool, json = '{}', extra] = words;
  if (tool === undefined) throw new UsageError('call needs the name of a tool', { help });
  if (extra !== undefined) throw new UsageError('call takes a tool and one JSON object: quote it for the shell', { help });
  const args = readArguments(json === '-' ? Buffer.from(await terminal.stdin.read()).toString('utf8') : json, help);
  const server = await openServer('toolwire', families, flags.plugin ?? []);
  const progress = createProgress({ stream: terminal.stderr, label: tool });
  const answer = await new Promise<Answer>((resolve) => {
    const session = server.connect({
      send: (line) => {
        const message = JSON.parse(line) as Answer & { readonly id?: unknown; readonly params?: { progress?: number; message?: string } };
        if (message.id !== undefined) resolve(message);
        else if (message.params?.progress !== undefined) progress.update(message.params.progress, message.params.message);
      },
    });
    terminal.signal.addEventListener('abort', () => session.close());
    const params = { name: tool, arguments: args, _meta: { progressToken: 'call' } };
    session.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  });
  progress.end();
  // Whoever stops it needs no word about it.
  const stopped = terminal.signal.aborted;
  const known = !stopped && isUnknownTool(answer, tool) ? (await listTools(server)).map((each) => each.name) : undefined;
  const code = stopped ? exitCodes.interrupted : known === undefined ? show(answer, flags.json === true, terminal) : undefined;
  await closeInTime(server);
  if (code !== undefined) return code;
  throw new UsageError(`there is no tool ${JSON.stringify(tool.slice(0, 80))}${suggestion(tool, known ?? [])}`, { help: help.replace(/ call --help$/, ' tools') });
}

function readArguments(json: string, help: string): object {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new UsageError(`the arguments are no JSON: ${(error as Error).message}`, { help, cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UsageError('the arguments must be a JSON object', { help });
  return value;
}

function isUnknownTool({ error }: Answer, tool: string): boolean {
  return error?.code === -32601 && (error.data as { name?: unknown } | undefined)?.name === tool.slice(0, 128);
}

function show({ result, error }: Answer, json: boolean, terminal: CliContext): number {
  if (result === undefined) {
    terminal.stderr.write(`${safeText(`error ${error?.code}: ${error?.message}`, 4_000)}\n`);
    return 1;
  }
  const text = result.content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join('\n');
  if (json) terminal.stdout.write(toJsonLine(result));
  else writeText(result.isError === true ? terminal.stderr : terminal.stdout, text);
  return result.isError === true ? 1 : 0;
}

// A pipe gets the text to the byte; a terminal must not be driven by it.
function writeText(stream: CliContext['stdout'], text: string): void {
  const shown = stream.isTTY ? safeText(text, Infinity, { keep: '\n\t' }) : text;
  stream.write(shown.endsWith('\n') ? shown : `${shown}\n`);
}
