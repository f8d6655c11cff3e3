import { toJson } from '../jsonrpc/encode.ts';
import { safeText } from '../text/safe-text.ts';
import type { Log } from './family.types.ts';

/** How much of one log line is shown, in code points. */
const maxLogLength = 4_000;

/**
 * Makes a log that writes one line a call: level, message and data. It may carry text of a client or an upstream, which
 * must not be able to fake a second line or drive a terminal.
 */
export function lineLog(write: (line: string) => void): Log {
  return (level, message, data) => {
    const detail = data === undefined ? '' : ` ${typeof data === 'string' ? data : (toJson(data) ?? '')}`;
    write(`${level}: ${safeText(`${message}${detail}`, maxLogLength)}`);
  };
}
