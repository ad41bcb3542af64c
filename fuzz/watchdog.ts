import { writeSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** Without a beat for so long, the main thread hangs. */
const patienceMs = 30_000;
const lookMs = 1_000;

interface Watched {
  readonly beats: Int32Array<SharedArrayBuffer>;
  readonly seed: number;
  readonly names: readonly string[];
}

/** Ends the process where the main thread goes round and round in one input, and says in which. */
export interface Watchdog {
  /** A case of a part, by its place among the names, begins. */
  beat(part: number, index: number): void;
  stop(): Promise<void>;
}

export const startWatchdog = (seed: number, names: readonly string[]): Watchdog => {
  const beats = new Int32Array(new SharedArrayBuffer(12));
  const watched: Watched = { beats, seed, names };
  const worker = new Worker(new URL(import.meta.url), { workerData: watched });
  worker.unref();
  return {
    beat: (part, index) => {
      beats[0] = ((beats[0] as number) + 1) | 0;
      beats[1] = part;
      beats[2] = index;
    },
    stop: async () => {
      await worker.terminate();
    },
  };
};

const watch = ({ beats, seed, names }: Watched): void => {
  let last = -1;
  let silentMs = 0;
  setInterval(() => {
    const now = Atomics.load(beats, 0);
    silentMs = now === last ? silentMs + lookMs : 0;
    last = now;
    if (silentMs < patienceMs) return;
    writeSync(2, `the run hangs: seed ${seed}, part ${names[beats[1] as number]}, case ${beats[2]}\n`);
    process.kill(process.pid, 'SIGKILL');
  }, lookMs);
};

if (!isMainThread) watch(workerData as Watched);
