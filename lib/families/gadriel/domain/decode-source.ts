import { Buffer, isUtf8 } from 'node:buffer';
import { isPython } from './source-path.ts';
import { ToolFailed } from './tool-failed.ts';

/** Largest file or buffer that is scanned, in bytes. */
export const maxSourceBytes = 5 * 1024 * 1024;
/** Why a file that is larger is not scanned. */
export const tooLarge = `the file is larger than ${maxSourceBytes / 1024 / 1024} MiB, the most that is scanned`;

/** Why a file is not opened. */
export const unreadableName = 'its name is no UTF-8, so that it can not be opened: rename it';

/** How far into a file a NUL byte makes it a binary one. */
const binaryProbeBytes = 8 * 1024;

/** The text of a source file or of standard input: as Python reads it where the path or a shebang says Python. */
export function decodeSource(bytes: Uint8Array, file: string): string {
  // A shebang is ASCII in every encoding that a source file can have.
  const head = Buffer.from(bytes.subarray(0, 256)).toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '');
  return isPython(file, head) ? decodePython(bytes) : decodeText(bytes);
}

/**
 * The text of a Python file as the language reads it: UTF-8, or what its BOM or its PEP 263 line names.
 * Throws ToolFailed where the bytes are no text in that encoding.
 */
export function decodePython(bytes: Uint8Array): string {
  const wide = wideEncodingOf(bytes);
  if (wide !== undefined) throw new ToolFailed(`the file is ${wide}, which Python does not read: save it as UTF-8`);
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
  const wide = wideEncodingOf(bytes);
  if (wide === 'UTF-32') throw new ToolFailed('the file is UTF-32, which is not supported: save it as UTF-8');
  if (wide !== undefined) return new TextDecoder(wide).decode(bytes);
  if (isBinary(bytes)) throw new ToolFailed('the file is binary: it has NUL bytes');
  return isUtf8(bytes) ? stripBom(utf8(bytes)) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** What a byte order mark of more than one byte a unit says. UTF-32's little-endian mark begins like UTF-16's. */
function wideEncodingOf(bytes: Uint8Array): 'UTF-16LE' | 'UTF-16BE' | 'UTF-32' | undefined {
  const [a, b, c, d] = bytes;
  if ((a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff)) return 'UTF-32';
  if (a === 0xff && b === 0xfe) return 'UTF-16LE';
  return a === 0xfe && b === 0xff ? 'UTF-16BE' : undefined;
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
