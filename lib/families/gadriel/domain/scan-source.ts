import { parseNotebook, type NotebookCell } from '../../../syntax/notebook.ts';
import { parsePythonParts } from '../../../syntax/python-parts.ts';
import { parsePython } from '../../../syntax/python.ts';
import type { PyModule } from '../../../syntax/python.types.ts';
import { lineIndex } from '../../../text/line-index.ts';
import type { SecretHit } from '../../../secrets/secrets.types.ts';
import type { RawFinding } from './analysis/model.types.ts';
import { commentSpans } from './comment-spans.ts';
import { severities, type Finding } from './finding.types.ts';
import { leaveSecrets, mergeFindings } from './merge-findings.ts';
import { isMcpConfig, mcpDrafts } from './repository/mcp-config.ts';
import { plainRules, type ScanRules } from './scan-rules.ts';
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
  /** What to look for, where it is not the built-in set. */
  readonly rules?: ScanRules;
  /** Keeps what a comment silences, waived and tagged, instead of leaving it out. */
  readonly keepSuppressed?: boolean;
};

/**
 * Findings in order of line and rule; `sast` says whether code was analysed (a notebook's kernel may be no Python);
 * `incomplete` says why the analysis stopped early, if it did.
 */
export type SourceScan = { readonly findings: readonly Finding[]; readonly sast: boolean; readonly incomplete: string | undefined };

/** Scans one text for vulnerabilities (Python, notebooks), secrets and risky MCP configuration; what a comment in it silences is left out. */
export function scanSource(source: Source): SourceScan {
  const { text, path, kind, language, profile, rules = plainRules(), keepSuppressed = false } = source;
  const secrets = rules.secretsIn(text, { path, language });
  const finish = (drafts: readonly Draft[]): readonly Finding[] =>
    finishFindings(rules.adjust(drafts), text, path, secrets).filter((each) => keepSuppressed || !each.waived);
  if (kind === 'python') {
    const module = parsePython(text);
    const { findings, incomplete } = rules.analyser().analyse(module, { path, profile });
    return { findings: finish(pythonDrafts(module, findings, secrets, rules)), sast: true, incomplete: incomplete ?? unreadNote(module) };
  }
  const { lineAt } = lineIndex(text);
  const suppressions = readSuppressions(text, commentSpans(text, language), lineAt);
  const cells = kind === 'notebook' ? scanCells(source, secrets, rules) : undefined;
  const isSilenced = (hit: SecretHit): boolean =>
    suppressions.covers({ ruleId: hit.detectorId, firstLine: hit.line, lastLine: hit.endLine }) || cells?.silenced.has(hit) === true;
  const mcp = isMcpConfig(path) ? mcpDrafts(text, secrets) : [];
  const told = rules.adjust(mcp);
  const drafts = [
    ...secrets.filter((hit) => !isToldBy(told, hit)).map((hit) => ({ ...inCell(secretFinding(hit), cells?.places.get(hit)), suppressed: isSilenced(hit) })),
    ...(cells?.drafts ?? []),
    ...mcp.map((draft) => ({ ...draft, suppressed: suppressions.covers({ ruleId: draft.ruleId, firstLine: draft.line, lastLine: draft.endLine }) })),
  ];
  return { findings: finish(drafts), sast: cells?.sast === true, incomplete: cells?.incomplete };
}

/** Detectors that know a secret by the name of its key, or by the header that it stands in. */
const byName = /^CODE-W1-SECRET-07[15]$/;

/** Whether a rule for configuration tells of a secret, as gravely, of which the detector knows no more than that rule: one finding is enough. */
const isToldBy = (drafts: readonly Draft[], { detectorId, severity, line, column }: SecretHit): boolean =>
  byName.test(detectorId) && drafts.some((draft) => draft.ruleId === 'CODE-W2-CONFIG-MCP-002' && severities.indexOf(draft.severity) <= severities.indexOf(severity) && draft.line === line && draft.column <= column && column <= draft.endColumn);

/** What was found in a Python module, ready to be finished: merged, with secrets, and marked where a comment silences it. */
export function pythonDrafts(module: PyModule, findings: readonly RawFinding[], secrets: readonly SecretHit[], rules: ScanRules): Draft[] {
  const suppressions = readSuppressions(module.text, module.comments, (offset) => module.lineAt(offset));
  const silences = (ruleId: string, offset: number): boolean => suppressions.covers({ ruleId, ...statementLines(module, offset) });
  return [
    ...mergedApart(leaveSecrets(rules.wanted(findings), secrets), (raw) => silences(raw.ruleId, raw.start))
      .map(({ raw, suppressed }) => ({ ...sastFinding(raw, module), suppressed })),
    ...secrets.map((hit) => ({ ...secretFinding(hit), suppressed: silences(hit.detectorId, hit.start) })),
  ];
}

/** Merges what is silenced apart from the rest: a finding must not take one along that is silenced, nor be silenced with it. */
function mergedApart(findings: readonly RawFinding[], isSilenced: (raw: RawFinding) => boolean): { readonly raw: RawFinding; readonly suppressed: boolean }[] {
  const silenced = new Set(findings.filter(isSilenced));
  return [
    ...mergeFindings(findings.filter((raw) => !silenced.has(raw))).map((raw) => ({ raw, suppressed: false })),
    ...mergeFindings([...silenced]).map((raw) => ({ raw, suppressed: true })),
  ];
}

/** Tells of code that was not read at all; undefined where all was. */
export const unreadNote = ({ unreadFrom, tooDeepAt, lineAt }: PyModule): string | undefined => {
  if (unreadFrom !== undefined) return `from line ${lineAt(unreadFrom)} on the text is too unlike Python to be analysed`;
  return tooDeepAt === undefined ? undefined : 'code nested too deeply was left out';
};

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
function scanCells({ text, path, profile }: Source, secrets: readonly SecretHit[], rules: ScanRules): CellScan {
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
  const { findings, incomplete } = rules.analyser().analyse(module, { path, profile });
  const locate = (offset: number): { cell: NotebookCell; at: number; place: CellPlace } => {
    const index = lastAtOrBefore(starts.length, offset, (each) => starts[each]!);
    return { cell: cells[index]!, at: offset - starts[index]!, place: placeOf(index, offset) };
  };
  const drafts = mergedApart(leaveSecrets(rules.wanted(findings), spans), (raw) => silences(raw.ruleId, raw.start))
    .map(({ raw, suppressed }) => ({ ...inNotebook(raw, module, locate), suppressed }));
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
