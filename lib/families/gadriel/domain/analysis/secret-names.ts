/** Names that say that what they hold is a secret. */

const words = /pass(?:word|wd|phrase)|(?:^|_)pwd(?:_|$)|secret|(?:api|access|private|auth|signing|encryption)_?key|(?:^|_)token(?:$|_(?!type|count|limit|len|id|url|size|usage|name|ize|class|cls|re|pattern|iter|stream|max|start|end|line|pos|kind))|credential|(?:access|auth|refresh|bearer|session|reset|csrf|jwt|id)_?token$/i;
const notSecret = /(?:hash|hashed|file|path|url|uri|field|form|input|label|prompt|policy|length|len|min|max|name|type|id|count|regex|pattern|validator|hasher|widget|required|changed|expire|expires|expiry|ttl|reset|incorrect|error|help|tokens)$/i;

const cache = new Map<string, boolean>();
const maximumCached = 50_000;

/** Whether a variable, attribute or key name holds a secret by its words (password, api_key, token, …). */
export const secretName = (name: string): boolean => {
  const known = cache.get(name);
  if (known !== undefined) return known;
  if (cache.size >= maximumCached) cache.clear();
  const result = name.length < 80 && words.test(name) && !notSecret.test(name);
  cache.set(name, result);
  return result;
};
