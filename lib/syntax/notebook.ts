import { lineIndex } from '../text/line-index.ts';

/** One Python cell of a notebook, with the way back from offsets in its source to places in the `.ipynb` text. */
export type NotebookCell = {
  /** 0-based place among all cells, Markdown ones included. */
  readonly cellIndex: number;
  /** The Python text; IPython's `%magic`, `!command` and `help?` lines are overwritten, with offsets kept. */
  readonly source: string;
  /** Offset in the notebook's text of an offset in `source`. */
  offsetAt(offset: number): number;
  /** 1-based line in the notebook's text of an offset in `source`. */
  lineAt(offset: number): number;
  /** 1-based column in the notebook's text of an offset in `source`, in UTF-16 code units. */
  columnAt(offset: number): number;
};

type Span = { readonly start: number; readonly end: number };
type FoundCell = { readonly sheet: number; readonly place: number; readonly cellIndex: number; type: string; language: string; readonly strings: Span[] };

/**
 * Reads the Python cells of a Jupyter notebook (nbformat 4: `cells[].source` is one string or a list of them; nbformat 3:
 * `worksheets[].cells[].input`).
 *
 * Returns what is wrong where the text is no notebook, and no cells where the kernel's language is not Python.
 */
export function parseNotebook(text: string): NotebookCell[] | string {
  let json: unknown;
  try {
    json = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return 'is not valid JSON';
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return 'is no JSON object';
  if (!('cells' in json && Array.isArray(json.cells)) && !('worksheets' in json && Array.isArray(json.worksheets))) return 'has no list of cells as nbformat 3 and 4 do';
  if (!/^i?python/i.test(languageOf(json))) return [];
  const lines = lineIndex(text);
  return findCells(text)
    .filter(({ type, language }) => type === 'code' && /^i?python/i.test(language))
    .map(({ cellIndex, strings }) => {
      const { source, offsetAt } = decode(text, strings);
      return {
        cellIndex, source: withoutMagics(source), offsetAt,
        lineAt: (offset) => lines.lineAt(offsetAt(offset)),
        columnAt: (offset) => lines.columnAt(offsetAt(offset)),
      };
    });
}

function languageOf(notebook: object): string {
  const field = (value: unknown, name: string): unknown => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined);
  const metadata = field(notebook, 'metadata');
  const language = field(field(metadata, 'kernelspec'), 'language') ?? field(field(metadata, 'language_info'), 'name');
  return typeof language === 'string' ? language : 'python';
}

/** Walks valid JSON, which need not be nested shallowly, and notes where the strings of the cells' sources stand. */
function findCells(text: string): FoundCell[] {
  const cells: FoundCell[] = [];
  // The keys and places that lead to the value at hand; an object's last key waits for its value.
  const path: (string | number)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '{') path.push('');
    else if (char === '[') path.push(0);
    else if (char === '}' || char === ']') path.pop();
    else if (char === ',') {
      const last = path[path.length - 1];
      path[path.length - 1] = typeof last === 'number' ? last + 1 : '';
    } else if (char === '"') {
      const end = stringEnd(text, at + 1);
      const last = path[path.length - 1];
      if (last === '' && isKey(text, end)) path[path.length - 1] = JSON.parse(text.slice(at, end)) as string;
      else note(cells, path, text, { start: at + 1, end: end - 1 });
      at = end - 1;
    }
  }
  return cells;
}

const colon = /\s*:/y;

function isKey(text: string, end: number): boolean {
  colon.lastIndex = end;
  return colon.test(text);
}

function note(cells: FoundCell[], path: readonly (string | number)[], text: string, span: Span): void {
  const sheets = path[0] === 'worksheets' && typeof path[1] === 'number';
  const [root, place, field, piece] = sheets ? path.slice(2) : path;
  const depth = sheets ? path.length - 2 : path.length;
  if (root !== 'cells' || typeof place !== 'number' || depth > 4) return;
  const sheet = sheets ? (path[1] as number) : 0;
  let cell = cells[cells.length - 1];
  if (cell?.place !== place || cell.sheet !== sheet) {
    // Every cell has a type, so none is missed in the count.
    cell = { sheet, place, cellIndex: cell === undefined || cell.sheet === sheet ? place + (cell === undefined ? 0 : cell.cellIndex - cell.place) : cell.cellIndex + 1 + place, type: '', language: 'python', strings: [] };
    cells.push(cell);
  }
  if (field === 'cell_type' && depth === 3) cell.type = text.slice(span.start, span.end);
  else if (field === 'language' && depth === 3) cell.language = text.slice(span.start, span.end);
  else if (field === (sheets ? 'input' : 'source') && (depth === 3 || typeof piece === 'number')) cell.strings.push(span);
}

