import type { CliContext } from '../../../mcp/family.types.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { toJsonLine } from '../../../text/json-line.ts';
import { safeText } from '../../../text/safe-text.ts';
import { openHome } from '../domain/home/home.ts';
import { loadIdentity } from '../domain/identity/identity-file.ts';
import { checkPush, pushReady } from '../domain/send/push.ts';
import { lastPush } from '../domain/send/push-note.ts';
import { quotedName } from '../domain/render/escape.ts';
import { gageExit } from './exit-codes.ts';
import { reportFailure } from './failed.ts';
import { surroundingsOf } from './surroundings.ts';
import { whichBuilt } from './which.ts';

const help = 'gage push --help';

/** `gage push`: sends a built bundle through the relay, once a person says yes. Returns the exit code; wrong usage throws a UsageError. */
export async function runPush(words: readonly string[], terminal: CliContext): Promise<number> {
  const { flags, rest } = parseFlags(words, { yes: 'switch', json: 'switch' }, help);
  const [to, what, extra] = rest;
  if (to === undefined || to === '' || what === undefined || what === '' || extra !== undefined) throw new UsageError('push takes a buddy and a bundle: gage push TO DIR|ID', { help });
  const surroundings = surroundingsOf(terminal);
  try {
    const home = openHome(terminal.env);
    // Without an identity, and with settings that can not be used, that is what has to be said.
    loadIdentity(home);
    const ready = checkPush({ to, dir: whichBuilt(what, home, terminal.cwd), confirm: true }, surroundings, { anywhere: true });
    warn(ready.warnings, terminal);
    const { id, summary, warnings } = ready;
    const before = lastPush(home, id);
    const send = before === undefined ? 'Send it?' : `It was pushed already, at ${before.at} through ${before.relay}.\nSend it once more?`;
    const question = `${summary.join('\n')}\n${send} It can not be taken back.`;
    if (flags.yes !== true && !(await terminal.prompt.askYesNo(question, { flag: '--yes' }))) {
      terminal.stderr.write('gage: nothing was sent\n');
      return gageExit.refused;
    }
    const pushed = await pushReady(ready, surroundings, terminal.signal);
    warn(pushed.warnings.slice(warnings.length), terminal);
    terminal.stdout.write(flags.json === true ? toJsonLine(pushed) : `pushed ${pushed.id} to ${quotedName(pushed.to_name)} through ${pushed.relay}, ${pushed.sealed_bytes} bytes\n`);
    return gageExit.done;
  } catch (error) {
    return reportFailure(error, terminal, help);
  }
}

function warn(warnings: readonly string[], { stderr }: CliContext): void {
  for (const warning of warnings) stderr.write(`gage: warning: ${safeText(warning, 2_000)}\n`);
}
