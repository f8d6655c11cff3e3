/** Shannon entropy of a string in bits a character, over UTF-16 code units. */
export function shannonEntropy(value: string): number {
  const counts = new Map<number, number>();
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / value.length;
    bits -= share * Math.log2(share);
  }
  return bits;
}

/** How many of the four classes lower case, upper case, digit and anything else a value uses. */
export function characterClasses(value: string): number {
  let lower = 0;
  let upper = 0;
  let digit = 0;
  let other = 0;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code >= 97 && code <= 122) lower = 1;
    else if (code >= 65 && code <= 90) upper = 1;
    else if (code >= 48 && code <= 57) digit = 1;
    else other = 1;
  }
  return lower + upper + digit + other;
}
