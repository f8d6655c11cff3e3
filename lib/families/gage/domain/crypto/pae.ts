/**
 * What is signed for a body of a type: the pre-authentication encoding of DSSE, "DSSEv1 LEN(type) type LEN(body) body" with
 * lengths in bytes. A type for each use keeps a signature made for one from counting for another.
 */
export function pae(type: string, body: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `), body]));
}