/** The offset just after the quote that ends a JSON string. */
function stringEnd(text: string, from: number): number {
  for (let at = from; ; at += 1) {
    const quote = text.indexOf('"', at);
    let slashes = 0;
    while (text[quote - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    at = quote;
  }
}

/** Joins JSON strings and remembers, at each string and escape, which offset of the result came from where. */
function decode(text: string, strings: readonly Span[]): { source: string; offsetAt(offset: number): number } {
  let source = '';
  const marks: Span[] = [];
  for (const { start, end } of strings) {
    let at = start;
    while (at < end) {
      marks.push({ start: source.length, end: at });
      const slash = text.indexOf('\\', at);
      const stop = slash < 0 || slash >= end ? end : slash;
      source += text.slice(at, stop);
      at = stop;
      if (at === end) break;
      const width = text[at + 1] === 'u' ? 6 : 2;
      marks.push({ start: source.length, end: at });
      source += JSON.parse(`"${text.slice(at, at + width)}"`) as string;
      at += width;
    }
    marks.push({ start: source.length, end });
  }
  const offsetAt = (offset: number): number => {
    let low = 0;
    let high = marks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (marks[middle]!.start <= offset) low = middle;
      else high = middle - 1;
    }
    const mark = marks[low];
    return mark === undefined ? 0 : mark.end + offset - mark.start;
  };
  return { source, offsetAt };
}

/** Cell magics whose body is Python all the same. */
const pythonMagics = /^\s*%%(?:time|timeit|capture|prun|memit|mprun|lprun|python3?|pypy)\b/;
const tokens = /"""|'''|"(?:[^"\\\n]|\\[^])*["\n]?|'(?:[^'\\\n]|\\[^])*['\n]?|#[^\n]*|[()[\]{}]|\\\n|\n/g;

/** Overwrites what is IPython and not Python, where a statement may begin; the length stays. */
function withoutMagics(source: string): string {
  if (/^\s*%%/.test(source) && !pythonMagics.test(source)) return source.replace(/[^\n]/g, ' ');
  let result = '';
  let at = 0;
  while (at < source.length) {
    const lineEnd = source.indexOf('\n', at);
    const line = source.slice(at, lineEnd < 0 ? source.length : lineEnd);
    const plain = withoutMagic(line);
    const next = plain === line ? statementEnd(source, at) : at + line.length + 1;
    result += plain + source.slice(at + line.length, next);
    at = next;
  }
  return result;
}

/** Magics with Python behind them, and their options. */
const runs = /^([ \t]*)(%{1,2}(?:time|timeit|prun|memit|mprun|lprun)[ \t]+(?:-[lsTDf][ \t]+\S+[ \t]+|-(?![lsTDf])[a-zA-Z]\d*[ \t]+(?:\d+[ \t]+)?)*)(?=[^\s-])/;

function withoutMagic(line: string): string {
  const run = runs.exec(line);
  // A statement of its own in front keeps what is run in its column.
  if (run !== null) return `${run[1]}${`pass ${''.padEnd(run[2]!.length - 6)};`}${line.slice(run[0].length)}`;
  const whole = /^([ \t]*)(?:[%!?]|\w[\w.]*\?{1,2}[ \t]*$)/.exec(line);
  // A block must not lose its only statement, nor an assignment its value.
  if (whole !== null) return `${whole[1]}${whole[1] !== '' && line.length >= whole[1]!.length + 4 ? 'pass' : ''}`.padEnd(line.length);
  const assigned = /^([ \t]*\w[\w.,* \t]*=[ \t]*)[%!](?!=)/.exec(line);
  if (assigned === null) return line;
  const value = runs.exec(line.slice(assigned[1]!.length));
  return value === null ? `${assigned[1]}_`.padEnd(line.length) : `${assigned[1]}${' '.repeat(value[0].length)}${line.slice(assigned[1]!.length + value[0].length)}`;
}

/** The offset after the line end that ends the statement beginning at `from`. */
function statementEnd(source: string, from: number): number {
  let depth = 0;
  tokens.lastIndex = from;
  for (let match = tokens.exec(source); match !== null; match = tokens.exec(source)) {
    const [token] = match;
    if (token.length === 3 && token[0] === token[1] && token[0] !== '\\') {
      const close = source.indexOf(token, tokens.lastIndex);
      if (close < 0) return source.length;
      tokens.lastIndex = close + 3;
    } else if ('([{'.includes(token)) depth += 1;
    else if (')]}'.includes(token)) depth -= 1;
    else if (depth <= 0 && token.endsWith('\n') && token !== '\\\n') return tokens.lastIndex;
  }
  return source.length;
}
