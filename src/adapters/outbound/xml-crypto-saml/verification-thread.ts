import { Worker } from 'node:worker_threads';
import { err } from '../../../domain/shared/result.js';
import type { JobResult, VerificationJob } from './verification-job.js';

/** Exceeds the needs of a document within its limits, and does not harm the process. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

const failed: JobResult = err('verifier_failed');

interface RunningJob {
  readonly answer: (result: JobResult) => void;
  readonly deadline: NodeJS.Timeout;
}

/**
 * A thread that runs one job at a time. Starts with its first job. Is replaced after a crash or an
 * exceeded deadline. Does not keep the process alive when idle.
 */
export class VerificationThread {
  readonly #program: URL;
  readonly #deadlineMs: number;
  #worker: Worker | null = null;
  #running: RunningJob | null = null;

  constructor(program: URL, deadlineMs: number) {
    this.#program = program;
    this.#deadlineMs = deadlineMs;
  }

  get isIdle(): boolean {
    return this.#running === null;
  }

  /**
   * Resolves with `verifier_failed` if the thread crashes or exceeds its deadline. INVARIANT: the
   * thread is idle.
   */
  run(job: VerificationJob): Promise<JobResult> {
    return new Promise((resolve) => {
      const deadline = setTimeout(() => this.#settle(failed, true), this.#deadlineMs);
      this.#running = { answer: resolve, deadline };
      try {
        this.#worker ??= this.#start();
        this.#worker.ref();
        this.#worker.postMessage(job);
      } catch {
        this.#settle(failed, true);
      }
    });
  }

  /** Stops the thread; answers a running job with `verifier_failed`. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#settle(failed, true);
    await worker?.terminate();
  }

  #start(): Worker {
    // The thread needs neither environment nor options of the process, and the environment may
    // contain secrets.
    const worker = new Worker(this.#program, { env: {}, execArgv: [], resourceLimits });
    const lost = (): void => {
      if (this.#worker === worker) this.#settle(failed, true);
    };
    worker.on('message', (result: JobResult) => {
      if (this.#worker === worker) this.#settle(result, false);
    });
    worker.on('messageerror', lost);
    worker.on('error', lost);
    worker.on('exit', lost);
    return worker;
  }

  #settle(result: JobResult, isLost: boolean): void {
    const running = this.#running;
    const worker = this.#worker;
    this.#running = null;
    if (isLost) {
      this.#worker = null;
      void worker?.terminate();
    } else worker?.unref();
    if (running === null) return;
    clearTimeout(running.deadline);
    running.answer(result);
  }
}
