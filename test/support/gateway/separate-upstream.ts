import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** An upstream in a thread of its own, which answers while the one of the test is held up. */
export interface SeparateUpstream {
  readonly port: number;
  /** The first request has been answered, and this thread has not read anything of that. */
  readonly answered: Promise<void>;
  /** Connections that were ever made to it. */
  readonly connections: () => number;
  close(): Promise<void>;
}

/** Places of the memory that both threads see. */
const [mayWrite, hasWritten, connections] = [0, 1, 2];
const longestHoldMs = 2_000;

const program = `
const { createServer } = require('node:net');
const { parentPort, workerData: { shared, first, next, resets } } = require('node:worker_threads');
let turn = 0;
const server = createServer((socket) => {
  Atomics.add(shared, ${connections}, 1);
  socket.on('error', () => undefined);
  let pending = '';
  socket.setEncoding('latin1').on('data', (text) => {
    pending += text;
    for (let end = pending.indexOf('\\r\\n\\r\\n'); end >= 0; end = pending.indexOf('\\r\\n\\r\\n')) {
      pending = pending.slice(end + 4);
      turn += 1;
      if (turn > 1) {
        socket.write(next);
        continue;
      }
      parentPort.postMessage('asked');
      Atomics.wait(shared, ${mayWrite}, 0, ${longestHoldMs});
      socket.write(first, () => {
        if (resets) socket.resetAndDestroy();
      });
      setImmediate(() => {
        Atomics.store(shared, ${hasWritten}, 1);
        Atomics.notify(shared, ${hasWritten});
      });
    }
  });
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/**
 * Starts one that answers the first request with `first`, and each other one with `next`. The thread of the test does
 * not read before `first` is written, so that all of it lies ready, as far as the system takes it.
 *
 * @param resets the first connection is reset behind that
 */
export const startSeparateUpstream = async (first: string, next: string, resets = false): Promise<SeparateUpstream> => {
  const shared = new Int32Array(new SharedArrayBuffer(12));
  const worker = new Worker(program, { eval: true, workerData: { shared, first, next, resets } });
  const [port] = (await once(worker, 'message')) as [number];
  const answered = new Promise<void>((resolve) => {
    worker.once('message', () => {
      Atomics.store(shared, mayWrite, 1);
      Atomics.notify(shared, mayWrite);
      Atomics.wait(shared, hasWritten, 0, longestHoldMs);
      resolve();
    });
  });
  return {
    port,
    answered,
    connections: () => Atomics.load(shared, connections),
    close: async () => {
      await worker.terminate();
    },
  };
};
