// The figures: each starts a server, measures one thing, and ends it.
import { setTimeout as wait } from 'node:timers/promises';
import { call, Peer } from './peer.mjs';

/** A call line of 200 bytes. */
const shortText = 'x'.repeat(200 - call(10_000, '').length);
const longText = 'y'.repeat(64 * 1024);

async function withPeer(args, measure) {
  const peer = new Peer(args);
  try {
    const cold = await peer.open();
    return await measure(peer, cold);
  } finally {
    await peer.close();
  }
}

/** Milliseconds from the start of the process to its first answer. */
export const coldStart = (args) => withPeer(args, (_peer, cold) => cold);

/** MiB that a server takes that has nothing to do. */
export const idleMemory = (args) =>
  withPeer(args, async (peer) => {
    await wait(300);
    return peer.memory().now;
  });

/** Calls a second, each sent when the one before is answered. */
export const sequential = (args, count) =>
  withPeer(args, async (peer) => {
    const one = async (id) => {
      peer.write(call(id, shortText));
      await peer.until(id);
    };
    const warm = Math.ceil(count / 10);
    for (let id = 1; id <= warm; id++) await one(id);
    peer.reset();
    const start = performance.now();
    for (let id = 1; id <= count; id++) await one(id);
    const rate = (count / (performance.now() - start)) * 1e3;
    peer.check(count, shortText);
    return rate;
  });

/** Calls a second and microseconds of processor time a call, all calls sent at once. */
export const pipelined = (args, count) =>
  withPeer(args, async (peer) => {
    await wait(150);
    let lines = '';
    for (let id = 1; id <= count; id++) lines += call(id, shortText);
    const bytes = Buffer.from(lines);
    const cpu = peer.cpu();
    const start = performance.now();
    peer.write(bytes);
    await peer.until(count);
    const rate = (count / (performance.now() - start)) * 1e3;
    const cpuEach = (peer.cpu() - cpu) / count;
    peer.check(count, shortText);
    return { rate, cpuEach };
  });

/** Calls a second with at most `window` unanswered ones. */
async function windowed(args, count, window, text) {
  return withPeer(args, async (peer) => {
    await wait(150);
    const lines = Array.from({ length: count }, (_, index) => call(index + 1, text));
    let sent = 0;
    const refill = () => {
      const room = Math.min(count, peer.lines + window);
      if (room > sent) peer.write(lines.slice(sent, room).join(''));
      sent = Math.max(sent, room);
    };
    peer.onLines = refill;
    const start = performance.now();
    refill();
    await peer.until(count);
    const rate = (count / (performance.now() - start)) * 1e3;
    peer.check(count, text);
    return rate;
  });
}

/** Short calls, 64 in flight. */
export const window64 = (args, count) => windowed(args, count, 64, shortText);

/** Calls with 64 KiB of arguments, 16 in flight. */
export const bigArguments = (args, count) => windowed(args, count, 16, longText);

/** One line of `megabytes`: milliseconds to its answer, peak memory as a multiple of the line, and whether it still answers. */
export const hugeLine = (args, megabytes) =>
  withPeer(args, async (peer) => {
    const line = Buffer.from(call(1, 'z'.repeat(megabytes * 1024 * 1024)));
    const start = performance.now();
    peer.write(line);
    await peer.until(1);
    const took = performance.now() - start;
    const peak = peer.memory().peak / (line.length / 1024 / 1024);
    peer.reset();
    peer.write('{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
    await peer.until(1);
    return { took, peak, alive: true };
  });
