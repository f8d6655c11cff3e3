/** Standard base64 with padding (RFC 4648, section 4). */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/**
 * Bytes of strict base64, undefined for anything else: another alphabet, white space, missing padding, spare bits that
 * are not zero, or another number of bytes than `length`.
 *
 * Node decodes all of these without a word, so the text is made again from the bytes and must be the same.
 */
export function fromBase64(text: string, length?: number): Uint8Array | undefined {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  return toBase64(bytes) === text && (length === undefined || bytes.length === length) ? bytes : undefined;
}
