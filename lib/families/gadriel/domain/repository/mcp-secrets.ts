/** What in a server's configuration is a secret by its name and its make. */

const secretName = /(?:^|[_-])(?:token|secret|password|passwd|pwd|pat|credentials?|(?:api|access|private|auth)[_-]?key)$|apikey$|authorization$/i;

/** Whether a value is filled in when the server starts: a variable, a template, a stand-in in angle brackets. */
export const isFilledIn = (text: string): boolean => /\$\{?\w|\{(?:env|file):|\{\{|<[\w -]{1,80}>|^%\w{1,80}%$/.test(text);

/** Whether a value under this name is a literal secret. A name that says nothing still counts for `Bearer …`. */
export function looksSecret(name: string, text: string): boolean {
  const bearer = /^(?:Bearer|Basic|Token|ApiKey)\s+(\S{8,})$/i.exec(text)?.[1];
  const value = bearer ?? text;
  const isPlace = /^(?:https?|file|postgres\w*):|^[./~]|\s/i.test(value);
  const isPlaceholder = /your|example|changeme|placeholder|insert|replace|xxxx|\*\*\*|^(?:true|false|\d+)$/i.test(value);
  if (value.length < 8 || isPlace || isPlaceholder) return false;
  return bearer !== undefined || (secretName.test(name) && /\d/.test(value) && /[A-Za-z]/.test(value));
}

/** The name of a parameter of the address that holds a secret. */
export function secretInQuery(url: string): string | undefined {
  for (const [, name = '', value = ''] of url.matchAll(/[?&]([\w.-]{1,60})=([^&#\s]{1,400})/g)) {
    if (!isFilledIn(value) && (looksSecret(name, value) || (/^(?:key|auth)$/i.test(name) && looksSecret('api_key', value)))) return name;
  }
  return undefined;
}
