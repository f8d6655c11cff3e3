import { realpathSync } from 'node:fs';
import path from 'node:path';
import { systemReason } from '../../../../text/system-error.ts';
import { readBundleFolder } from '../bundle/folder.ts';
import { signerToken } from '../bundle/signature.ts';
import type { Home } from '../home/home.ts';
import { wordsOf } from '../identity/words.ts';
import { Refused } from '../refused.ts';
import { renderFrame, summaryLines } from '../render/frame.ts';
import { loadSendRoots, realFolder, realOf, rootHolding, type SendRoots } from '../roots/send-roots.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { judgeContext } from '../verdict/context.ts';
import type { JudgeContext } from '../verdict/context.ts';
import { judgeBundle } from '../verdict/judge.ts';
import type { Judged, Row, SeenBefore } from '../verdict/verdict.types.ts';
import { readCopies } from './read-copy.ts';
import { inspectAnew, seenBefore } from './seen.ts';

/** Which bundle: one of the inbox by its whole id, or a folder, relative ones from the working folder. */
export type Which = { readonly id: string } | { readonly dir: string };

/** `anywhere` takes folders outside of the send roots, for a person at a terminal. */
export type OpenOptions = { readonly anywhere?: boolean };

/**
 * The verdict on a bundle, its summary for a question, and the bundle as it may be shown, all from bytes that were read once; `reveal`
 * shows a withheld payload, for a person at a terminal who was asked.
 */
export type Opened = { readonly row: Row; readonly summary: readonly string[]; readonly render: (options?: { readonly reveal?: boolean }) => string };

/**
 * Judges one bundle. Nothing is accepted or changed by it. A bad verdict is an answer; Refused is thrown
 * without an identity, for an unknown id, and for a folder that is not there or may not be read from here.
 */
export async function openBundle(home: Home, which: Which, { anywhere = false }: OpenOptions, surroundings: Surroundings): Promise<Opened> {
  const context = judgeContext(home, surroundings);
  const judged = 'id' in which
    ? readCopies(home, which.id, context)[0].judged
    : judgeFolder(home, { dir: which.dir, anywhere }, context, surroundings);
  const row: Row = { ...judged.row, words: await strangersWords(judged) };
  const shown = { ...judged, row };
  return { row, summary: summaryLines(shown), render: ({ reveal = false } = {}) => renderFrame(shown, { random: surroundings.random, reveal }) };
}

type Folder = { readonly dir: string; readonly anywhere: boolean };

function judgeFolder(home: Home, { dir, anywhere }: Folder, context: JudgeContext, surroundings: Surroundings): Judged {
  const real = anywhere
    ? folderAnywhere(dir, surroundings.cwd)
    : realFolder(dir, surroundings.cwd, {
      roots: () => loadSendRoots(home, surroundings),
      also: [home.path('inbox'), home.path('outbox')],
      outside: (roots) => howToRead(roots, surroundings.cwd),
    });
  const seen = (id: string): SeenBefore | undefined => seenBefore(home, id, { except: real, inspect: inspectAnew });
  return judgeBundle(readBundleFolder(real), context, { state: 'directory', seenBefore: seen });
}

/** To open one bundle is no reason to let all that lies around it be sent, so that no send root is advised. */
function howToRead(roots: SendRoots, cwd: string): string {
  const place = rootHolding(roots, realOf(cwd)) !== undefined ? 'the working folder' : roots.folders.length > 0 ? 'one of the send roots' : undefined;
  const copy = place === undefined ? '' : `copy the folder of the bundle into ${place}, or `;
  return `a tool reads bundles of the inbox, the outbox and the send roots alone; ${copy}ask a person to look at it with gage open DIR at a terminal`;
}

/** The real path of a folder that a person at a terminal names, wherever it is. Throws Refused where nothing is there. */
export function folderAnywhere(dir: string, cwd: string): string {
  try {
    return realpathSync(path.resolve(cwd, dir));
  } catch (error) {
    throw new Refused(`the folder of the bundle can not be read: ${systemReason(error)}; check the path`, { cause: error });
  }
}

/** The words cost 40 ms, and help only with a key whose words nobody has compared. */
async function strangersWords({ row, manifest }: Judged): Promise<string | null> {
  if (manifest === undefined || !row.attributable || row.on_your_list) return null;
  return (await wordsOf(signerToken(manifest))).words;
}
