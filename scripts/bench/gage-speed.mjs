// gage in process: opening a bundle against reading and hashing the same bytes, and the inbox of a hundred strangers.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { execFileSync } from 'node:child_process';

const strangers = 100;

/** Serves gage of one home in this process. */
async function openGage(root, home, cwd) {
  const library = (name) => import(pathToFileURL(path.join(root, 'dist', name)).href);
  const [{ createServer }, { gage }] = await Promise.all([library('index.js'), library('families/gage/index.js')]);
  const server = createServer({ name: 'gage', version: '0', families: [gage()], cwd, env: { GAGE_HOME: home } });
  let id = 0;
  /** The line that a tool answers; what a client makes of it is its own time. */
  const ask = (name, args) => server.handle(JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name, arguments: args } }));
  const call = async (name, args = {}) => {
    const { result, error } = JSON.parse(await ask(name, args));
    if (error !== undefined || result.isError) throw new Error(`${name}: ${error?.message ?? result.content[0].text}`);
    return JSON.parse(result.content[0].text);
  };
  return { ask, call, close: () => server.close() };
}

/** A home that has `to` on its list and delivers to `folder`. */
async function makeSender(root, work, name, to, folder) {
  const home = path.join(work, name);
  execFileSync(process.execPath, [path.join(root, 'bin', 'gage.js'), 'init', name], { env: { ...process.env, GAGE_HOME: home }, stdio: 'ignore' });
  writeFileSync(path.join(home, 'routes.json'), `${JSON.stringify({ routes: [{ key: to.sign_key, path: folder }], v: 1 })}\n`, { mode: 0o600 });
  const gage = await openGage(root, home, path.join(work, 'files'));
  const { pairing_id, words } = await gage.call('gage_pair_start', { key: to.token, name: 'me' });
  await gage.call('gage_pair_confirm', { pairing_id, echo: words });
  return gage;
}

async function best(times, run) {
  let least = Infinity;
  for (let each = 0; each < times; each++) {
    const from = performance.now();
    await run();
    least = Math.min(least, performance.now() - from);
  }
  return least;
}

function readAndHash(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const file = path.join(folder, String(name));
    try {
      createHash('sha256').update(readFileSync(file)).digest();
    } catch (error) {
      if (error.code !== 'EISDIR') throw error;
    }
  }
}

/** Milliseconds: `open` and `hash` of a bundle of 2 x 8 MiB of text, `inbox` of the strangers when warm. */
export async function gageSpeed(root, times) {
  const work = mkdtempSync(path.join(tmpdir(), 'gage-bench-'));
  try {
    mkdirSync(path.join(work, 'files'));
    const home = path.join(work, 'me');
    execFileSync(process.execPath, [path.join(root, 'bin', 'gage.js'), 'init', 'me'], { env: { ...process.env, GAGE_HOME: home }, stdio: 'ignore' });
    const me = await openGage(root, home, work);
    const identity = await me.call('gage_identity');
    const incoming = path.join(home, 'inbox', 'incoming');
    mkdirSync(incoming, { recursive: true, mode: 0o700 });
    const text = Buffer.from(randomBytes(6 * 2 ** 20).toString('base64').replace(/.{76}/g, '$&\n')).subarray(0, 8 * 2 ** 20);
    for (const name of ['a.txt', 'b.txt']) writeFileSync(path.join(work, 'files', name), text);
    let id = '';
    for (let each = 0; each < strangers; each++) {
      const sender = await makeSender(root, work, `stranger-${each}`, identity, incoming);
      const sent = await sender.call('gage_send', { to: 'me', subject: `hello ${each}`, ...(each === 0 && { files: ['a.txt', 'b.txt'] }) });
      if (each === 0) id = sent.id;
      await sender.close();
    }
    const listed = await me.call('gage_inbox');
    if (listed.total !== strangers) throw new Error(`the inbox has ${listed.total} of ${strangers}`);
    const inbox = await best(times, () => me.call('gage_inbox'));
    const folder = path.join(incoming, id);
    const hash = await best(times, () => readAndHash(folder));
    await me.call('gage_open', { id });
    const open = await best(times, () => me.ask('gage_open', { id }));
    await me.close();
    return { open, hash, inbox };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
