import { parseNotebook, type NotebookCell } from '../../../syntax/notebook.ts';
import { parsePythonParts } from '../../../syntax/python-parts.ts';
import { parsePython } from '../../../syntax/python.ts';
import type { PyModule } from '../../../syntax/python.types.ts';
import { lineIndex } from '../../../text/line-index.ts';
import { scanSecrets } from '../../../secrets/scan.ts';
import type { SecretHit } from '../../../secrets/secrets.types.ts';
import { createAnalyser } from './analysis/analyser.ts';
import type { RawFinding } from './analysis/model.types.ts';
import { commentSpans } from './comment-spans.ts';
import type { Finding } from './finding.types.ts';
import { leaveSecrets, mergeFindings } from './merge-findings.ts';
import { ruleSets } from './rules/index.ts';
import { finishFindings, safeNote, sastFinding, secretFinding, type Draft } from './make-finding.ts';
import { statementLines } from './statement-lines.ts';
import { readSuppressions } from './suppressions.ts';

/** A decoded text under scan. `path` is how findings name it. */
export type Source = {
  readonly text: string;
  readonly path: string;
  readonly kind: 'python' | 'notebook' | 'other';
  readonly language: string;
  readonly profile: 'default' | 'audit';
};

/**
 * Findings in order of line and rule; `sast` says whether code was analysed (a notebook's kernel may be no Python);
 * `incomplete` says why the analysis stopped early, if it did.
 */
export type SourceScan = { readonly findings: readonly Finding[]; readonly sast: boolean; readonly incomplete: string | undefined };

const analyser = createAnalyser({ matchers: ruleSets.flatMap((set) => set.matchers) });

/** Scans one text for vulnerabilities (Python, notebooks) and secrets; what a comment in it silences is left out. */
export function scanSource(source: Source): SourceScan {
  const { text, path, kind, language, profile } = source;
  const secrets = scanSecrets(text, { path, language });
  if (kind === 'python') {
    const module = parsePython(text);
    const { findings, incomplete } = analyser.analyse(module, { path, profile });
    const suppressions = readSuppressions(text, module.comments, (offset) => module.lineAt(offset));
    const rangeOf = (offset: number) => statementLines(module, offset);
    const drafts = [
      // What is silenced goes first: a finding must not take one along that is silenced, nor be silenced with it.
      ...mergeFindings(leaveSecrets(findings, secrets).filter((raw) => !suppressions.covers({ ruleId: raw.ruleId, ...rangeOf(raw.start) })))
        .map((raw) => sastFinding(raw, module)),
      ...secrets.filter((hit) => !suppressions.covers({ ruleId: hit.detectorId, ...rangeOf(hit.start) })).map(secretFinding),
    ];
    return { findings: finishFindings(drafts, text, path, secrets), sast: true, incomplete: incomplete ?? unreadNote(module) };
  }
  const { lineAt } = lineIndex(text);
  const suppressions = readSuppressions(text, commentSpans(text, language), lineAt);
  const cells = kind === 'notebook' ? scanCells(source, secrets) : undefined;
  const isSilenced = (hit: SecretHit): boolean =>
    suppressions.covers({ ruleId: hit.detectorId, firstLine: hit.line, lastLine: hit.endLine }) || cells?.silenced.has(hit) === true;
  const drafts = [
    ...secrets.filter((hit) => !isSilenced(hit)).map((hit) => inCell(secretFinding(hit), cells?.places.get(hit))),
    ...(cells?.drafts ?? []),
  ];
  return { findings: finishFindings(drafts, text, path, secrets), sast: cells?.sast === true, incomplete: cells?.incomplete };
}

/** Tells of code that was not read at all; undefined where all was. */
const unreadNote = ({ unreadFrom, lineAt }: PyModule): string | undefined =>
  unreadFrom === undefined ? undefined : `from line ${lineAt(unreadFrom)} on the text is too unlike Python to be analysed`;

/** Numbers of a cell and of a line in it, from 1. */
type CellPlace = { readonly cell: number; readonly line: number };

/**
 * What the Python cells of a notebook add: findings of their code, where in them the secrets are, and which of these a
 * comment silences.
 */
