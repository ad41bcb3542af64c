// What a test cannot try in its own process: environment.mjs SCENARIO runs one, and writes what happened.
import { createServer } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { open } from '../index.cjs';

const [data, end, error, connected, acceptFailed] = [2, 3, 4, 5, 7];

/**
 * Opens a layer that listens on a free port.
 * @param {(row: number[], layer: import('../index.cjs').SocketLayer, arena: Uint8Array) => void} onRow
 */
const listen = (onRow) => {
  const arena = new Uint8Array(1 << 16);
  const events = new Int32Array(8 * 256);
  const counts = { turns: 0 };
  const layer = open({
    arena,
    events,
    maxQueuedOctets: 1 << 20,
    onEvents: (count) => {
      counts.turns += 1;
      for (let row = 0; row < count; row += 1) onRow([...events.subarray(row * 8, row * 8 + 8)], layer, arena);
    },
  });
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      layer.listen(server._handle.fd, 511);
      const { port } = server.address();
      server.close(() => resolve({ layer, port, counts, arena }));
    });
  });
};

const scenarios = {
  /** An echo server that writes why it could not accept; to be run with few descriptors. */
  async descriptors() {
    let failures = 0;
    const { port, counts } = await listen(([type, slot, generation, offset, length, value], layer, arena) => {
      if (type === data) layer.write(slot, generation, arena, offset, length);
      if (type === end || type === error) layer.close(slot, generation);
      if (type !== acceptFailed) return;
      failures += 1;
      console.log(`accept failed ${value} slot ${slot}`);
    });
    console.log(`port ${port}`);
    process.on('SIGTERM', () => {
      console.log(`turns ${counts.turns} failures ${failures}`);
      process.exit(0);
    });
  },

  /** Worker threads end in every way while their layers have traffic. */
  async workers() {
    for (const way of ['terminate', 'terminate in a turn', 'exit', 'throw', 'end', 'terminate', 'exit']) {
      const worker = new Worker(new URL(import.meta.url), { workerData: way });
      const exited = new Promise((resolve) => worker.on('exit', resolve));
      worker.on('error', ({ message }) => console.log(message));
      await new Promise((resolve) => worker.once('message', resolve));
      if (way.startsWith('terminate')) await worker.terminate();
      await exited;
      console.log(`ended by ${way}`);
    }
  },

  /** An exception in onEvents; ticks and microtasks run after the turns without one. */
  async exceptions() {
    process.on('uncaughtException', ({ message }) => console.log(`uncaught ${message}`));
    let turns = 0;
    const { layer, port } = await listen(([type]) => {
      if (type !== connected) return;
      turns += 1;
      console.log(`turn ${turns}`);
      process.nextTick(() => console.log('tick'));
      queueMicrotask(() => console.log('microtask'));
      if (turns === 3) layer.end();
      else layer.connect('127.0.0.1', port);
      if (turns === 2) throw new Error('in onEvents');
    });
    layer.connect('127.0.0.1', port);
  },

  /** The arena goes to another thread. */
  async transfer() {
    process.on('uncaughtException', ({ code }) => console.log(`uncaught ${code}`));
    const { layer, port, arena } = await listen(() => console.log('a turn'));
    structuredClone(arena, { transfer: [arena.buffer] });
    layer.connect('127.0.0.1', port);
  },

  /** An unreferenced layer lets the process end. */
  async unref() {
    const { layer, port } = await listen(() => {});
    layer.connect('127.0.0.1', port);
    layer.unref();
    console.log('unreferenced');
  },
};

const beInWorker = async () => {
  let turns = 0;
  const { layer, port } = await listen(([type, slot, generation], _layer, arena) => {
    if (type !== data && type !== connected) return;
    layer.write(slot, generation, arena, 0, 1000);
    turns += 1;
    if (turns < 500) return;
    if (turns === 500) parentPort.postMessage('busy');
    if (turns < 1000) return;
    if (workerData === 'terminate in a turn') for (;;);
    if (workerData === 'exit') process.exit(0);
    if (workerData === 'throw') throw new Error('thrown in a worker');
    if (workerData === 'end') {
      layer.end();
      turns = Number.NEGATIVE_INFINITY;
    }
  });
  for (let count = 0; count < 20; count += 1) layer.connect('127.0.0.1', port);
};

if (isMainThread) await scenarios[process.argv[2]]();
else await beInWorker();
