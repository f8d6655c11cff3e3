/** Finds every occurrence of many lower-case ASCII words in one pass (Aho-Corasick as a dense table). */
export type KeywordAutomaton = {
  /** Calls `onHit(word index, offset just past the word)` for each occurrence, ignoring ASCII case, ends ascending. */
  readonly scan: (text: string, onHit: (word: number, end: number) => void) => void;
};

/** Builds the automaton over `words`: lower-case ASCII, no duplicates, none empty. */
export function buildKeywordAutomaton(words: readonly string[]): KeywordAutomaton {
  // Only characters that occur in words get a class of their own: a small table stays in the cache.
  const classOf = new Uint8Array(65536);
  let classes = 1;
  for (const word of words) {
    for (let i = 0; i < word.length; i++) {
      const code = word.charCodeAt(i);
      if (classOf[code] === 0) classOf[code] = classes++;
    }
  }
  for (let code = 65; code <= 90; code++) classOf[code] = classOf[code + 32]!;

  const rows: number[][] = [new Array<number>(classes).fill(0)];
  const outputs: number[][] = [[]];
  for (const [index, word] of words.entries()) {
    let state = 0;
    for (let i = 0; i < word.length; i++) {
      const cls = classOf[word.charCodeAt(i)]!;
      if (rows[state]![cls] === 0) {
        rows[state]![cls] = rows.length;
        rows.push(new Array<number>(classes).fill(0));
        outputs.push([]);
      }
      state = rows[state]![cls]!;
    }
    outputs[state]!.push(index);
  }

  // Breadth first: a missing edge becomes the failure state's edge, so that scanning takes one lookup a character.
  const failure = new Array<number>(rows.length).fill(0);
  const queue: number[] = rows[0]!.filter((next) => next !== 0);
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head]!;
    outputs[state]!.push(...outputs[failure[state]!]!);
    for (let cls = 0; cls < classes; cls++) {
      const next = rows[state]![cls]!;
      const fallback = rows[failure[state]!]![cls]!;
      if (next === 0) rows[state]![cls] = fallback;
      else {
        failure[next] = fallback;
        queue.push(next);
      }
    }
  }

  // States are stored as row offsets; those that report get the numbers from `firstReporting` on, so one comparison tells.
  const order = [...rows.keys()].sort((a, b) => Number(outputs[a]!.length > 0) - Number(outputs[b]!.length > 0) || a - b);
  const position = new Array<number>(rows.length).fill(0);
  order.forEach((state, index) => (position[state] = index));
  const table = new Int32Array(rows.length * classes);
  order.forEach((state, index) => rows[state]!.forEach((next, cls) => (table[index * classes + cls] = position[next]! * classes)));
  const reports = order.map((state) => outputs[state]!);
  const firstReporting = reports.findIndex((list) => list.length > 0) * classes;

  return {
    scan(text, onHit) {
      let row = 0;
      for (let i = 0; i < text.length; i++) {
        row = table[row + classOf[text.charCodeAt(i)]!]!;
        if (row >= firstReporting) {
          for (const word of reports[row / classes]!) onHit(word, i + 1);
        }
      }
    },
  };
}
