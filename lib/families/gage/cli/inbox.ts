import type { CliContext } from '../../../mcp/family.types.ts';
import { createColours } from '../../../terminal/colour.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { formatTable } from '../../../terminal/table.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { safeText } from '../../../text/safe-text.ts';
import { openHome } from '../domain/home/home.ts';
import type { Home } from '../domain/home/home.ts';
import { loadIdentity } from '../domain/identity/identity-file.ts';
import { listInbox } from '../domain/inbox/inbox.ts';
import { listQuarantine } from '../domain/inbox/quarantine.ts';
import { quotedName, quoteSafe } from '../domain/render/escape.ts';
import type { InboxRow } from '../domain/verdict/verdict.types.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gage inbox --help';
const SHOWN_DIGITS = 12;

/** `gage inbox`: what has come, with verdicts, or the messages in quarantine. Returns the exit code; wrong usage throws a UsageError. */
export async function runInbox(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { all: 'switch', quarantine: 'switch', json: 'switch' }, help);
  if (rest.length > 0) throw new UsageError('inbox takes no words', { help });
  if (flags.all === true && flags.quarantine === true) throw new UsageError('--all and --quarantine exclude each other', { help });
  try {
    const home = openHome(terminal.env);
    if (flags.quarantine === true) return showQuarantine(home, terminal, flags.json === true);
    const inbox = await listInbox(home, { all: flags.all === true }, surroundingsOf(terminal));
    if (flags.json === true) terminal.stdout.write(toJsonLine(inbox));
    else showTable(['id', 'verdict', 'from', 'items', 'received', 'subject'], inbox.bundles.map(cellsOf), terminal);
    if (flags.json !== true && inbox.truncated) terminal.stderr.write(`gage: the newest ${inbox.bundles.length} of ${inbox.total} are shown\n`);
    if (inbox.total === 0) terminal.stderr.write('gage: nothing waits\n');
    return gageExit.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}

/** The sender's own text is quoted and stands last, so that it can not pass for a cell of ours. */
function cellsOf({ id, folder, label, from_name, from_label, subject, subject_truncated, item_count, received_at, state, seen_before }: InboxRow): string[] {
  const from = from_name !== null ? quotedName(from_name) : (from_label === null ? 'unknown' : `key ${from_label}`);
  const notes = [...(state === 'accepted' ? ['accepted'] : []), ...(seen_before === null ? [] : [`seen: ${seen_before}`])];
  const verdict = notes.length === 0 ? label : `${label} (${notes.join(', ')})`;
  const name = folder === null ? '-' : quoteSafe({ text: folder, truncated: false });
  const quoted = subject === null ? '-' : quoteSafe({ text: subject, truncated: subject_truncated });
  return [id?.slice(0, SHOWN_DIGITS) ?? name, verdict, from, String(item_count ?? '-'), received_at ?? '-', quoted];
}

function showQuarantine(home: Home, terminal: CliContext, json: boolean): number {
  loadIdentity(home);
  const messages = listQuarantine(home);
  if (json) terminal.stdout.write(toJsonLine({ messages, total: messages.length }));
  else showTable(['at', 'message', 'reason', 'file'], messages.map(({ at, message_id, reason, file }) => [at, message_id.slice(0, SHOWN_DIGITS), reason ?? '-', file]), terminal);
  const folder = safeText(home.path('inbox', 'quarantine'), 2_000);
  terminal.stderr.write(messages.length === 0
    ? 'gage: the quarantine is empty\n'
    : `gage: these are sealed messages that no command opens: a sender that you know of can send again. They lie in ${folder}, where you may delete them; the newest 16 are kept.\n`);
  return gageExit.done;
}

function showTable(head: readonly string[], rows: readonly (readonly string[])[], { stdout, env }: CliContext): void {
  if (rows.length > 0) stdout.write(formatTable(rows, { head, paintHead: createColours(stdout, env).bold, width: stdout.columns }));
}
