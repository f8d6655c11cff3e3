// A scan worker that does what the name of the file says, for the specs of the pool.
import { parentPort, threadId } from 'node:worker_threads';
import type { WorkerReply, WorkerTask } from '../../../../lib/families/gadriel/domain/scan-pool.ts';

const post = (reply: WorkerReply): void => parentPort?.postMessage(reply);

parentPort?.on('message', (task: WorkerTask | 'close') => {
  if (task === 'close') return parentPort?.close();
  const { id, request } = task;
  switch (request.file) {
    case 'hang':
      for (;;);
    case 'exit':
      process.exit(3);
    case 'throw':
      throw new Error('out of itself');
    case 'fail':
      return post({ id, failed: 'no such luck' });
    case 'crash':
      return post({ id, crashed: 'a stack' });
    default:
      // The thread's id tells which worker it was.
      return post({ id, outcome: { findings: [], count: threadId, language: request.file, sast: false } });
  }
});
