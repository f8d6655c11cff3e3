const REGEX_SOURCE = /\[[^\]]{0,40}\w-\w[^\]]{0,40}\]|\\[dwsDWSb]|\(\?|\.[*+]/;
const UUID = /^\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$/i;
const NUMBER = /^[-+]?(?:[\d.,_:\-+/ ]+|0x[\da-f]+|\d+(?:\.\d+)?e[-+]?\d+|\d+[a-z]{1,3})$/i;
const FILE_NAME =
  /\.(?:py|pyc|js|mjs|ts|tsx|jsx|json|ya?ml|toml|ini|cfg|conf|txt|md|pem|crt|cer|key|pub|p12|pfx|jks|html?|css|xml|sh|go|rs|java|rb|php|sql|png|jpe?g|svg|gz|zip|tar|log|env|lock)$/i;
const HOST = /^(?:[a-z0-9_-]+\.){1,8}(?:[a-z]{2,12})(?::\d{1,5})?$/;
const EMAIL = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
const CALL = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*\(.*\)$/;

/** Whether a value is a uuid in the usual 8-4-4-4-12 form. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** Whether a value is an address, path, host, file, number, regular expression or call: plain data under a secret-like name. */
export function isPlainData(value: string): boolean {
  return (
    value.includes('://') || isPath(value) || NUMBER.test(value) || FILE_NAME.test(value) || HOST.test(value) || EMAIL.test(value) ||
    REGEX_SOURCE.test(value) || (CALL.test(value) && isWordLike(value.slice(0, value.indexOf('('))))
  );
}

/** Rooted at `/`, `./`, `~/` or a drive, or words joined by slashes: base64 has slashes too, but no words between them. */
function isPath(value: string): boolean {
  const rooted = /^(?:\.{0,2}\/|~\/|[A-Za-z]:[\\/]|\\\\)/.exec(value)?.[0];
  const parts = value.slice(rooted?.length ?? 0).split(/[\\/]/);
  return (rooted !== undefined || parts.length > 1) && parts.every((part) => isWordLike(part) || /^\W*$/.test(part));
}

/** Whether a value reads as words with any punctuation, or as one identifier: `forge-signing-2024`, `ultraPictureBox1`. */
export function isWordLike(value: string): boolean {
  const parts = value.split(/[-_.:/,;|+=@#!?&~^$*()[\]{}<> ]+/).filter((part) => part !== '');
  return parts.length > 0 && parts.every(isWord);
}

/** Whether a value is one word or words joined as in a name: narrower than isWordLike, for passwords people think up (`Summer2024!`). */
export function isSlug(value: string): boolean {
  return /^(?:[A-Za-z]+|[A-Za-z\d]+(?:[-_./:][A-Za-z\d]+)+)$/.test(value) && isWordLike(value);
}

/** Letters as people write them, with at most a short number before or after: no random run of mixed case. */
function isWord(part: string): boolean {
  if (/^\d{1,6}$/.test(part)) return true;
  const match = /^(\d{0,3})([A-Za-z\u0080-\uffff]+)(\d{0,5})$/.exec(part);
  if (match === null) return false;
  const letters = match[2]!;
  // Single-case strings count as words up to a length no word has unless they are hexadecimal by chance.
  if (/^(?:[A-Z]?[a-z\u0080-\uffff]+|[A-Z]+)$/.test(letters)) return true;
  const humps = letters.match(/[A-Z]{2,}(?![a-z])|[A-Z]?[a-z\u0080-\uffff]+|[A-Z]/g)!;
  return letters.length / humps.length >= 3;
}
