/** Finds 1-based lines and columns of offsets; a line ends at `\n`, `\r\n` or a single `\r`. */
export type LineIndex = {
  lineAt(offset: number): number;
  columnAt(offset: number): number;
  /** How long the line around an offset is, its line end included. */
  lineLengthAt(offset: number): number;
};

/** Makes the line index of a text; the text is only scanned when the first line is asked for. */
export function lineIndex(text: string): LineIndex {
  let starts: readonly number[] | undefined;
  // Most look-ups ask for the line of the one before or a near one.
  let last = 0;
  const indexOf = (offset: number): number => {
    starts ??= lineStarts(text);
    if (starts[last]! <= offset && offset < (starts[last + 1] ?? Infinity)) return last;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    last = low;
    return low;
  };
  return {
    lineAt: (offset) => indexOf(offset) + 1,
    columnAt(offset) {
      const line = indexOf(offset);
      return offset - starts![line]! + 1;
    },
    lineLengthAt(offset) {
      const line = indexOf(offset);
      return (starts![line + 1] ?? text.length) - starts![line]!;
    },
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  if (!text.includes('\r')) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    return starts;
  }
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) starts.push(at + 1);
  }
  return starts;
}
