/** How many opening braces are tried: a hostile answer of braces alone must not cost seconds. */
const maxStarts = 50;

/**
 * The JSON object with this member in a model's answer: in a fenced block, else the first one in the text, whatever prose is
 * around it. Undefined where there is none.
 */
export function findObject(answer: string, member: string): Readonly<Record<string, unknown>> | undefined {
  for (const [, block] of answer.matchAll(/^[ \t]{0,3}```[^\n`]{0,40}\n([\s\S]*?)^[ \t]{0,3}```/gm)) {
    const value = objectIn(block!, member);
    if (value !== undefined) return value;
  }
  let start = answer.indexOf('{');
  for (let tries = 0; start >= 0 && tries < maxStarts; tries += 1) {
    const end = endOfObject(answer, start);
    const value = end === undefined ? undefined : objectIn(answer.slice(start, end), member);
    if (value !== undefined) return value;
    start = answer.indexOf('{', start + 1);
  }
  return undefined;
}

function objectIn(text: string, member: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && Object.hasOwn(value, member) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Behind the brace that closes the one at `start`, those in strings not counted; undefined where none does. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
    } else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
