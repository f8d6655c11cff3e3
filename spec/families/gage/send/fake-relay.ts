import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a fake relay was asked, as `METHOD /path`, in order. */
export type FakeRelay = { readonly origin: string; readonly asked: string[] };

/** One answer: a status with a JSON value or bytes; `hang` never answers, `drip` sends a byte now and then, `break` ends the connection. */
export type FakeAnswer = { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>>; readonly afterMs?: number } | 'hang' | 'drip' | 'break';

/** A relay on the loopback that opens a session for anybody and answers the rest as told; it does not hold a spec's process up. */
export async function fakeRelay(answer: (asked: string, url: URL) => FakeAnswer = () => ({ status: 404, body: { error: { code: 'not_found', message: '' } } })): Promise<FakeRelay> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const what = `${request.method} ${url.pathname.replace(/^\/v1\/mailboxes\/[0-9a-f]{64}/, '')}`;
    asked.push(what);
    request.resume().on('end', () => {
      const given: FakeAnswer = what === 'POST /v1/auth/challenge' ? { status: 200, body: { challenge: 'c'.repeat(43), expires_in: 60 } }
        : what === 'POST /v1/auth/session' ? { status: 200, body: { token: 'token', expires_in: 600 } }
        : answer(what, url);
      if (given === 'hang') return;
      if (given === 'break') return void request.socket.destroy();
      if (given === 'drip') {
        const drops = setInterval(() => response.write('x'), 20);
        return void response.on('close', () => clearInterval(drops));
      }
      response.writeHead(given.status, { 'content-type': given.body instanceof Uint8Array ? 'application/octet-stream' : 'application/json', ...given.headers });
      const end = (): unknown => response.end(given.body === undefined || given.body instanceof Uint8Array ? given.body : JSON.stringify(given.body));
      if (given.afterMs === undefined) end();
      else setTimeout(end, given.afterMs);
    });
  });
  server.on('connection', (socket) => socket.unref());
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
