const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

/** CRC32 (IEEE) of an ASCII string; `zlib.crc32` is not in the first releases of Node 20. */
function crc32(ascii: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < ascii.length; i++) crc = CRC_TABLE[(crc ^ ascii.charCodeAt(i)) & 255]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/**
 * Whether a GitHub or npm token (`ghp_…`, 36 characters after the prefix) ends in the base62 CRC32 of the 30 characters before it,
 * as GitHub's description of its token format says.
 */
export function hasTokenChecksum(token: string): boolean {
  const body = token.slice(-36, -6);
  let rest = crc32(body);
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = BASE62[rest % 62]! + digits;
    rest = Math.floor(rest / 62);
  }
  return token.endsWith(digits);
}

/** Whether a base64url segment is a JSON object that names an `alg`: the header of a JWT. */
export function isJwtHeader(segment: string): boolean {
  try {
    const header: unknown = JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'));
    return typeof header === 'object' && header !== null && 'alg' in header;
  } catch {
    return false;
  }
}
