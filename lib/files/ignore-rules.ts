/** One line of a .gitignore, taken apart. */
type Rule = {
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  /** Compared with the whole path below the file's folder; else with the last name alone. */
  readonly anchored: boolean;
  readonly segments: readonly string[];
};

/** The rules of one .gitignore; they hold for paths below its folder. */
export type IgnoreRules = {
  /** Whether the last rule that fits a path (segments below the folder of the file) ignores it; undefined where none fits. */
  verdict(segments: readonly string[], isFolder: boolean): boolean | undefined;
};

/** Rules beyond these are not read: a hostile file must not make each look cost seconds. */
const maxRules = 5_000;
const maxPatternLength = 1_000;

/** Reads the text of a .gitignore (gitignore(5): comments, negation, anchors, `**`, character classes, escapes). */
export function parseIgnoreRules(text: string): IgnoreRules {
  const rules = text.replace(/^\uFEFF/, '').split(/\r?\n/, maxRules).flatMap(parseRule).reverse();
  return {
    verdict: (segments, isFolder) => {
      const rule = rules.find((each) => (isFolder || !each.foldersOnly) && fits(each, segments));
      return rule === undefined ? undefined : !rule.negated;
    },
  };
}

function parseRule(line: string): Rule[] {
  if (line === '' || line.startsWith('#') || line.length > maxPatternLength) return [];
  let pattern = withoutTrailingBlanks(line);
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith('/');
  if (foldersOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes('/');
  const segments = pattern.replace(/^\//, '').split('/');
  return pattern === '' || pattern === '/' ? [] : [{ negated, foldersOnly, anchored, segments }];
}

/** Blanks at the end do not count, unless a backslash stands before them. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ' && line[end - 2] !== '\\') end--;
  return line.slice(0, end);
}

function fits({ anchored, segments }: Rule, path: readonly string[]): boolean {
  if (!anchored) return matchName(segments[0] ?? '', path.at(-1) ?? '');
  return matchSegments(segments, path);
}

/** A `**` stands for any number of names, at the end for at least one. Only the last one is ever taken back, so time is bounded by the product of lengths. */
function matchSegments(pattern: readonly string[], path: readonly string[]): boolean {
  let at = 0;
  let star = -1;
  let retry = 0;
  for (let index = 0; index < path.length;) {
    const segment = pattern[at];
    if (segment === '**') {
      if (at === pattern.length - 1) return true;
      star = at++;
      retry = index;
    } else if (segment !== undefined && matchName(segment, path[index] as string)) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++retry;
    } else return false;
  }
  return at === pattern.length;
}

/** A name against a pattern of `*`, `?`, `[…]` and escapes, by the same bounded way. */
function matchName(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let retry = 0;
  for (let index = 0; index < name.length;) {
    if (pattern[at] === '*') {
      star = at++;
      retry = index;
      continue;
    }
    const next = matchCharacter(pattern, at, name[index] as string);
    if (next > 0) {
      at = next;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++retry;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at >= pattern.length;
}

/** Where the pattern goes on behind what took the character; 0 where it did not take it. */
function matchCharacter(pattern: string, at: number, char: string): number {
  const sign = pattern[at];
  if (sign === undefined) return 0;
  if (sign === '?') return at + 1;
  if (sign === '\\' && at + 1 < pattern.length) return pattern[at + 1] === char ? at + 2 : 0;
  if (sign === '[') {
    const end = pattern.indexOf(']', at + (/[!^]/.test(pattern[at + 1] ?? '') ? 3 : 2));
    if (end > 0) return inClass(pattern.slice(at + 1, end), char) ? end + 1 : 0;
  }
  return sign === char ? at + 1 : 0;
}

function inClass(content: string, char: string): boolean {
  const negated = /^[!^]/.test(content);
  const set = negated ? content.slice(1) : content;
  let found = false;
  for (let at = 0; at < set.length; at++) {
    const last = set[at + 1] === '-' && at + 2 < set.length ? set[at + 2] as string : set[at] as string;
    found ||= char >= (set[at] as string) && char <= last;
    if (last !== set[at]) at += 2;
  }
  return found !== negated;
}
