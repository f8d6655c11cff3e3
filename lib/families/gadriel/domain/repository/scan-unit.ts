import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { parsePython } from '../../../../syntax/python.ts';
import type { PyModule } from '../../../../syntax/python.types.ts';
import { languageOf } from '../../../../secrets/languages.ts';
import type { OpenAnalysis, Value } from '../analysis/model.types.ts';
import { decodeSource } from '../decode-source.ts';
import { finishFindings } from '../make-finding.ts';
import { readSource } from '../read-source.ts';
import type { ScanRules } from '../scan-rules.ts';
import { pythonDrafts, scanSource, unreadNote } from '../scan-source.ts';
import { isNotebook, isPython } from '../source-path.ts';
import { isToolFailed } from '../tool-failed.ts';
import type { ModuleIndex } from './module-index.ts';
import type { BatchRequest, FileScan, ForeignDrafts, PlannedFile, UnitOutcome, UnitRequest } from './repository.types.ts';

/** Most text outside of a unit that is looked into for its sake, in all and in one module, in UTF-16 code units; and how long a chain of imports is followed. */
const maxOutsideLength = 150_000;
const maxOutsideModule = 40_000;
const maxImportDepth = 20;

/** Where texts come from. */
export type Sources = Pick<BatchRequest, 'root' | 'texts' | 'undecoded'>;

type Opened = { readonly path: string; readonly module: PyModule; readonly analysis: OpenAnalysis; readonly hash: string; readonly isMain: boolean };

type Text = { readonly text: string; readonly hash: string; readonly undecoded?: string };

/**
 * Reads and decodes a file, or takes the text that stands for it; `undecoded` says why it is no text that Python would
 * take: it is read byte by byte then, for its secrets. Throws ToolFailed where it can not be read.
 */
function readText({ root, texts, undecoded: reasons = {} }: Sources, file: string): Text {
  // A text is decoded already: what it declares of its encoding is about the file.
  if (Object.hasOwn(texts, file)) {
    const undecoded = Object.hasOwn(reasons, file) ? reasons[file] : undefined;
    return { text: (texts[file] as string).replace(/^\uFEFF/, ''), hash: sha256(texts[file] as string), ...(undecoded !== undefined && { undecoded }) };
  }
  const bytes = readSource(path.join(root, file));
  const hash = sha256(bytes);
  try {
    return { text: decodeSource(bytes, file), hash };
  } catch (error) {
    if (!isToolFailed(error)) throw error;
    return { text: Buffer.from(bytes).toString('latin1'), hash, undecoded: error.message };
  }
}

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Scans one file on its own: secrets, notebooks, MCP configuration, and Python that no index knows (scripts by their first line). */
export function scanAlone(sources: Sources, { path: file, hash: planned }: PlannedFile, rules: ScanRules): FileScan {
  try {
    const { text, hash, undecoded } = readText(sources, file);
    const python = undecoded === undefined && isPython(file, text);
    const { findings, incomplete = undecoded } = scanSource({
      text, path: file, kind: python ? 'python' : isNotebook(file) ? 'notebook' : 'other', language: python ? 'python' : languageOf(file),
      profile: rules.settings.profile, rules, keepSuppressed: true,
    });
    return { path: file, hash, findings, ...(incomplete !== undefined && { incomplete }), ...(undecoded !== undefined && { undecoded: true }) };
  } catch (error) {
    return failedScan(file, planned, error);
  }
}

function failedScan(file: string, hash: string, error: unknown): FileScan {
  if (!isToolFailed(error)) throw error;
  return { path: file, hash, findings: [], failed: error.message };
}

