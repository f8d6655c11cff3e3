/** An origin a relay may be reached at, or why it is none. */
export type OriginReading = { readonly origin: string } | { readonly problem: string };

const MAX_URL = 300;

/**
 * Reads the URL of a relay: https, or http to a loopback host alone, since a plain connection shows who talks to whom.
 * Without user, path, query and fragment; the origin comes back as a URL prints it, without a slash at its end.
 */
export function readOrigin(text: string): OriginReading {
  if (text.length > MAX_URL) return { problem: `it is longer than ${MAX_URL} characters` };
  const url = parse(text);
  if (url === null) return { problem: 'it is no URL; write https://HOST or https://HOST:PORT' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { problem: 'it must begin with https://' };
  if (url.username !== '' || url.password !== '' || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    return { problem: 'it must be https://HOST or https://HOST:PORT, with nothing behind and no user in it' };
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return { problem: 'http:// is for this machine alone (127.0.0.1, [::1], localhost); use https://' };
  return { origin: url.origin };
}

/** Whether a host of a URL, or an address to listen on, is this machine alone. */
export function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/.test(host);
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
