import { cli } from '../../../../lib/families/gadriel/cli.ts';
import { runVerbOf, type VerbRun, type VerbSetting } from '../../../support/run-verb.ts';

export type { VerbRun, VerbSetting };

/** Runs a verb of gadriel in this process, as in `code findings src`. */
export const runVerb = (words: readonly string[], setting: VerbSetting): Promise<VerbRun> => runVerbOf(cli, words, setting);
