import { Buffer, isUtf8 } from 'node:buffer';
import { ToolFailed } from './tool-failed.ts';

/** Largest file or buffer that is scanned, in bytes. */
export const maxSourceBytes = 5 * 1024 * 1024;

/** How far into a file a NUL byte makes it a binary one. */
const binaryProbeBytes = 8 * 1024;

/**
 * The text of a Python file as the language reads it: UTF-8, or what its BOM or its PEP 263 line names.
 * Throws ToolFailed where the bytes are no text in that encoding.
 */
export function decodePython(bytes: Uint8Array): string {
  if (isBinary(bytes)) throw new ToolFailed('the file is binary: it has NUL bytes');
  const declared = hasUtf8Bom(bytes) ? undefined : declaredEncoding(bytes);
  if (declared === undefined || /^utf[-_]?8(?![a-z\d])/i.test(declared)) {
    if (!isUtf8(bytes)) throw new ToolFailed('the file is not valid UTF-8 and declares no other encoding (PEP 263)');
    return stripBom(utf8(bytes));
  }
  const decoder = decoderOf(declared);
  if (decoder === undefined) throw new ToolFailed(`the file declares the encoding ${declared.slice(0, 40)}, which is not supported`);
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ToolFailed(`the file is not valid in the encoding that it declares (${declared})`);
  }
}

/** The text of any other file: UTF-16 by its BOM, UTF-8, else Latin-1. Throws ToolFailed for a binary file. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (isBinary(bytes)) throw new ToolFailed('the file is binary: it has NUL bytes');
  return isUtf8(bytes) ? stripBom(utf8(bytes)) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

const utf8 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
const stripBom = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
const hasUtf8Bom = (bytes: Uint8Array): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, binaryProbeBytes).includes(0);

/** The encoding named by a comment in the first or second line (PEP 263's own pattern). */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1');
  const [first = '', second = ''] = head.split(/\r\n|\r|\n/, 2);
  const pattern = /^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/;
  return (pattern.exec(first) ?? (/^[ \t\f]*(?:#|$)/.test(first) ? pattern.exec(second) : null))?.[1];
}

function decoderOf(declared: string): { decode(bytes: Uint8Array): string } | undefined {
  // A line that can be read as ASCII can not be UTF-16: Python refuses it, and reading it so would hide the code.
  if (/^utf[-_]?16/i.test(declared)) return undefined;
  try {
    return new TextDecoder(whatwgLabel(declared), { fatal: true });
  } catch {
    return undefined;
  }
}

/** Python's common names for encodings that the WHATWG registry spells otherwise. */
function whatwgLabel(name: string): string {
  const plain = name.toLowerCase().replaceAll('_', '-');
  if (/^(?:latin-?1|iso-?8859-1|l1)(?:-unix|-dos)?$/.test(plain)) return 'iso-8859-1';
  const codePage = /^cp(125\d|866|874)$/.exec(plain);
  if (codePage !== null) return codePage[1] === '866' ? 'ibm866' : `windows-${codePage[1]}`;
  return plain.replace(/-(?:unix|dos|mac)$/, '');
}
