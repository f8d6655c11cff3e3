/** Finds the 1-based line of an offset; `\n`, `\r\n` and `\r` end a line. */
export class LineIndex {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (const match of text.matchAll(/\r\n|\r|\n/g)) this.#starts.push(match.index + match[0].length);
  }

  lineAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}
