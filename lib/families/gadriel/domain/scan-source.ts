import { parseNotebook, type NotebookCell } from '../../../syntax/notebook.ts';
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
    return { findings: finishFindings(drafts, text, path, secrets), sast: true, incomplete };
  }
  const { lineAt } = lineIndex(text);
  const suppressions = readSuppressions(text, commentSpans(text, language), lineAt);
  const cells = kind === 'notebook' ? scanCells(source, secrets) : undefined;
  const isSilenced = (hit: SecretHit): boolean =>
    suppressions.covers({ ruleId: hit.detectorId, firstLine: hit.line, lastLine: hit.endLine }) || cells?.silenced.has(hit) === true;
  const drafts = [...secrets.filter((hit) => !isSilenced(hit)).map(secretFinding), ...(cells?.drafts ?? [])];
  return { findings: finishFindings(drafts, text, path, secrets), sast: cells?.sast === true, incomplete: cells?.incomplete };
}

/** What the Python cells of a notebook add: findings of their code, and which secrets a comment of theirs silences. */
type CellScan = { readonly drafts: readonly Draft[]; readonly silenced: ReadonlySet<SecretHit>; readonly sast: boolean; readonly incomplete: string | undefined };

/** Analyses the Python cells of a notebook; places are those of the notebook's own text. */
function scanCells({ text, path, profile }: Source, secrets: readonly SecretHit[]): CellScan {
  const drafts: Draft[] = [];
  const silenced = new Set<SecretHit>();
  let incomplete: string | undefined;
  let next = 0;
  const cells = parseNotebook(text);
  if (cells === undefined) return { drafts, silenced, sast: false, incomplete: 'the notebook is not valid JSON, so its code was not analysed' };
  for (const cell of cells) {
    const module = parsePython(cell.source);
    const result = analyser.analyse(module, { path, profile });
    incomplete ??= result.incomplete;
    const suppressions = readSuppressions(cell.source, module.comments, (offset) => module.lineAt(offset));
    const silences = (ruleId: string, offset: number): boolean => suppressions.covers({ ruleId, ...statementLines(module, offset) });
    const loud = result.findings.filter((raw) => !silences(raw.ruleId, raw.start));
    for (const raw of mergeFindings(loud)) drafts.push(inNotebook(raw, module, cell));
    // Cells and secrets both stand in order, so each secret is looked at once.
    const [start, end] = [cell.offsetAt(0), cell.offsetAt(cell.source.length)];
    for (let hit = secrets[next]; hit !== undefined && hit.start < end; hit = secrets[++next]) {
      if (hit.start >= start && silences(hit.detectorId, sourceOffset(cell, hit.start))) silenced.add(hit);
    }
  }
  return { drafts, silenced, sast: cells.length > 0, incomplete };
}

/** The offset in a cell's source of a place in the notebook's text: the last one that lies at or before it. */
function sourceOffset(cell: NotebookCell, offset: number): number {
  let low = 0;
  let high = cell.source.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (cell.offsetAt(middle) <= offset) low = middle;
    else high = middle;
  }
  return low;
}

function inNotebook(raw: RawFinding, module: PyModule, cell: NotebookCell): Draft {
  const draft = sastFinding(raw, module);
  return {
    ...draft,
    message: `${draft.message} (cell ${cell.cellIndex + 1}, line ${draft.line})`,
    tags: [...draft.tags, `cell:${cell.cellIndex + 1}`],
    line: cell.lineAt(raw.start),
    column: cell.columnAt(raw.start),
    endLine: cell.lineAt(raw.end),
    endColumn: cell.columnAt(raw.end),
    trace: raw.trace.map(({ offset, note }) => ({ line: cell.lineAt(offset), note: safeNote(note) })),
  };
}
