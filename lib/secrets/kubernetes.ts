import type { Found } from './detectors.types.ts';
import type { Span } from './secrets.types.ts';

const MANIFEST_REACH = 20_000;

/**
 * The base64 values under `data:` of the YAML or JSON manifest whose `kind: Secret` stands at `at`.
 * Short values (under 10 characters), templates, empty values and public certificates are left out.
 */
export function findKubernetesData(text: string, at: number): Found {
  if (/[\w-]/.test(text[at - 1] ?? '')) return { spans: [] };
  if (!/^kind["']?[ \t]{0,4}:[ \t]{0,4}["']?secret["']?[ \t]{0,20}(?:#|,|\r?\n|\}|$)/i.test(text.slice(at, at + 60))) return { spans: [] };
  const from = documentStart(text, at);
  const end = documentEnd(text, at);
  const lines = text.slice(from, end).split('\n');
  const spans: Span[] = [];
  let offset = from;
  let dataIndent = -1;
  let block = false;
  for (const line of lines) {
    const indent = /^[ \t]*/.exec(line)![0].length;
    const body = line.slice(indent);
    if (/^["']?data["']?[ \t]{0,4}:[ \t]{0,4}\{?[ \t]{0,4}\r?$/.test(body)) dataIndent = indent;
    else if (dataIndent >= 0 && body.trim() !== '' && !body.startsWith('#')) {
      if (indent <= dataIndent) dataIndent = -1;
      else {
        const value = block ? /^()([A-Za-z0-9+/]{10,8000}={0,3})[ \t]{0,4}\r?$/.exec(body) : /^(["']?[\w.-]{1,100}["']?[ \t]{0,4}:[ \t]{0,8}["']?)([A-Za-z0-9+/]{10,8000}={0,3})["']?,?[ \t]{0,4}(?:#.*)?\r?$/.exec(body);
        if (value !== null && isSecretData(value[2]!)) {
          const start = offset + indent + value[1]!.length;
          spans.push({ start, end: start + value[2]!.length });
        }
        block = /:[ \t]{0,8}[|>][+-]?[ \t]{0,4}\r?$/.test(body);
      }
    }
    offset += line.length + 1;
  }
  return { spans, until: end };
}

function documentStart(text: string, at: number): number {
  const floor = Math.max(0, at - MANIFEST_REACH);
  const before = text.slice(floor, at);
  const separator = before.lastIndexOf('\n---');
  if (separator >= 0) return floor + separator + 4;
  return floor === 0 ? 0 : floor + before.indexOf('\n') + 1;
}

function documentEnd(text: string, at: number): number {
  const separator = text.slice(at, at + MANIFEST_REACH).indexOf('\n---');
  return separator < 0 ? at + MANIFEST_REACH : at + separator;
}

/** Base64 that decodes to a certificate is public; a lone word (a user name) is no secret either. */
function isSecretData(value: string): boolean {
  const decoded = Buffer.from(value.slice(0, 64), 'base64').toString('latin1');
  return !decoded.startsWith('-----BEGIN CERTIFICATE') && !/^[a-z]{1,12}\s?$/.test(decoded);
}
