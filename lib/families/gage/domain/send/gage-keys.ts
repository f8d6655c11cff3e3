import { Buffer } from 'node:buffer';

// The quotes may be escaped, as in JSON inside of JSON.
const field = (name: string, value: string): RegExp => new RegExp(`"${name}\\\\{0,3}"\\s{0,8}:\\s{0,8}\\\\{0,3}"${value}`);
const identityFields = [field('sign', '[A-Za-z0-9+/]{43}='), field('box', '[A-Za-z0-9+/]{43}=')];
/** The type alone is no export, so that one may write about them; the sealed text has far more than a hundred characters. */
const exportFields = [field('type', 'gage-identity-export'), field('ct', '[A-Za-z0-9+/]{100}'), field('nonce', '[A-Za-z0-9+/]{16}'), field('salt', '[A-Za-z0-9+/]{22}==')];

/** Where a text holds the private keys of an identity of gage, as identity.key does; -1 where it does not. */
export function identityAt(text: string): number {
  return placeOfAll(identityFields, text);
}

/** Where a text holds an exported identity, as `gage export-identity` makes it; -1 where it does not. */
export function exportAt(text: string): number {
  return placeOfAll(exportFields, text);
}

/** Forms of a private key that a text may hold: base64 without padding, base64url, hex. */
export function keyForms(key: Uint8Array): readonly string[] {
  const bytes = Buffer.from(key);
  const hex = bytes.toString('hex');
  return [...new Set([bytes.toString('base64').replaceAll('=', ''), bytes.toString('base64url'), hex, hex.toUpperCase()])];
}

/** Where the first of some patterns is, if every one is in the text. */
function placeOfAll(patterns: readonly RegExp[], text: string): number {
  const places = patterns.map((pattern) => text.search(pattern));
  return places.includes(-1) ? -1 : (places[0] as number);
}
