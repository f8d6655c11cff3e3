/** Functions whose body is not in sight and whose name says what they check. */
import { clearBit } from './value-bits.ts';

const { path, url, shell, option, sql, html, all } = clearBit;

/** `is_within_directory(base, path)` and the like: a check of a path, whichever argument the path is. */
const within = /^_*(?:is_?)?(?:within|inside|subpath|sub_path|contained|path_in|in_directory|safe_join|under)(?:_|$|[A-Z])/i;
const verb = '^_*(?:(?:is|has|check|verify|validate|ensure|assert)_?)*';
const checked = '(?:safe|valid|allowed|permitted|trusted|whitelisted|allowlisted|check|verify|validate|ensure|local|relative)';
const subject = (words: string): RegExp => new RegExp(`${verb}${checked}_?(?:\\w{0,30}_)?(?:${words})(?:s|es)?(?:_|$)`
  + `|^_*(?:is_)?(?:${words})_(?:is_)?(?:safe|valid|allowed|trusted)$`, 'i');

/** What the name speaks of, and the kinds that such a check clears. The order decides: a host is more than a URL. */
const subjects: readonly (readonly [name: RegExp, bits: number])[] = [
  [subject('uuid|guid|integer|int|number|numeric|digits|ip|ip_?address|ipv[46]|port|hex|slug|identifier|alphanumeric'), all],
  [subject('host|host_?name|domain|domain_?name|origin|netloc'), url | shell | option | sql | html],
  [subject('url|uri|link|redirect|redirect_?url|next|next_?url|host_and_scheme|target_?url'), url],
  [subject('path|dir|directory|folder|file_?path|file_?name'), path],
  [subject('command|cmd|shell'), shell | option],
  [subject('column|column_?name|table|table_?name|field|field_?name|sort|order|order_?by'), sql],
];

/** `isSafePath` as `is_Safe_Path`. */
const snakeCase = (name: string): string => name.replace(/([a-z0-9])(?=[A-Z])/g, '$1_');

/** Kinds that a check of this name clears its argument for, by its name alone; 0 = the name does not say what it checks. */
export const kindsByName = (written: string): { readonly bits: number; readonly anyArgument: boolean } => {
  const name = snakeCase(written.slice(0, 81));
  if (written.length > 80) return { bits: 0, anyArgument: false };
  if (within.test(name)) return { bits: path, anyArgument: true };
  const bits = subjects.find(([pattern]) => pattern.test(name))?.[1] ?? 0;
  // Of a folder and a path either may come first. What a file is allowed to be called is mostly a question of extensions.
  if (bits === path) return /allowed|permitted/i.test(name) && !/path|dir|folder/i.test(name) ? { bits: 0, anyArgument: false } : { bits, anyArgument: true };
  return { bits, anyArgument: false };
};
