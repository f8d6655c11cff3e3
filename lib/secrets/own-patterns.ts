import type { PatternDetector } from './detectors.types.ts';
import type { SecretConfidence, SecretSeverity } from './secrets.types.ts';

/** A user's own secret pattern, as a configuration file names it. */
export type OwnPattern = {
  readonly id: string;
  readonly title: string;
  /** JavaScript regular expression source; group 1, when present, is the secret. */
  readonly pattern: string;
  readonly severity?: SecretSeverity;
  readonly confidence?: SecretConfidence;
  /** Least Shannon entropy in bits a character, 0 when absent. */
  readonly minEntropy?: number;
};

const LONGEST_SOURCE = 500;
const LARGEST_REPEAT = 1000;
/** How many ways the variable repeats of one pattern may be divided up at one place: bounds its work a character. */
const LARGEST_CHOICE = 100_000;

/** A detector for `extraDetectors`, or why the pattern is refused: it must compile and its work must be bounded at every place. */
export function ownDetector(own: OwnPattern): PatternDetector | { readonly error: string } {
  const error = unboundedReason(own.pattern);
  if (error !== undefined) return { error };
  let pattern: RegExp;
  try {
    pattern = new RegExp(own.pattern, 'g');
  } catch {
    return { error: 'is no valid regular expression' };
  }
  if (pattern.test('')) return { error: 'matches the empty text' };
  const { id, title, severity = 'high', confidence = 'medium', minEntropy = 0 } = own;
  return { id, name: id, title, keywords: [], severity, confidence, minEntropy, rank: 3, pattern, wholeText: true };
}

type Group = { variable: boolean; branches: boolean };

/** Why a pattern's matching time has no small bound, or undefined when it has. */
function unboundedReason(source: string): string | undefined {
  if (source.length > LONGEST_SOURCE) return `is longer than ${LONGEST_SOURCE} characters`;
  if (/\\(?:[1-9]|k<)/.test(source)) return 'has a backreference';
  if (/\(\?(?!:)/.test(source)) return 'has a group other than (…) and (?:…)';
  const open: Group[] = [{ variable: false, branches: false }];
  let choice = 1;
  let closed: Group | undefined;
  for (let i = 0; i < source.length; i++) {
    const char = source[i]!;
    const inner = open[open.length - 1]!;
    const repeat = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(source.slice(i, i + 12))?.[0];
    if (char === '\\') i++;
    else if (char === '[') i = endOfClass(source, i);
    else if (char === '(') {
      open.push({ variable: false, branches: false });
      if (source.startsWith('?:', i + 1)) i += 2;
    } else if (char === ')' && open.length > 1) {
      closed = open.pop()!;
      const parent = open[open.length - 1]!;
      parent.variable ||= closed.variable;
      continue;
    } else if (char === '|') inner.branches = true;
    else if (repeat !== undefined) {
      const [least, most] = bounds(repeat);
      if (most > LARGEST_REPEAT) return `repeats without a limit of at most ${LARGEST_REPEAT}: write {n,m} for ${repeat}`;
      if (closed !== undefined && most > 1 && (closed.variable || closed.branches)) return 'repeats a group that can itself match in several ways';
      choice *= most - least + 1;
      if (choice > LARGEST_CHOICE) return 'has too many variable repeats';
      inner.variable ||= most > least;
      i += repeat.length - 1;
    }
    closed = undefined;
  }
  return undefined;
}

function endOfClass(source: string, at: number): number {
  for (let i = at + 1; i < source.length; i++) {
    if (source[i] === '\\') i++;
    else if (source[i] === ']') return i;
  }
  return source.length;
}

function bounds(repeat: string): readonly [least: number, most: number] {
  if (repeat === '?') return [0, 1];
  const [least = '', most = least] = repeat.replace(/[{}]/g, '').split(',');
  return repeat.startsWith('{') && most !== '' ? [Number(least), Number(most)] : [0, Infinity];
}
