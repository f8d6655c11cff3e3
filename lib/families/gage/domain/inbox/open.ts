import { realpathSync } from 'node:fs';
import path from 'node:path';
import { systemReason } from '../../../../text/system-error.ts';
import { readBundleFolder } from '../bundle/folder.ts';
import { signerToken } from '../bundle/signature.ts';
import type { Home } from '../home/home.ts';
import { wordsOf } from '../identity/words.ts';
import { Refused } from '../refused.ts';
import { renderFrame, summaryLines } from '../render/frame.ts';
import { loadSendRoots, realFolder } from '../roots/send-roots.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { judgeContext } from '../verdict/context.ts';
import type { JudgeContext } from '../verdict/context.ts';
import { judgeBundle } from '../verdict/judge.ts';
import type { Judged, Row, SeenBefore } from '../verdict/verdict.types.ts';
import { readCopies } from './read-copy.ts';
import { inspectAnew, seenBefore } from './seen.ts';

/** Which bundle: one of the inbox by its whole id, or a folder, relative ones from the working folder. */
export type Which = { readonly id: string } | { readonly dir: string };

/** `reveal` shows a withheld payload, `anywhere` takes folders outside of the send roots: both are for a person at a terminal. */
export type OpenOptions = { readonly reveal?: boolean; readonly anywhere?: boolean };

/** The verdict on a bundle, the bundle as it may be shown, and its summary for a question, all from bytes that were read once. */
export type Opened = { readonly row: Row; readonly text: string; readonly summary: readonly string[] };

/**
 * Judges one bundle and renders it. Nothing is accepted or changed by it. A bad verdict is an answer; Refused is thrown
 * without an identity, for an unknown id, and for a folder that is not there or may not be read from here.
 */
export async function openBundle(home: Home, which: Which, options: OpenOptions, surroundings: Surroundings): Promise<Opened> {
  const context = judgeContext(home, surroundings);
  const { reveal = false, anywhere = false } = options;
  const judged = 'id' in which
    ? readCopies(home, which.id, context)[0].judged
    : judgeFolder(home, { dir: which.dir, anywhere }, context, surroundings);
  const row: Row = { ...judged.row, words: await strangersWords(judged) };
  const shown = { ...judged, row };
  return { row, text: renderFrame(shown, { random: surroundings.random, reveal }), summary: summaryLines(shown) };
}

type Folder = { readonly dir: string; readonly anywhere: boolean };

function judgeFolder(home: Home, { dir, anywhere }: Folder, context: JudgeContext, surroundings: Surroundings): Judged {
  const real = anywhere
    ? realPath(dir, surroundings.cwd)
    : realFolder(dir, surroundings.cwd, { roots: () => loadSendRoots(home, surroundings), also: [home.path('inbox'), home.path('outbox')] });
  const seen = (id: string): SeenBefore | undefined => seenBefore(home, id, { except: real, inspect: inspectAnew });
  return judgeBundle(readBundleFolder(real), context, { state: 'directory', seenBefore: seen });
}

function realPath(dir: string, cwd: string): string {
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
