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
export type Sources = Pick<BatchRequest, 'root' | 'texts'>;

type Opened = { readonly path: string; readonly module: PyModule; readonly analysis: OpenAnalysis; readonly hash: string; readonly isMain: boolean };

/** Reads and decodes a file, or takes the text that stands for it. Throws ToolFailed where it can not be scanned. */
function readText({ root, texts }: Sources, file: string): { readonly text: string; readonly hash: string } {
  // A text is decoded already: what it declares of its encoding is about the file.
  if (Object.hasOwn(texts, file)) return { text: (texts[file] as string).replace(/^\uFEFF/, ''), hash: sha256(texts[file] as string) };
  const bytes = readSource(path.join(root, file));
  return { text: decodeSource(bytes, file), hash: sha256(bytes) };
}

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Scans one file on its own: secrets, notebooks, MCP configuration, and Python that no index knows (scripts by their first line). */
export function scanAlone(sources: Sources, { path: file, hash: planned }: PlannedFile, rules: ScanRules): FileScan {
  try {
    const { text, hash } = readText(sources, file);
    const python = isPython(file, text);
    const { findings, incomplete } = scanSource({
      text, path: file, kind: python ? 'python' : isNotebook(file) ? 'notebook' : 'other', language: python ? 'python' : languageOf(file),
      profile: rules.settings.profile, rules, keepSuppressed: true,
    });
    return { path: file, hash, findings, ...(incomplete !== undefined && { incomplete }) };
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
  let outside = 0;
  let depth = 0;

  const open = (file: string): Opened | undefined => {
    // Undefined while it is being opened: modules that import each other see what there is.
    if (opened.has(file)) return opened.get(file);
    const isMain = mains.has(file);
    if (depth >= maxImportDepth || (!isMain && outside >= maxOutsideLength)) return undefined;
    opened.set(file, undefined);
    try {
      const { text, hash } = readText(sources, file);
      if (!isMain) {
        looked.set(file, { path: file, hash });
        // Helpers are small; what is large is a subject of its own.
        if (text.length > maxOutsideModule) return undefined;
        outside += text.length;
      }
      depth++;
      const module = parsePython(text);
      const analysis = rules.analyser().open(module, { path: file, profile: rules.settings.profile, resolveImport: resolver(file) });
      const entry = { path: file, module, analysis, hash, isMain };
      opened.set(file, entry);
      return entry;
    } catch (error) {
      failed.set(file, failedScan(file, mains.get(file)?.hash ?? '', error));
      return undefined;
    } finally {
      depth--;
    }
  };

  const resolver = (from: string): ((name: string) => Value | undefined) => {
    const known = new Map<string, string | undefined>();
    return (name) => {
      const dot = name.lastIndexOf('.');
      const owner = name.slice(0, dot + (/^\.*$/.test(name.slice(0, dot)) ? 1 : 0));
      if (dot < 0 || owner === '') return undefined;
      if (!known.has(owner)) known.set(owner, index.find(from, owner));
      const file = known.get(owner);
      return file === undefined || file === from ? undefined : open(file)?.analysis.exported(name.slice(dot + 1));
    };
  };

  // Alone, an analysis may forget the names of earlier ones.
  rules.analyser().analyse(parsePython(''));
  for (const { path: file } of modules) open(file);
  const files = modules.map(({ path: file }) => {
    const entry = opened.get(file);
    return entry === undefined ? (failed.get(file) as FileScan) : finishMain(entry, rules);
  });
  const foreign = [...opened.values()].flatMap((entry) => (entry === undefined || entry.isMain ? [] : foreignDrafts(entry, rules)));
  return { files, foreign, opened: [...looked.values()].sort((a, b) => (a.path < b.path ? -1 : 1)) };
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
