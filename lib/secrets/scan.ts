import { createHmac, randomBytes } from 'node:crypto';
import { assignmentAt } from './assignments.ts';
import { contextDetectors } from './detectors-context.ts';
import { placeDetectors } from './detectors-places.ts';
import { tokenDetectors } from './detectors-tokens.ts';
import type { PatternDetector, ScanSource, SecretDetector, Verdict } from './detectors.types.ts';
import { shannonEntropy } from './entropy.ts';
import { classifyAssignment, secretNameWords, vendorWords, type GenericKind } from './generic.ts';
import { buildKeywordAutomaton } from './keyword-automaton.ts';
import { languageOf, sourceKindOf } from './languages.ts';
import { literalSpans } from './literal-spans.ts';
import type { LiteralSpan, SecretConfidence, SecretHit, Span } from './secrets.types.ts';
import { isOnlyNamed } from './named-only.ts';
import { isTestPath, skipReason } from './skip.ts';
import { lineIndex } from '../text/line-index.ts';

/** What a scan needs to know besides the text. */
export type ScanOptions = {
  /** Decides language, file-name rules and whether the file is a test. */
  readonly path: string;
  /** As `languageOf` names it; from the path when absent. */
  readonly language?: string;
  /** Lowers the confidence by one step; from the path when absent. */
  readonly isTest?: boolean;
  /** String literals and comments, ascending, when a parser has found them; else a light tokenizer does. */
  readonly literals?: readonly LiteralSpan[];
  /** Look for all but guesses by a name in very long lines too, where only tokens with a shape of their own are looked for otherwise. */
  readonly longLines?: boolean;
};

type Described = Pick<SecretDetector, 'id' | 'name' | 'title' | 'severity' | 'confidence' | 'rank' | 'provider'>;
type Candidate = Span & { readonly detector: Described; readonly verdict: Exclude<Verdict, false> };

const GENERIC: Readonly<Record<GenericKind, Described>> = {
  'framework-key': { id: 'CODE-W1-SECRET-074', name: 'framework-key', title: 'Framework signing key', severity: 'high', confidence: 'medium', rank: 2 },
  generic: { id: 'CODE-W1-SECRET-075', name: 'generic', title: 'Secret in an assignment', severity: 'high', confidence: 'medium', rank: 1 },
  'password-literal': { id: 'CODE-W1-SECRET-076', name: 'password-literal', title: 'Password in a string literal', severity: 'medium', confidence: 'low', rank: 0 },
};

/** Number, name and title of every built-in detector, in order: what a list of rules or a bundle scan needs. */
export const detectorTable: readonly Described[] = [...tokenDetectors, ...contextDetectors, ...Object.values(GENERIC)].sort((a, b) => (a.id < b.id ? -1 : 1));

/** Lines longer than this are minified: only tokens with a shape of their own are looked for in them. */
const LONG_LINE = 20_000;
const LONG_LINE_RANK = 3;
/** Least rank of what is known by more than a name. */
const CONTEXT_RANK = 2;

const detectors: readonly SecretDetector[] = [...tokenDetectors, ...contextDetectors, ...placeDetectors];
/** Keyword -> detectors to try; -1 stands for the name-based ones. */
const routes = new Map<string, number[]>();
for (const [index, detector] of detectors.entries()) for (const word of detector.keywords) routes.set(word, [...(routes.get(word) ?? []), index]);
for (const word of [...secretNameWords, ...vendorWords]) routes.set(word, [...(routes.get(word) ?? []), -1]);
const words = [...routes.keys()];
const wordRoutes = [...routes.values()];
const automaton = buildKeywordAutomaton(words);

const groupingKey = randomBytes(32);

/**
 * Finds secrets in a text. Lock files, binary and media files and texts over 5 MiB have none (see `skipReason`).
 * Never throws on any text; a hit never carries the secret. Hits are ascending and do not overlap.
 */
export function scanSecrets(text: string, options: ScanOptions): SecretHit[] {
  if (skipReason(options.path, text) !== undefined) return [];
  const language = options.language ?? languageOf(options.path);
  const kind = sourceKindOf(language);
  let literals: readonly LiteralSpan[] | undefined = options.literals;
  // The tokenizer runs only for a value that would count, which few files have.
  const literalAt = (offset: number): LiteralSpan | undefined => spanAt((literals ??= literalSpans(text, language)), offset);
  const source: ScanSource = { text, path: options.path, kind, inLiteral: (offset) => kind !== 'code' || literalAt(offset) !== undefined };
  const candidates: Candidate[] = [];
  const covered = new Map<number, number>();
  const seen = new Set<number>();

  automaton.scan(text, (word, end) => {
    const start = end - words[word]!.length;
    for (const index of wordRoutes[word]!) {
      if (index < 0) nameBased(start, end);
      else if ((covered.get(index) ?? 0) <= start) tryDetector(index, start);
    }
  });

  function tryDetector(index: number, start: number): void {
    const detector = detectors[index]!;
    if ('find' in detector) {
      const found = detector.find(source, start);
      for (const span of found.spans) accept(text, span, detector, candidates);
      if (found.until !== undefined) covered.set(index, found.until);
    } else if (detector.wholeText === true) {
      wholeText(text, detector, candidates);
      covered.set(index, Infinity);
    } else for (const lead of detector.leads ?? [0]) if (tokenAt(text, start - lead, detector, candidates)) break;
  }

  function nameBased(start: number, end: number): void {
    const assignment = assignmentAt(text, start, end, kind);
    if (assignment === undefined || seen.has(assignment.start)) return;
    const value = text.slice(assignment.start, assignment.end);
    if (isOnlyNamed(assignment, value, text, options.path)) return;
    if (classifyAssignment(assignment, value, kind, true) === undefined) return;
    seen.add(assignment.start);
    let inCode = false;
    if (kind === 'code') {
      const span = literalAt(assignment.quoted ? assignment.start - 1 : assignment.start);
      // A quote that closes a string, or a bare word of code, is no literal.
      if (span === undefined || span.end < assignment.end) return;
      inCode = span.kind === 'string' && assignment.quoted && span.start >= assignment.literal;
    } else if (kind === 'notebook' && !assignment.quoted) return;
    const found = classifyAssignment(assignment, value, kind, inCode);
    if (found !== undefined) candidates.push({ start: assignment.start, end: assignment.end, detector: GENERIC[found], verdict: undefined });
  }

  return report(text, candidates, options.isTest ?? isTestPath(options.path), options.longLines === true ? CONTEXT_RANK : LONG_LINE_RANK);
}

