import { createHash } from 'node:crypto';
import { compilePattern } from '../../../../schema/pattern.ts';
import type { SecretHit } from '../../../../secrets/secrets.types.ts';
import { lineIndex } from '../../../../text/line-index.ts';
import type { OwnSecret } from './settings.types.ts';

/** Lines longer than this are minified code, where patterns of this kind say little. */
const maxLineLength = 20_000;
/** Most finds of one pattern in one text: a pattern that fits everything must not fill a report. */
const maxHits = 100;

const machines = new Map<string, (text: string) => boolean>();

function machineOf(pattern: string): (text: string) => boolean {
  let machine = machines.get(pattern);
  if (machine === undefined) {
    const compiled = compilePattern(pattern);
    machine = 'refused' in compiled ? () => false : compiled.matches;
    machines.set(pattern, machine);
  }
  return machine;
}

/** Adds what the user's own patterns find, a line at a time, to the hits of the built-in detectors; where they overlap the user's stays. */
export function findOwnSecrets(text: string, patterns: readonly OwnSecret[], hits: readonly SecretHit[]): SecretHit[] {
  const own = patterns.flatMap((pattern) => findOne(text, pattern));
  if (own.length === 0) return [...hits];
  const kept: SecretHit[] = [];
  for (const hit of [...own, ...hits]) if (!kept.some((other) => other.start < hit.end && hit.start < other.end)) kept.push(hit);
  return kept.sort((a, b) => a.start - b.start);
}

function findOne(text: string, { id, title, pattern, severity }: OwnSecret): SecretHit[] {
  const matches = machineOf(pattern);
  const hits: SecretHit[] = [];
  const index = lineIndex(text);
  let start = 0;
  for (const line of text.split('\n')) {
    const span = line.length <= maxLineLength && matches(line) ? narrowest(line, matches) : undefined;
    if (span !== undefined && hits.length < maxHits) {
      const [from, to] = [start + span.start, start + span.end];
      const length = to - from;
      hits.push({
        detectorId: id, title, start: from, end: to,
        line: index.lineAt(from), column: index.columnAt(from), endLine: index.lineAt(to), endColumn: index.columnAt(to),
        severity: severity === 'info' ? 'low' : severity, confidence: 'high',
        preview: `${text.slice(from, from + Math.min(4, length >> 2))}… (${length} characters)`, sameAs: createHash('sha256').update(`${id}:${text.slice(from, to)}`).digest('hex').slice(0, 16),
      });
    }
    start += line.length + 1;
  }
  return hits;
}

/** The first match's narrowest span: the pattern machine only says whether there is one, so both ends are searched for by halves. */
function narrowest(line: string, matches: (text: string) => boolean): { readonly start: number; readonly end: number } {
  const end = leastFor(0, line.length, (at) => matches(line.slice(0, at)));
  const start = line.length - leastFor(line.length - end, line.length, (at) => matches(line.slice(line.length - at, end)));
  // Anchors and look-around make a cut text differ from the whole: then the line is the place.
  return start < end && matches(line.slice(start, end)) ? { start, end } : { start: 0, end: line.length };
}

function leastFor(from: number, to: number, isEnough: (at: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isEnough(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
