// A client that costs little: it writes lines that were made beforehand and counts newlines; answers are checked later.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const handshake = `${JSON.stringify({
  jsonrpc: '2.0', id: 0, method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
})}\n`;

/** One server process, from its start to its end. */
export class Peer {
  #chunks = [];
  #wanted = Infinity;
  #arrived = () => {};
  #failed = () => {};
  lines = 0;
  onLines = () => {};

  constructor(args) {
    this.started = performance.now();
    this.child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
    this.ended.then((code) => this.#failed(new Error(`the server ended with ${code}`)));
    this.child.stdin.on('error', () => {});
    this.child.stdout.on('data', (chunk) => {
      this.#chunks.push(chunk);
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) this.lines++;
      this.onLines();
      if (this.lines >= this.#wanted) this.#arrived();
    });
  }

  write(text) {
    this.child.stdin.write(text);
  }

  /** Waits until `count` lines have come since the last reset. */
  until(count) {
    if (this.lines >= count) return Promise.resolve();
    this.#wanted = count;
    return new Promise((resolve, reject) => {
      this.#arrived = resolve;
      this.#failed = reject;
    });
  }

  /** Sends initialize; milliseconds from the start of the process to its first answer. */
  async open() {
    this.write(handshake);
    await this.until(1);
    const took = performance.now() - this.started;
    this.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    this.reset();
    return took;
  }

  reset() {
    this.#chunks = [];
    this.lines = 0;
    this.#wanted = Infinity;
  }

  /** What came since the last reset. */
  text() {
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  /** Fails unless every call was answered once, with the text that it sent. */
  check(count, text) {
    const ids = new Set();
    for (const line of this.text().trimEnd().split('\n')) {
      const { id, result } = JSON.parse(line);
      if (result?.content?.[0]?.text !== text) throw new Error(`a wrong answer: ${line.slice(0, 200)}`);
      ids.add(id);
    }
    if (ids.size !== count) throw new Error(`${ids.size} of ${count} calls were answered`);
  }

  /** Memory in MiB from /proc: `now` and `peak`; NaN where there is no /proc. */
  memory() {
    try {
      const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
      const read = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)[1]) / 1024;
      return { now: read('VmRSS'), peak: read('VmHWM') };
    } catch {
      return { now: NaN, peak: NaN };
    }
  }

  /** Microseconds of processor time of all threads so far; NaN where there is no /proc. */
  cpu() {
    try {
      const threads = readdirSync(`/proc/${this.child.pid}/task`);
      return threads.reduce((sum, id) => sum + Number(readFileSync(`/proc/${this.child.pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e3, 0);
    } catch {
      return NaN;
    }
  }

  async close() {
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 5_000);
    await this.ended;
    clearTimeout(timer);
  }
}

/** A call of the echo tool as one line. */
export const call = (id, text) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text } } })}\n`;
