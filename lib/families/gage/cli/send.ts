import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { safeText } from '../../../text/safe-text.ts';
import { shellCommand } from '../../../text/shell-command.ts';
import { openHome } from '../domain/home/home.ts';
import { findsAt, type NamedPlace } from '../domain/send/named-places.ts';
import { send, type SecretKeeper, type Sent } from '../domain/send/send.ts';
import type { SecretFind } from '../domain/send/secret-check.ts';
import { isRefused } from '../domain/refused.ts';
import { quotedName } from '../domain/render/escape.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';
import { whichAnswered } from './which.ts';

const help = 'gage send --help';
/** So many places are named at once. */
const MAX_ADVISED = 5;
const table = {
  subject: 'value', type: 'value', file: 'values', prompt: 'values', decision: 'values', memory: 'values', dir: 'values', out: 'value',
  'reply-to': 'value', agent: 'value', model: 'value', expires: 'value', 'allow-secret': 'values', json: 'switch',
} as const;

/** `gage send`: builds a signed bundle; nothing leaves the machine. Returns the exit code; wrong usage throws a UsageError. */
export async function runSend(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, table, help);
  const [to, extra] = rest;
  if (to === undefined || extra !== undefined) throw new UsageError('send takes one buddy: gage send TO --file PATH', { help });
  const request = {
    to,
    subject: flags.subject, type: flags.type, out: flags.out, agent: flags.agent, model: flags.model,
    files: flags.file ?? [], prompts: flags.prompt ?? [], decisions: flags.decision ?? [], memories: flags.memory ?? [], dirs: flags.dir ?? [],
    expiresInDays: flags.expires === undefined ? undefined : daysOf(flags.expires),
  };
  const allowed = new Map((flags['allow-secret'] ?? []).map((given) => [given, namedPlace(given)]));
  let unused: Iterable<string> = allowed.keys();
  // Places that were not named, told only where all were looked at: what nobody may let through ends the search.
  let unnamed: readonly string[] = [];
  let looked = false;
  const secrets: SecretKeeper = {
    named(finds, fileOf) {
      looked = true;
      const at = new Map([...allowed].map(([given, place]) => [given, findsAt(place, finds, { cwd: terminal.cwd, fileOf })]));
      unused = [...at].filter(([, found]) => found.length === 0).map(([given]) => given);
      const named = new Set([...at.values()].flat());
      unnamed = [...new Set(finds.filter((find) => !named.has(find)).map(placeOf))];
      return named;
    },
    ask: (find) => terminal.prompt.askYesNo(questionOf(find), { flag: 'a terminal: a person has to answer this' }),
  };
  try {
    const given = flags['reply-to'];
    const replyTo = given === undefined ? undefined : whichAnswered(given, openHome(terminal.env));
    const sent = await send({ ...request, replyTo }, surroundingsOf(terminal), { namesFrom: 'cwd', secrets });
    warnOf(unused, terminal);
    terminal.stderr.write(advise(sent, flags.out === undefined ? sent.id.slice(0, 12) : sent.dir));
    terminal.stdout.write(flags.json === true ? toJsonLine(sent) : `${sent.id}\t${safeText(sent.dir)}\n`);
    return gageExit.done;
  } catch (error) {
    const code = reportFailure(error, terminal, help);
    if (looked && isRefused(error)) {
      warnOf(unused, terminal);
      const more = unnamed.slice(0, MAX_ADVISED);
      if (more.length > 0) terminal.stderr.write(`gage: what is no secret can be let through, at a terminal, with: ${more.map((place) => safeText(shellCommand('--allow-secret', place), 400)).join(' ')}\n`);
    }
    return code;
  }
}

/** FILE:LINE as --allow-secret takes it. */
const placeOf = ({ place, line }: SecretFind): string => `${place}:${line}`;

/** One yes is for all secrets of the rule in the line, so that it is asked for all. */
function questionOf(find: SecretFind): string {
  const [more, it] = find.more > 0 ? [`, and ${find.more} more of these in this line`, 'them'] : ['', 'it'];
  return `${safeText(placeOf(find), 200)} looks like a secret: ${find.title}, ${safeText(find.preview)}${more}. Send ${it} all the same?`;
}

function namedPlace(given: string): NamedPlace {
  const [, file, line] = /^(.+):([1-9]\d{0,14})$/s.exec(given) ?? [];
  if (file === undefined) throw new UsageError('--allow-secret takes FILE:LINE: the file, by any path or as the refusal has it, and the line', { help });
  return { file, line: Number(line) };
}

function warnOf(unused: Iterable<string>, { stderr }: CliContext): void {
  for (const place of unused) stderr.write(`gage: warning: --allow-secret ${safeText(place, 200)} was not needed: nothing that is refused was found there\n`);
}

function daysOf(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > 365) throw new UsageError('--expires takes a number of days from 1 to 365', { help });
  return days;
}

/** `bundle` is what gage push takes for it: digits for one in the outbox, else its folder. */
function advise({ warnings, items, total_bytes: bytes, to_name: to, delivered }: Sent, bundle: string): string {
  const name = quotedName(to);
  const next = delivered === 'local' ? `it lies in the folder of ${name} on this machine` : `nothing has left this machine; send it with: ${shellCommand('gage push', to, bundle)}`;
  const what = `a bundle for ${name}: ${items.length} ${items.length === 1 ? 'item' : 'items'}, ${bytes} bytes; ${next}`;
  return [...warnings.map((warning) => `warning: ${warning}`), what].map((line) => `gage: ${safeText(line, 2_000)}\n`).join('');
}
