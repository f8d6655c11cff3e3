import path from 'node:path';
import type { CliContext } from '../../../mcp/family.types.ts';
import { createColours, type Colours } from '../../../terminal/colour.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { parseFlags } from '../../../terminal/flags.ts';
import { safeText } from '../../../text/safe-text.ts';
import { severities, type Finding } from '../domain/finding.types.ts';
import { repoRootOf } from '../domain/records/repo-root.ts';
import { scanRepository } from '../domain/repository/scan-repository.ts';
import { bySeverity, isOpen } from '../domain/report/summary.ts';
import type { Surroundings } from '../../../domain/surroundings.types.ts';
import { isToolFailed } from '../domain/tool-failed.ts';
import { foldersOf } from '../domain/watch/folders-of.ts';
import { watchFolders } from '../domain/watch/watch-folders.ts';
import { reportFailure } from './failed.ts';
import { onePath } from './one-path.ts';
import { describeFinding, severityOf } from './show-findings.ts';
import { surroundingsOf } from './surroundings.ts';

const help = 'gadriel code watch --help';

/** What a watch scans with; `target` is an absolute path. Specs hand in their own. */
type WatchScan = (target: string, surroundings: Surroundings, signal: AbortSignal) => Promise<readonly Finding[]>;

const scanTarget: WatchScan = async (target, surroundings, signal) => (await scanRepository({ path: target, signal }, surroundings)).findings;

/** `gadriel code watch`: scans, then again whenever a file changes, until it is interrupted. Returns the exit code. */
export async function runWatch(words: readonly string[], terminal: CliContext, scan: WatchScan = scanTarget): Promise<number> {
  const { flags, rest } = parseFlags(words, { severity: 'value' }, help);
  const folder = onePath(rest, 'code watch', help);
  const least = severities.indexOf(severityOf(flags.severity ?? 'low', help));
  const counts = (finding: Finding): boolean => isOpen(finding) && severities.indexOf(finding.severity) <= least;
  const surroundings = surroundingsOf(terminal);
  const { signal } = terminal;
  const watch = watchFolders(signal);
  try {
    const target = path.resolve(terminal.cwd, folder ?? '.');
    const colours = createColours(terminal.stdout, terminal.env);
    let before: readonly Finding[] | undefined;
    for (;;) {
      // Each time, as a repository that is gone ends the watch. Watched first, scanned then: what changes meanwhile is seen by the next scan.
      const root = await repoRootOf(target, terminal.cwd);
      watch.follow(await foldersOf(root, surroundings, signal));
      const after = await attempt(async () => (await scan(target, surroundings, signal)).filter(counts), terminal);
      if (after !== undefined) {
        terminal.stdout.write(before === undefined ? begin(target, after, colours) : describeChange(before, after, terminal.now(), colours));
        before = after;
      }
      await watch.changed();
    }
  } catch (error) {
    return signal.aborted ? exitCodes.done : reportFailure(error, terminal, help, folder);
  } finally {
    watch.close();
  }
}

/** A scan may fail while somebody edits .gadriel.toml: that is told, and the watch goes on. */
async function attempt(scan: () => Promise<readonly Finding[]>, { stderr }: CliContext): Promise<readonly Finding[] | undefined> {
  try {
    return await scan();
  } catch (error) {
    if (!isToolFailed(error)) throw error;
    stderr.write(`gadriel: ${safeText(error.message)}\n`);
    return undefined;
  }
}

function begin(target: string, findings: readonly Finding[], colours: Colours): string {
  const shown = findings.toSorted(bySeverity).map((finding) => `${describeFinding(finding, colours)}\n`);
  return `${shown.join('')}${colours.dim(`watching ${safeText(target)}: ${findings.length} open; end with Ctrl-C`)}\n`;
}

/** New findings whole, gone ones by a line, and the numbers. */
function describeChange(before: readonly Finding[], after: readonly Finding[], now: number, colours: Colours): string {
  const fresh = without(after, before);
  const gone = without(before, after);
  const lines = [
    ...fresh.toSorted(bySeverity).map((finding) => describeFinding(finding, colours)),
    ...gone.map(({ file, line, rule_id }) => colours.green(`gone: ${safeText(file)}:${line} ${safeText(rule_id)}`)),
    colours.dim(`${new Date(now).toTimeString().slice(0, 8)} ${fresh.length} new, ${gone.length} gone, ${after.length} open`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Findings whose id the others do not have; an id stays when lines move. */
function without(findings: readonly Finding[], others: readonly Finding[]): readonly Finding[] {
  const ids = new Set(others.map(({ finding_id, file }) => `${finding_id} ${file}`));
  return findings.filter(({ finding_id, file }) => !ids.has(`${finding_id} ${file}`));
}
