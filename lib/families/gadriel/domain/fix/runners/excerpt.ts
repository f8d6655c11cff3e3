import type { Finding } from '../../finding.types.ts';
import { scanSecrets } from '../../../../../secrets/scan.ts';

/** The part of a file that a model sees, secrets masked. */
export type Excerpt = {
  /** Numbered lines, `…` where some are left out. */
  readonly shown: string;
  /** The lines that it shows, 1-based. */
  has(line: number): boolean;
  /** Puts the secrets back into text that a model wrote. */
  unmask(text: string): string;
};

/** Most lines that leave the computer, imports included. */
const maxLines = 120;
const maxImports = 30;
/** A longer line is shown in part; nobody edits it by number. */
const maxLength = 400;

/** The lines round a finding and the imports of the file, at most 120 in all, each detected secret replaced by a mask. */
export function excerptOf(text: string, finding: Finding): Excerpt {
  const secrets: string[] = [];
  const word = freeWord(text);
  let masked = '';
  let at = 0;
  for (const { start, end } of scanSecrets(text, { path: finding.file })) {
    masked += `${text.slice(at, start)}${word}${secrets.length + 1}__${lineEnds(text.slice(start, end))}`;
    secrets.push(text.slice(start, end));
    at = end;
  }
  const lines = (masked + text.slice(at)).split('\n').map((line) => line.replace(/\r$/, ''));
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
  return {
    shown: shown.join('\n'),
    has: (line) => visible.has(line),
    unmask: (written) => written.replace(new RegExp(`${word}(\\d{1,7})__(\\n*)`, 'g'), (mask, number: string, ends: string) => {
      const secret = secrets[Number(number) - 1];
      const own = secret === undefined ? 0 : lineEnds(secret).length;
      return secret === undefined || ends.length < own ? mask : secret + ends.slice(own);
    }),
  };
}

/** Line ends inside a secret stay, so that line numbers do. */
const lineEnds = (secret: string): string => secret.replace(/[^\n]/g, '');

function freeWord(text: string): string {
  let word = '__MASKED_SECRET_';
  while (text.includes(word)) word = `_${word}`;
  return word;
}

function chooseLines(lines: readonly string[], finding: Finding): number[] {
  const imports = lines.flatMap((line, index) => (/^\s{0,8}(?:import|from)\s/.test(line) ? [index + 1] : [])).slice(0, maxImports);
  const room = maxLines - imports.length;
  const height = Math.min(room, finding.end_line - finding.line + 1);
  const first = Math.max(1, finding.line - Math.floor((room - height) * 0.6));
  const window = Array.from({ length: Math.min(room, lines.length - first + 1) }, (_, index) => first + index);
  return [...new Set([...imports, ...window])].sort((a, b) => a - b);
}
