import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

/** A server that is asked for a bucket: its URL, and what it was asked. */
export type BucketServer = { readonly url: string; readonly requests: http.IncomingMessage[] };

/** What is sent before an object, and when one was put. */
export const objectHeaders = { etag: '"5d41402abc4b2a76b9719d911017c592"', 'content-type': 'application/octet-stream' };

export type ListedObject = { readonly key: string; readonly size?: number; readonly at?: string; readonly more?: string };

/** A page that stands in for a bucket, and its headers. */
export const front = '<!doctype html><title>Welcome</title>';
export const page = { 'content-type': 'text/html', etag: '"a-page"' };

/** What S3 answers of an object that it does not have. */
export const noSuchKey = '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>';

/** An answer to a listing. */
export const listingOf = (objects: readonly ListedObject[] = [], { truncated = false } = {}): string => {
  const contents = objects.map(({ key, size = 5, at = '2026-12-01T00:00:00.000Z', more = '' }) => `<Contents><Key>${key}</Key><LastModified>${at}</LastModified><Size>${size}</Size>${more}</Contents>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${truncated}</IsTruncated>${contents.join('')}</ListBucketResult>`;
};

/** Starts a server of the bucket `mail` that answers like this. */
export async function startBucketServer(answer: http.RequestListener): Promise<BucketServer> {
  const requests: http.IncomingMessage[] = [];
  const server = http.createServer((request, response) => {
    request.resume();
    requests.push(request);
    return answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mail`, requests };
}
