import type { Finding } from '../../finding.types.ts';
import { scanSecrets } from '../../../../../secrets/scan.ts';
import type { Span } from '../../../../../secrets/secrets.types.ts';
import { findValues } from './find-values.ts';

/** The part of a file that a model sees, secrets masked. */
export type Excerpt = {
  /** Numbered lines, `…` where some are left out. */
  readonly shown: string;
  /** The lines that it shows, 1-based. */
  has(line: number): boolean;
  /** Another text for the model, with the secrets of the file masked too. */
  hide(text: string): string;
  /**
   * Puts the secrets back into text that a model wrote in place of the lines `first` to `last`. Undefined where it has a mask more
   * often than these lines, or one that stands for none: then the model would put a secret somewhere else.
   */
  unmask(text: string, first: number, last: number): string | undefined;
};

/** Secrets that the detectors do not know: findings of the file, by the user's own patterns too, and values such as the key of the model. */
export type KnownSecrets = { readonly scan?: readonly Finding[] | undefined; readonly values?: readonly string[] };

/** Most lines that leave the computer, imports included. */
const maxLines = 120;
const maxImports = 30;
/** A longer line is shown in part; nobody edits it by number. */
const maxLength = 400;

/**
 * The lines round a finding and the imports of the file, at most 120 in all. Each detected secret is replaced by a mask, and so
 * is the same value wherever else it stands: a detector goes by names and shapes, which a second place need not have.
 */
export function excerptOf(text: string, finding: Finding, known: KnownSecrets = {}): Excerpt {
  const found = [...scanSecrets(text, { path: finding.file }), ...spansOf(text, known.scan ?? [])];
  const values = [...new Set([...found.map(({ start, end }) => text.slice(start, end)), ...(known.values ?? [])])];
  const word = freeWord(text);
  const secrets: string[] = [];
  const numbers = new Map<string, number>();
  const mask = (secret: string): string => {
    const number = numbers.get(secret) ?? secrets.push(secret);
    numbers.set(secret, number);
    return `${word}${number}__${lineEnds(secret)}`;
  };
  const lines = replaceSpans(text, [...found, ...findValues(text, values)], mask).split('\n').map((line) => line.replace(/\r$/, ''));
  const chosen = chooseLines(lines, finding);
  const shown: string[] = [];
  let last = 0;
  for (const number of chosen) {
    if (number !== last + 1) shown.push('…');
    const line = lines[number - 1]!;
    shown.push(`${number}: ${line.length > maxLength ? `${line.slice(0, maxLength)} …` : line}`);
    last = number;
  }
  const visible = new Set(chosen.filter((number) => lines[number - 1]!.length <= maxLength));
  const pattern = new RegExp(`${word}(\\d{1,7})__(\\n*)`, 'g');
  return {
    shown: shown.join('\n'),
    has: (line) => visible.has(line),
    hide: (other) => replaceSpans(other, findValues(other, values), mask),
    unmask: (written, first, end) => {
      const left = new Map<string, number>();
      for (const [, number] of lines.slice(first - 1, Math.max(first - 1, end)).join('\n').matchAll(pattern)) left.set(number!, (left.get(number!) ?? 0) + 1);
      let isGood = true;
      const clear = written.replace(pattern, (whole, number: string, ends: string) => {
        const secret = secrets[Number(number) - 1];
        const own = secret === undefined ? 0 : lineEnds(secret).length;
        const count = left.get(number) ?? 0;
        left.set(number, count - 1);
        isGood &&= secret !== undefined && count > 0 && ends.length >= own;
        return `${secret ?? whole}${ends.slice(own)}`;
      });
      return isGood ? clear : undefined;
    },
  };
}

/** Line ends inside a secret stay, so that line numbers do. */
const lineEnds = (secret: string): string => secret.replace(/[^\n]/g, '');

function freeWord(text: string): string {
  let word = '__MASKED_SECRET_';
  while (text.includes(word)) word = `_${word}`;
  return word;
}

function spansOf(text: string, scan: readonly Finding[]): Span[] {
  const secrets = scan.filter(({ scan_type }) => scan_type === 'secrets');
  if (secrets.length === 0) return [];
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  const offsetOf = (line: number, column: number): number => Math.min(text.length, (starts[line - 1] ?? text.length) + column - 1);
  return secrets.map(({ line, column, end_line, end_column }) => ({ start: offsetOf(line, column), end: offsetOf(end_line, end_column) }));
}

/** Replaces ranges of a text; of ranges that overlap all is replaced once. */
function replaceSpans(text: string, spans: readonly Span[], mask: (replaced: string) => string): string {
  let result = '';
  let at = 0;
  let open: Span | undefined;
  const close = (): void => {
    if (open === undefined) return;
    result += text.slice(at, open.start) + mask(text.slice(open.start, open.end));
    at = open.end;
  };
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (open !== undefined && span.start < open.end) open = { start: open.start, end: Math.max(open.end, span.end) };
    else {
      close();
      open = span;
    }
  }
  close();
  return result + text.slice(at);
}

function chooseLines(lines: readonly string[], finding: Finding): number[] {
  const imports = lines.flatMap((line, index) => (/^\s{0,8}(?:import|from)\s/.test(line) ? [index + 1] : [])).slice(0, maxImports);
  const room = maxLines - imports.length;
  const height = Math.min(room, finding.end_line - finding.line + 1);
  const first = Math.max(1, finding.line - Math.floor((room - height) * 0.6));
  const window = Array.from({ length: Math.min(room, lines.length - first + 1) }, (_, index) => first + index);
  return [...new Set([...imports, ...window])].sort((a, b) => a - b);
}
