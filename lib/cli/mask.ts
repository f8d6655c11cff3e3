import { scanSecrets } from '../secrets/scan.ts';

/** What stands for a masked value. */
const masked = '***';

/** A line longer than this is left out of a trace: it would take longer to scan than anyone reads. */
const longest = 1024 * 1024;

/** How deep JSON inside a string of JSON is looked into. */
const deepest = 3;

const secretKey =
  /^(?:auth|authorization|proxyauthorization|cookie|setcookie|bearer|pwd|pass|pin|otp|credentials?|passphrase|(?:.{0,40})(?:password|passwd|secret|secretkey|apikey|accesskey|privatekey|signingkey|token))$/;

/** Whether values under this key are secrets, whatever they look like. */
function isSecretKey(key: string): boolean {
  const plain = key.slice(0, 80).toLowerCase().replace(/[^a-z0-9]/g, '');
  return plain !== 'progresstoken' && secretKey.test(plain);
}

/** One token of JSON that matters here: strings, other scalars, and what shapes the nesting. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/gs;

type Level = { readonly object: boolean; readonly secret: boolean };

/**
 * Masks the secrets of one line of JSON: every value under a key such as password, token or authorization, and what the
 * secret scanner finds in any other string. All else keeps its bytes; a line that is no JSON is masked as plain text; one over 1 MiB is
 * left out.
 */
export function maskLine(line: string): string {
  return line.length > longest ? `… ${line.length} characters left out` : mask(line, 0);
}

function mask(line: string, depth: number): string {
  if (!isJson(line)) return maskText(line);
  const levels: Level[] = [];
  let key: string | undefined;
  let pendingSecret = false;
  const secretHere = (): boolean => pendingSecret || (levels.at(-1)?.secret ?? false);
  return line.replace(token, (text) => {
    switch (text[0]) {
      case '{':
      case '[':
        levels.push({ object: text === '{', secret: secretHere() });
        key = undefined;
        pendingSecret = false;
        return text;
      case '}':
      case ']':
        levels.pop();
        pendingSecret = false;
        return text;
      case ',':
        key = undefined;
        pendingSecret = false;
        return text;
      case ':':
        pendingSecret = key !== undefined && isSecretKey(key);
        return text;
    }
    const isKey = levels.at(-1)?.object === true && key === undefined;
    if (isKey) {
      key = JSON.parse(text) as string;
      return text;
    }
    if (secretHere()) return text === 'null' ? text : `"${masked}"`;
    return text[0] === '"' ? maskString(text, depth) : text;
  });
}

/** A string token with its secrets masked; unchanged, to the byte, where it has none. */
function maskString(text: string, depth: number): string {
  const value = JSON.parse(text) as string;
  const inner = depth < deepest && /^\s*[{[]/.test(value) ? mask(value, depth + 1) : maskText(value);
  return inner === value ? text : JSON.stringify(inner);
}

// A text may be configuration, where a bare word after a secret name counts, or code, where a short quoted one does.
const readings = ['trace.txt', 'trace.py'];

function maskText(text: string): string {
  return readings.reduce((current, path) => {
    let result = '';
    let end = 0;
    for (const hit of scanSecrets(current, { path, isTest: false })) {
      result += current.slice(end, hit.start) + masked;
      end = hit.end;
    }
    return result + current.slice(end);
  }, text);
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
