// What a durable store can't be faster than on node: a bare node:http loop that writes each body, fsyncs it and renames it into
// place. It checks nothing, keeps no quota and answers nobody.
import { randomBytes } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';

const folder = process.argv[2];
const server = http.createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => void store(Buffer.concat(parts)).then(() => response.writeHead(201).end('{}')));
});

async function store(body) {
  const name = randomBytes(12).toString('hex');
  const temp = path.join(folder, `${name}.tmp`);
  const handle = await open(temp, 'wx', 0o600);
  await handle.writeFile(body);
  await handle.sync();
  await handle.close();
  await rename(temp, path.join(folder, `${name}.msg`));
}

await mkdir(folder, { recursive: true });
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ origin: `http://127.0.0.1:${server.address().port}` })}\n`));
