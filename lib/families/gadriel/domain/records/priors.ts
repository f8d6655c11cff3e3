import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../../../../store/atomic-write.ts';
import { withLock } from '../../../../store/lock.ts';
import { baseScore, type Confidence, type Finding, type Pillar } from '../finding.types.ts';
import type { Surroundings } from '../surroundings.types.ts';
import { homeOf } from './home.ts';
import { isObject } from './is-object.ts';

/** What was learned of a rule in a repository: a Beta distribution of a finding of it being real. */
export type Prior = { readonly alpha: number; readonly beta: number };

/** The priors of one repository. They are advice: nothing here throws, failures are logged and change nothing. */
export type PriorStore = {
  /** Beta(1,1) where nothing was learned. */
  get(ruleId: string, pillar: Pillar): Prior;
  /** Adds to a prior on disk and returns the new one; undefined where that failed. */
  update(ruleId: string, pillar: Pillar, add: Partial<Prior>): Promise<Prior | undefined>;
};

const uniform: Prior = { alpha: 1, beta: 1 };
/** Beyond that many dispositions one more says nothing, and sums stay exact. */
const maxWeight = 1_000_000;

/**
 * Opens the priors of a repository: `GADRIEL_HOME`, else `~/.gadriel`, then `store/priors/` and a file named after the
 * hash of the root's real path. Outside the repository, for they say something of whoever decides, not of the code.
 */
export function openPriors(root: string, env: Surroundings['env'], log: Surroundings['log'] = () => {}): PriorStore {
  const file = priorsFile(root, env);
  const failed = (what: string, error: unknown): void =>
    log('warning', `the learned priors can not be ${what} and are ignored: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`);
  let priors: Map<string, Prior>;
  try {
    priors = load(file);
  } catch (error) {
    failed('read', error);
    priors = new Map();
  }
  return {
    get: (ruleId, pillar) => priors.get(keyOf(ruleId, pillar)) ?? uniform,
    update: async (ruleId, pillar, { alpha = 0, beta = 0 }) => {
      try {
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        return await withLock(`${file}.lock`, async () => {
          const current = load(file);
          const before = current.get(keyOf(ruleId, pillar)) ?? uniform;
          const after = { alpha: add(before.alpha, alpha), beta: add(before.beta, beta) };
          current.set(keyOf(ruleId, pillar), after);
          await writeFileAtomic(file, encode(current), { mode: 0o600 });
          priors = current;
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

function priorsFile(root: string, env: Surroundings['env']): string {
  const name = createHash('sha256').update(realPath(root)).digest('hex').slice(0, 16);
  return path.join(homeOf(env), 'store', 'priors', `${name}.json`);
}

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

function load(file: string): Map<string, Prior> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
  const value = parse(text);
  const entries = isObject(value) && value['schema'] === 1 ? value['priors'] : undefined;
  if (!Array.isArray(entries)) throw new Error('the file is not a store of priors');
  return new Map(entries.map(readEntry));
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

function encode(priors: ReadonlyMap<string, Prior>): string {
  const entries = [...priors].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, { alpha, beta }]) => {
    const [rule_id, pillar] = JSON.parse(key) as [string, string];
    return { rule_id, pillar, alpha, beta };
  });
  return `${JSON.stringify({ schema: 1, priors: entries }, undefined, 2)}\n`;
}
