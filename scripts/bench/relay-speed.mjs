// How many sealed messages a second are taken and on disk: `gage relay serve`, or the bare loop, in a process of its own.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

const MAILBOXES = 50;
const CONNECTIONS = 16;
const SIZE = 4_096;

/** Messages of 4 KiB a second, `count` of them to 50 mailboxes over 16 connections; `args` start the server, with the folder appended. */
export async function relayRate(args, count) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolwire-relay-bench-'));
  const child = spawn(process.execPath, [...args, folder], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const origin = await originOf(child);
    const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const paths = Array.from({ length: MAILBOXES }, (_, index) => `/v1/mailboxes/${createHash('sha256').update(String(index)).digest('hex')}/messages`);
    const warm = MAILBOXES;
    const bodies = Array.from({ length: count + warm }, () => Buffer.concat([Buffer.from('GAGESEA1'), randomBytes(SIZE - 8)]));
    await sendAll(origin, agent, paths, bodies.splice(0, warm));
    const start = performance.now();
    await sendAll(origin, agent, paths, bodies);
    const rate = count / ((performance.now() - start) / 1_000);
    agent.destroy();
    return rate;
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

function originOf(child) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (part) => {
      text += part;
      if (text.includes('\n')) resolve(JSON.parse(text).origin);
    });
    child.once('exit', () => reject(new Error('the relay did not start')));
  });
}

async function sendAll(origin, agent, paths, bodies) {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < bodies.length; index = next++) await post(`${origin}${paths[index % paths.length]}`, agent, bodies[index]);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

function post(url, agent, body) {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', agent, headers: { 'content-type': 'application/octet-stream', 'content-length': body.length } }, (response) => {
      response.resume().on('end', () => (response.statusCode === 201 ? resolve() : reject(new Error(`status ${response.statusCode}`))));
    });
    request.on('error', reject);
    request.end(body);
  });
}
