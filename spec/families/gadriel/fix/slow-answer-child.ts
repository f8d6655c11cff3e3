/** Asks a server that drips its answer, with the garbage collected once the headers are there; prints how that ended. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendMessage } from '../../../../lib/families/gadriel/domain/fix/runners/messages-api.ts';

const [how] = process.argv.slice(2);
const collect = (globalThis as { gc?: () => void }).gc!;
let isClosed = false;
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{');
  const drip = setInterval(() => {
    collect();
    response.write(' ');
  }, 20);
  response.on('close', () => {
    clearInterval(drip);
    isClosed = true;
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const abort = new AbortController();
if (how === 'cancel') setTimeout(() => abort.abort(), 400);
const start = performance.now();
const request = { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'k', model: 'm', system: 's', turns: [] };
const patience = { total: 0, firstDelay: 5, maxDelay: 20, longestRetryAfter: 300 };
const until = start + (how === 'cancel' ? 60_000 : 400);
const said = await sendMessage(request, { env: {}, random: (size) => new Uint8Array(size), signal: abort.signal }, until, patience).then(
  (answer) => ('error' in answer ? answer.error.kind : 'text'),
  (error: Error) => error.name,
);
const took = performance.now() - start;
for (let tries = 0; tries < 100 && !isClosed; tries += 1) await new Promise((resolve) => setTimeout(resolve, 20));
process.stdout.write(JSON.stringify({ said, isInTime: took < 5_000, isClosed }));
process.exit(0);