type CellScan = {
  readonly drafts: readonly Draft[];
  readonly places: ReadonlyMap<SecretHit, CellPlace>;
  readonly silenced: ReadonlySet<SecretHit>;
  readonly sast: boolean;
  readonly incomplete: string | undefined;
};

/** Analyses the Python cells of a notebook as one module, since each sees the names of those before; places are those of the notebook's own text. */
function scanCells({ text, path, profile }: Source, secrets: readonly SecretHit[]): CellScan {
  const places = new Map<SecretHit, CellPlace>();
  const silenced = new Set<SecretHit>();
  const cells = parseNotebook(text);
  if (typeof cells === 'string') return { drafts: [], places, silenced, sast: false, incomplete: `the notebook ${cells}, so its code was not analysed` };
  const { module, starts } = parsePythonParts(cells.map(({ source }) => source));
  const placeOf = (index: number, offset: number): CellPlace =>
    ({ cell: cells[index]!.cellIndex + 1, line: module.lineAt(offset) - module.lineAt(starts[index]!) + 1 });
  const suppressions = readSuppressions(module.text, module.comments, (offset) => module.lineAt(offset));
  const silences = (ruleId: string, offset: number): boolean => suppressions.covers({ ruleId, ...statementLines(module, offset) });
  // Cells and secrets both stand in order, so each secret is looked at once.
  const spans: { start: number; end: number }[] = [];
  let next = 0;
  cells.forEach((cell, index) => {
    const [start, end] = [cell.offsetAt(0), cell.offsetAt(cell.source.length)];
    for (let hit = secrets[next]; hit !== undefined && hit.start < end; hit = secrets[++next]) {
      if (hit.start < start) continue;
      const offset = starts[index]! + sourceOffset(cell, hit.start);
      spans.push({ start: offset, end: starts[index]! + sourceOffset(cell, hit.end) });
      places.set(hit, placeOf(index, offset));
      if (silences(hit.detectorId, offset)) silenced.add(hit);
    }
  });
  const { findings, incomplete } = analyser.analyse(module, { path, profile });
  const locate = (offset: number): { cell: NotebookCell; at: number; place: CellPlace } => {
    const index = lastAtOrBefore(starts.length, offset, (each) => starts[each]!);
    return { cell: cells[index]!, at: offset - starts[index]!, place: placeOf(index, offset) };
  };
  const drafts = mergeFindings(leaveSecrets(findings, spans).filter((raw) => !silences(raw.ruleId, raw.start)))
    .map((raw) => inNotebook(raw, module, locate));
  return { drafts, places, silenced, sast: cells.length > 0, incomplete: incomplete ?? unreadNote(module) };
}

/** The offset in a cell's source of a place in the notebook's text: the last one that lies at or before it. */
const sourceOffset = (cell: NotebookCell, offset: number): number => lastAtOrBefore(Math.max(1, cell.source.length), offset, (each) => cell.offsetAt(each));

/** Of `count` rising numbers the index of the last that is not above `limit`; 0 without one. */
function lastAtOrBefore(count: number, limit: number, numberAt: (index: number) => number): number {
  let low = 0;
  let high = count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (numberAt(middle) <= limit) low = middle;
    else high = middle;
  }
  return low;
}

function inNotebook(raw: RawFinding, module: PyModule, locate: (offset: number) => { cell: NotebookCell; at: number; place: CellPlace }): Draft {
  const { cell, at, place } = locate(raw.start);
  const end = at + raw.end - raw.start;
  return {
    ...inCell(sastFinding(raw, module), place),
    line: cell.lineAt(at),
    column: cell.columnAt(at),
    endLine: cell.lineAt(end),
    endColumn: cell.columnAt(end),
    trace: raw.trace.map(({ offset, note }) => {
      const step = locate(offset);
      return { line: step.cell.lineAt(step.at), note: safeNote(note) };
    }),
  };
}

/** Names the cell that a finding lies in, if it lies in one. */
function inCell(draft: Draft, place: CellPlace | undefined): Draft {
  if (place === undefined) return draft;
  return { ...draft, message: `${draft.message} (cell ${place.cell}, line ${place.line})`, tags: [...draft.tags, `cell:${place.cell}`] };
}
