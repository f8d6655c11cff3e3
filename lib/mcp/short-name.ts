/** How much of a name that a client made up is said back to it, in UTF-16 code units. */
const maxNameLength = 128;

/** A name cut to 128 units, never in the middle of a surrogate pair. */
export function shortName(name: string): string {
  if (name.length <= maxNameLength) return name;
  const last = name.charCodeAt(maxNameLength - 1);
  return name.slice(0, last >= 0xd800 && last <= 0xdbff ? maxNameLength - 1 : maxNameLength);
}
