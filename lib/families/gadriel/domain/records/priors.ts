import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { writeFileAtomic } from '../../../../store/atomic-write.ts';
import { withLock } from '../../../../store/lock.ts';
import { makeFolders } from '../../../../store/make-folders.ts';
import { baseScore, type Confidence, type Finding, type Pillar } from '../finding.types.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { homeOf, readHomeFile } from './home.ts';
import { isObject } from './is-object.ts';

/** What was learned of a rule in a repository: a Beta distribution of a finding of it being real. */
export type Prior = { readonly alpha: number; readonly beta: number };

/** The priors of one repository. They are advice: nothing here throws, failures are logged and change nothing. */
export type PriorStore = {
  /** Beta(1,1) where nothing was learned. */
  get(ruleId: string, pillar: Pillar): Prior;
  /**
   * Adds to a prior on disk and returns the new one; undefined where that failed. `lesson` names what is learned from:
   * one that was counted before changes nothing, so that whoever is stopped in between may do it all again.
   */
  update(ruleId: string, pillar: Pillar, add: Partial<Prior>, lesson?: string): Promise<Prior | undefined>;
};

/** What the file holds: priors by rule and pillar, and hashes of the lessons that they have counted, the newest last. */
type Learned = { readonly priors: Map<string, Prior>; readonly lessons: Set<string> };

const uniform: Prior = { alpha: 1, beta: 1 };
/** Beyond that many dispositions one more says nothing, and sums stay exact. */
const maxWeight = 1_000_000;
/** Older ones are forgotten: nobody repeats a step after so many others. */
const maxLessons = 20_000;
/** The lessons take 0.5 MB, and a prior 80 bytes. */
const maxPriorsBytes = 4 * 1024 * 1024;

/**
 * Opens the priors of a repository: `GADRIEL_HOME`, else `~/.gadriel`, then `store/priors/` and a file named after the
 * hash of the root's real path. Outside the repository, for they say something of whoever decides, not of the code.
 */
export function openPriors(root: string, env: Surroundings['env'], log: Surroundings['log'] = () => {}): PriorStore {
  const failed = (what: string, error: unknown): void =>
    log('warning', `the learned priors can not be ${what} and are ignored: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`);
  const file = priorsFile(root, homeOf(env, log));
  let priors: ReadonlyMap<string, Prior> = new Map();
  try {
    ({ priors } = load(file));
  } catch (error) {
    failed('read', error);
  }
  return {
    get: (ruleId, pillar) => priors.get(keyOf(ruleId, pillar)) ?? uniform,
    update: async (ruleId, pillar, { alpha = 0, beta = 0 }, lesson) => {
      try {
        makeFolders(path.dirname(file), 0o700);
        return await withLock(`${file}.lock`, async () => {
          const current = load(file);
          const before = current.priors.get(keyOf(ruleId, pillar)) ?? uniform;
          const mark = lesson === undefined ? undefined : hashOf(lesson);
          if (mark !== undefined && current.lessons.has(mark)) return before;
          const after = { alpha: add(before.alpha, alpha), beta: add(before.beta, beta) };
          current.priors.set(keyOf(ruleId, pillar), after);
          if (mark !== undefined) current.lessons.add(mark);
          await writeFileAtomic(file, encode(current), { mode: 0o600 });
          priors = current.priors;
          return after;
        });
      } catch (error) {
        failed('written', error);
        return undefined;
      }
    },
  };
}

/** The chance of a finding being real, 0 to 1. */
export const priorMean = ({ alpha, beta }: Prior): number => alpha / (alpha + beta);

/** A prior in a word: below 0.2 speculative, below 0.5 plausible, below 0.8 likely, else strong. */
export function bandOf(prior: Prior): 'speculative' | 'plausible' | 'likely' | 'strong' {
  const mean = priorMean(prior);
  return mean < 0.2 ? 'speculative' : mean < 0.5 ? 'plausible' : mean < 0.8 ? 'likely' : 'strong';
}

/**
 * Findings with score and word of confidence as the priors have it (design of gadriel, section 1.6). The more was learned of
 * a rule, the more it counts; severity never changes, nothing goes under 5 of 100. A score that is no longer that of its
 * word was judged before, and stays.
 */
export function applyPriors(findings: readonly Finding[], store: Pick<PriorStore, 'get'>): Finding[] {
  return findings.map((finding) => {
    const prior = store.get(finding.rule_id, finding.pillar);
    const learned = prior.alpha + prior.beta - 2;
    if (learned <= 0 || finding.confidence_score !== baseScore[finding.confidence]) return finding;
    const weight = learned / (learned + 10);
    const score = Math.max(0.05, (1 - weight) * (baseScore[finding.confidence] / 100) + weight * priorMean(prior));
    return { ...finding, confidence: wordOf(score), confidence_score: Math.round(score * 100) };
  });
}

const wordOf = (score: number): Confidence => (score >= 0.75 ? 'high' : score >= 0.45 ? 'medium' : 'low');

const priorsFile = (root: string, home: string): string => path.join(home, 'store', 'priors', `${hashOf(realPath(root))}.json`);

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

function realPath(root: string): string {
  try {
    return realpathSync(root);
  } catch {
    return path.resolve(root);
  }
}

const keyOf = (ruleId: string, pillar: string): string => JSON.stringify([ruleId, pillar]);

/** To six digits, so that ten times 0.3 is 3. */
const add = (sum: number, more: number): number => Math.min(maxWeight, Math.round((sum + more) * 1e6) / 1e6);

function load(file: string): Learned {
  const text = readHomeFile(file, maxPriorsBytes);
  if (text === undefined) return { priors: new Map(), lessons: new Set() };
  const value = parse(text);
  const { priors, lessons = [] } = isObject(value) && value['schema'] === 1 ? value : {};
  if (!Array.isArray(priors) || !Array.isArray(lessons)) throw new Error('the file is not a store of priors');
  return { priors: new Map(priors.map(readEntry)), lessons: new Set(lessons.map(String)) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readEntry(entry: unknown): [string, Prior] {
  if (isObject(entry)) {
    const { rule_id, pillar, alpha, beta } = entry;
    if (typeof rule_id === 'string' && typeof pillar === 'string' && isWeight(alpha) && isWeight(beta)) return [keyOf(rule_id, pillar), { alpha, beta }];
  }
  throw new Error('the file holds a broken prior');
}

const isWeight = (value: unknown): value is number => typeof value === 'number' && value >= 1 && value <= maxWeight;

function encode({ priors, lessons }: Learned): string {
  const entries = [...priors].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, { alpha, beta }]) => {
    const [rule_id, pillar] = JSON.parse(key) as [string, string];
    return { rule_id, pillar, alpha, beta };
  });
  const kept = [...lessons].slice(-maxLessons);
  const text = `${JSON.stringify({ schema: 1, priors: entries, ...(kept.length > 0 && { lessons: kept }) }, undefined, 2)}\n`;
  // It could not be read again, and what was learned would be lost.
  if (Buffer.byteLength(text) > maxPriorsBytes) throw new Error('there are too many');
  return text;
}