function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;
}

/** Whether a token may start here: not inside a longer word, where `\n` and the like in a string do not count as letters. */
function startsHere(text: string, start: number, notAfter: string): boolean {
  if (start <= 0) return start === 0;
  const before = text.charCodeAt(start - 1);
  if (isWordCode(before)) return text.charCodeAt(start - 2) === 92 && 'nrt'.includes(text[start - 1]!);
  return !notAfter.includes(text[start - 1]!);
}

function tokenAt(text: string, start: number, detector: PatternDetector, candidates: Candidate[]): boolean {
  if (!startsHere(text, start, detector.notAfter ?? '')) return false;
  detector.pattern.lastIndex = start;
  const match = detector.pattern.exec(text);
  if (match === null) return false;
  const secret = match[1] ?? match[0];
  const from = start + match[0].lastIndexOf(secret);
  accept(text, { start: from, end: from + secret.length }, detector, candidates);
  return true;
}

function wholeText(text: string, detector: PatternDetector, candidates: Candidate[]): void {
  for (const match of text.matchAll(new RegExp(detector.pattern.source, `${detector.pattern.flags.replace(/[gy]/g, '')}g`))) {
    const secret = match[1] ?? match[0];
    if (secret === '' || !startsHere(text, match.index, detector.notAfter ?? '')) continue;
    const start = match.index + match[0].lastIndexOf(secret);
    accept(text, { start, end: start + secret.length }, detector, candidates);
  }
}

function accept(text: string, span: Span, detector: SecretDetector, candidates: Candidate[]): void {
  const secret = text.slice(span.start, span.end);
  if (shannonEntropy(secret) < detector.minEntropy) return;
  const verdict = detector.verify?.(secret);
  if (verdict !== false) candidates.push({ ...span, detector, verdict });
}

/** The span that holds an offset, by binary search. */
function spanAt(spans: readonly LiteralSpan[], offset: number): LiteralSpan | undefined {
  let low = 0;
  let high = spans.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const span = spans[middle]!;
    if (offset < span.start) high = middle - 1;
    else if (offset >= span.end) low = middle + 1;
    else return span;
  }
  return undefined;
}

function report(text: string, candidates: readonly Candidate[], isTest: boolean, longLineRank: number): SecretHit[] {
  if (candidates.length === 0) return [];
  const { lineAt, columnAt, lineLengthAt } = lineIndex(text);
  const counted = candidates.filter((candidate) => candidate.detector.rank >= longLineRank || lineLengthAt(candidate.start) <= LONG_LINE);
  return mostSpecific(counted, text.length).map(({ start, end, detector, verdict }) => {
    const secret = text.slice(start, end);
    const confidence = verdict?.confidence ?? detector.confidence;
    return {
      detectorId: detector.id,
      title: detector.title,
      start, end,
      line: lineAt(start),
      column: columnAt(start),
      endLine: lineAt(end),
      endColumn: columnAt(end),
      severity: verdict?.severity ?? detector.severity,
      confidence: isTest ? oneStepLower(confidence) : confidence,
      ...(detector.provider === undefined ? {} : { provider: detector.provider }),
      // Four characters of a long secret; a quarter of a short one, which four would half give away.
      preview: `${secret.slice(0, Math.min(4, secret.length >> 2))}… (${secret.length} characters)`,
      sameAs: createHmac('sha256', groupingKey).update(secret).digest('hex').slice(0, 16),
    };
  });
}

function oneStepLower(confidence: SecretConfidence): SecretConfidence {
  return confidence === 'high' ? 'medium' : 'low';
}

/** Of overlapping candidates the more specific stays, then the longer, then the lower number. */
function mostSpecific(candidates: readonly Candidate[], length: number): Candidate[] {
  const byWeight = [...candidates].sort(
    (a, b) => b.detector.rank - a.detector.rank || b.end - b.start - (a.end - a.start) || (a.detector.id < b.detector.id ? -1 : 1),
  );
  // A map of taken characters stays linear however many candidates a hostile text makes.
  const taken = new Uint8Array(length);
  const kept = byWeight.filter(({ start, end }) => {
    if (taken.subarray(start, end).includes(1)) return false;
    taken.fill(1, start, end);
    return true;
  });
  return kept.sort((a, b) => a.start - b.start);
}
