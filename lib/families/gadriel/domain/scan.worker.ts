import { parentPort } from 'node:worker_threads';
import { runScan } from './scan-request.ts';
import type { WorkerReply, WorkerTask } from './scan-pool.ts';
import { isToolFailed } from './tool-failed.ts';

// A scan is synchronous: in a thread of its own it keeps no ping waiting, and a cancelled one can be ended from outside.
parentPort?.on('message', (task: WorkerTask | 'close') => {
  if (task === 'close') parentPort?.close();
  else parentPort?.postMessage(answer(task));
});

function answer({ id, request }: WorkerTask): WorkerReply {
  try {
    return { id, outcome: runScan(request) };
  } catch (error) {
    if (isToolFailed(error)) return { id, failed: error.message };
    return { id, crashed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
