import { parentPort } from 'node:worker_threads';
import { safeNote } from '../make-finding.ts';
import { createRules, type ScanRules } from '../scan-rules.ts';
import type { WorkerReply, WorkerTask } from '../scan-pool.ts';
import { scanBlobs } from './scan-blobs.ts';
import { createModuleIndex, type ModuleIndex } from './module-index.ts';
import type { BatchOutcome, BatchRequest, BlobOutcome, BlobRequest } from './repository.types.ts';
import { scanAlone, scanUnit } from './scan-unit.ts';
import type { ScanSettings } from './settings.types.ts';

type Request = BatchRequest | BlobRequest;

parentPort?.on('message', (task: WorkerTask<Request> | 'close') => {
  if (task === 'close') parentPort?.close();
  else parentPort?.postMessage(answer(task));
});

function answer({ id, request }: WorkerTask<Request>): WorkerReply<BatchOutcome | BlobOutcome> {
  try {
    return { id, outcome: 'blobs' in request ? scanBlobs(request, rulesFor(request.settings)) : scanBatch(request) };
  } catch (error) {
    // One file must not take the others along: whoever asked tries the parts of the batch, and tells which has failed.
    return { id, failed: `an error of the program: ${safeNote(String(error))}` };
  }
}

function scanBatch(request: BatchRequest): BatchOutcome {
  const rules = rulesFor(request.settings);
  const units = request.units.map((unit) => scanUnit(request, unit, indexFor(request.index), rules));
  return { units, files: request.files.map((file) => scanAlone(request, file, rules)) };
}

// Every batch of a scan brings the same two texts.
let lastRules: { readonly settings: string; readonly rules: ScanRules } | undefined;
let lastIndex: { readonly text: string; readonly index: ModuleIndex } | undefined;

function rulesFor(settings: string): ScanRules {
  if (lastRules?.settings !== settings) lastRules = { settings, rules: createRules(JSON.parse(settings) as ScanSettings) };
  return lastRules.rules;
}

function indexFor(text: string): ModuleIndex {
  if (lastIndex?.text !== text) lastIndex = { text, index: createModuleIndex(text.split('\n')) };
  return lastIndex.index;
}
