import { Buffer } from 'node:buffer';
import path from 'node:path';
import { languageOf } from '../../../secrets/languages.ts';
import { capFindings } from './answer-cap.ts';
import { decodeSource, maxSourceBytes } from './decode-source.ts';
import type { Finding } from './finding.types.ts';
import { readSource } from './read-source.ts';
import type { ScanSettings } from './repository/settings.types.ts';
import { createRules, plainRules, type ScanRules } from './scan-rules.ts';
import { scanSource } from './scan-source.ts';
import { displayPath, forwardSlashes, isNotebook, isPython } from './source-path.ts';
import { ToolFailed } from './tool-failed.ts';

/** What to scan: a file on disk, or a text with the label that it would be saved under. */
export type ScanRequest = ({ readonly kind: 'file'; readonly cwd: string } | { readonly kind: 'buffer'; readonly content: string }) & {
  /** As the caller gave it. */
  readonly file: string;
  readonly profile: 'default' | 'audit';
  /** A ScanSettings as JSON, where the repository has settings of its own: equal texts are prepared once in a worker. */
  readonly settings?: string;
};

/**
 * What a scan found: as many findings as fit an answer, `count` of all and `truncated` of those left out. `language` is lower case; `sast` says whether its code was analysed, not only
 * searched for secrets.
 */
export type ScanOutcome = {
  readonly findings: readonly Finding[];
  readonly count: number;
  readonly truncated?: number;
  readonly language: string;
  readonly sast: boolean;
  /** Why the analysis stopped before the end of the code, if it did. */
  readonly incomplete?: string;
};

const maxPathLength = 4_096;

/** Runs one scan. Throws ToolFailed where there is nothing that could be scanned. */
export function runScan(request: ScanRequest): ScanOutcome {
  return request.kind === 'file' ? scanFile(request, request.cwd) : scanBuffer(request, request.content);
}

function scanFile(request: ScanRequest, cwd: string): ScanOutcome {
  const { file } = request;
  if (file === '') throw new ToolFailed('file_path is empty: give the path of the file to scan');
  return scanText(decodeSource(readSource(path.resolve(cwd, file)), file), request, displayPath(file, cwd));
}

function scanBuffer(request: ScanRequest, content: string): ScanOutcome {
  const { file } = request;
  if (Buffer.byteLength(content) > maxSourceBytes) {
    throw new ToolFailed(`the buffer is larger than ${maxSourceBytes / 1024 / 1024} MiB, the most that is scanned`);
  }
  // It is echoed in each finding; no system has a longer one.
  if (file.length > maxPathLength) throw new ToolFailed('the path is too long');
  const text = content.charCodeAt(0) === 0xfeff ? content.slice(1) : content;
  return scanText(text, request, forwardSlashes(file));
}

function scanText(text: string, { file, profile, settings }: ScanRequest, shown: string): ScanOutcome {
  const python = isPython(file, text);
  const kind = python ? 'python' : isNotebook(file) ? 'notebook' : 'other';
  const language = python ? 'python' : languageOf(file);
  const { findings, sast, incomplete } = scanSource({ text, path: shown, kind, language, profile, rules: rulesOf(settings) });
  // Capped here, in the worker: sending half a million findings to the thread that answers pings would keep it busy for seconds.
  return { ...capFindings(findings), count: findings.length, language, sast, ...(incomplete !== undefined && { incomplete }) };
}

// Who scans files one by one stays in one repository for long.
let last: { readonly settings: string; readonly rules: ScanRules } | undefined;

function rulesOf(settings: string | undefined): ScanRules {
  if (settings === undefined) return plainRules();
  if (last?.settings !== settings) last = { settings, rules: createRules(JSON.parse(settings) as ScanSettings) };
  return last.rules;
}
