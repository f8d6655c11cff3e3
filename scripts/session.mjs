// A minimal client over a spawned server, for the demo and the pack check: one request at a time.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Starts `node ...args` and returns `{ request, notify, close }`; `close` resolves with the exit code. */
export function openSession(args, options = {}) {
  const child = spawn(process.execPath, args, { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  const ended = new Promise((resolve) => child.once('close', resolve));
  let lastId = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.resolve(message);
    waiting.delete(message.id);
  });
  void ended.then((code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the server ended with code ${code}`));
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    /** The whole answer: `{ id, result }` or `{ id, error }`. */
    request: (method, params = {}) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, { resolve, reject });
        send({ id, method, params });
      }),
    notify: (method, params = {}) => send({ method, params }),
    close: () => {
      child.stdin.end();
      return ended;
    },
  };
}