/** Analyses the modules of a unit together; what they import is opened when a name of it is asked for. */
export function scanUnit(sources: Sources, { modules }: UnitRequest, index: ModuleIndex, rules: ScanRules): UnitOutcome {
  const mains = new Map(modules.map((module) => [module.path, module]));
  const opened = new Map<string, Opened | undefined>();
  const failed = new Map<string, FileScan>();
  const looked = new Map<string, PlannedFile>();
  const lookups = new Map<string, Map<string, string>>();
  let outside = 0;
  let depth = 0;
  const started: Opened[] = [];
  let binding = false;
  /** Mains in the order of their start, in which what a module imports comes before it, as far as that is no circle. */
  const ready: Opened[] = [];

  const open = (file: string): Opened | undefined => {
    if (opened.has(file)) return opened.get(file);
    const isMain = mains.has(file);
    if (depth >= maxImportDepth || (!isMain && outside >= maxOutsideLength)) return undefined;
    opened.set(file, undefined);
    if (!isMain) looked.set(file, { path: file, hash: '' });
    depth++;
    try {
      const { text, hash, undecoded } = readText(sources, file);
      if (!isMain) looked.set(file, { path: file, hash });
      if (undecoded !== undefined) {
        failed.set(file, scanAlone(sources, { path: file, hash }, rules));
        return undefined;
      }
      // Helpers are small; what is large is a subject of its own.
      if (!isMain && text.length > maxOutsideModule) return undefined;
      if (!isMain) outside += text.length;
      const module = parsePython(text);
      const analysis = rules.analyser().open(module, { path: file, profile: rules.settings.profile, resolveImport: resolver(file) });
      const entry = { path: file, module, analysis, hash, isMain };
      // Known before it is walked: modules that import each other see what there is.
      opened.set(file, entry);
      started.push(entry);
      analysis.start();
      if (isMain) ready.push(entry);
      return entry;
    } catch (error) {
      failed.set(file, failedScan(file, mains.get(file)?.hash ?? '', error));
      return undefined;
    } finally {
      depth--;
      if (depth === 0) bindStarted();
    }
  };

  /** What modules that import each other have not seen of each other while they were started. */
  const bindStarted = (): void => {
    if (binding) return;
    binding = true;
    while (started.length > 0) started.splice(0).forEach(({ analysis }) => analysis.bind());
    binding = false;
  };

  const find = (from: string, owner: string): string | undefined => {
    const file = index.find(from, owner);
    if (index.isForeign(owner)) return undefined;
    // Files of one folder find the same.
    const folder = path.posix.dirname(from);
    const names = lookups.get(folder) ?? new Map<string, string>();
    lookups.set(folder, names.set(owner, file ?? ''));
    return file;
  };

  const resolver = (from: string): ((name: string) => Value | undefined) => {
    const known = new Map<string, string | undefined>();
    return (name) => {
      const dot = name.lastIndexOf('.');
      const owner = name.slice(0, dot + (/^\.*$/.test(name.slice(0, dot)) ? 1 : 0));
      if (dot < 0 || owner === '') return undefined;
      if (!known.has(owner)) known.set(owner, find(from, owner));
      const file = known.get(owner);
      const wanted = name.slice(dot + 1);
      // Modules outside are opened for a name alone.
      if (file === undefined || file === from || (wanted === '' && !mains.has(file))) return undefined;
      const entry = open(file);
      if (entry === undefined || wanted === '') return undefined;
      // It may pass on what it has not found itself yet.
      if (binding && depth === 0) entry.analysis.bind(wanted);
      return entry.analysis.exported(wanted);
    };
  };

  // Alone, an analysis may forget the names of earlier ones.
  rules.analyser().analyse(parsePython(''));
  for (const { path: file } of modules) open(file);
  // Of modules outside only those functions are walked that are called.
  for (const { analysis } of ready) analysis.finish();
  const files = modules.map(({ path: file }) => {
    const entry = opened.get(file);
    return entry === undefined ? (failed.get(file) as FileScan) : finishMain(entry, rules);
  });
  const foreign = [...opened.values()].flatMap((entry) => (entry === undefined || entry.isMain ? [] : foreignDrafts(entry, rules)));
  return { files, foreign, opened: [...looked.values()].sort((a, b) => (a.path < b.path ? -1 : 1)), lookups: [...lookups].map(([folder, names]) => [folder, [...names]]) };
}

function finishMain({ path: file, module, analysis, hash }: Opened, rules: ScanRules): FileScan {
  const { findings, incomplete = unreadNote(module) } = analysis.result();
  const secrets = rules.secretsIn(module.text, { path: file, language: 'python' });
  const drafts = rules.adjust(pythonDrafts(module, findings, secrets, rules));
  return { path: file, hash, findings: finishFindings(drafts, module.text, file, secrets), ...(incomplete !== undefined && { incomplete }) };
}

/** Of a module outside of the unit only what came about through a call from another module: the rest is told by its own unit. */
function foreignDrafts({ path: file, module, analysis }: Opened, rules: ScanRules): ForeignDrafts[] {
  const findings = analysis.result().findings.filter((finding) => finding.trace.some((step) => step.path !== undefined));
  if (findings.length === 0) return [];
  const drafts = rules.adjust(pythonDrafts(module, findings, [], rules));
  return drafts.length === 0 ? [] : [{ path: file, drafts }];
}
