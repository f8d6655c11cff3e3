import { createHmac } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { languageOf } from '../../../../secrets/languages.ts';
import { decodeText } from '../decode-source.ts';
import { finishFindings, secretFinding } from '../make-finding.ts';
import type { ScanRules } from '../scan-rules.ts';
import { isToolFailed } from '../tool-failed.ts';
import type { BlobOutcome, BlobRequest } from './repository.types.ts';

/** Searches texts for secrets alone; binary ones have none. */
export function scanBlobs({ blobs, key }: BlobRequest, rules: ScanRules): BlobOutcome {
  return { blobs: blobs.map(({ path, bytes }) => secretsOf(path, bytes, Buffer.from(key, 'hex'), rules)) };
}

function secretsOf(path: string, bytes: Uint8Array, key: Uint8Array, rules: ScanRules): BlobOutcome['blobs'][number] {
  let text: string;
  try {
    text = decodeText(bytes);
  } catch (error) {
    if (isToolFailed(error)) return [];
    throw error;
  }
  const hits = rules.secretsIn(text, { path, language: languageOf(path) });
  // Apart, so that each finding keeps its own hit: both lists would be in the order of places, but rules that are off leave gaps.
  return hits.flatMap((hit) => {
    const mark = createHmac('sha256', key).update(text.slice(hit.start, hit.end)).digest('hex');
    return finishFindings(rules.adjust([secretFinding(hit)]), text, path, [hit]).map((finding) => ({ finding, mark }));
  });
}
