/** 2^255 - 19, the prime of the field under both curves. */
export const p = 2n ** 255n - 19n;

const HIGH_BIT = 1n << 255n;
/** d of the twisted Edwards curve -x² + y² = 1 + d·x²·y² (RFC 8032, section 5.1): -121665/121666. */
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** The low 255 bits of 32 bytes as a number, little endian: y of a point, or u of an X25519 key. */
export function coordinateOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & (HIGH_BIT - 1n);
}

/** Whether some x belongs to this y: whether (y² - 1) / (d·y² + 1) is a square. */
export function isOnCurve(y: bigint): boolean {
  const square = (y * y) % p;
  // u/v is a square exactly if u·v is one, which spares the division; Euler's criterion says whether it is.
  return power((square - 1n + p) * (d * square + 1n), (p - 1n) / 2n) === 1n;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let factor = base % p;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * factor) % p;
    factor = (factor * factor) % p;
  }
  return result;
}
