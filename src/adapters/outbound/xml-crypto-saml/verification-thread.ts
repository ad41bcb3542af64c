import { Worker } from 'node:worker_threads';
import { err } from '../../../domain/shared/result.js';
import type { JobResult, VerificationJob } from './verification-job.js';

/** Far more than a document within its bounds needs, and less than would harm the process. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

const failed: JobResult = err('verifier_failed');

interface RunningJob {
  readonly answer: (result: JobResult) => void;
  readonly deadline: NodeJS.Timeout;
}

/**
 * A thread that does one job at a time. It is started by its first job; one that crashed, or had to
 * be stopped because a job went on beyond its deadline, is replaced for the next job. While it is
 * idle it keeps no process alive.
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
   * `verifier_failed` where the thread crashes or takes too long. Only for a thread that is idle.
   */
  run(job: VerificationJob): Promise<JobResult> {
    return new Promise((resolve) => {
      const deadline = setTimeout(() => this.#give(failed, true), this.#deadlineMs);
      this.#running = { answer: resolve, deadline };
      try {
        this.#worker ??= this.#start();
        this.#worker.ref();
        this.#worker.postMessage(job);
      } catch {
        this.#give(failed, true);
      }
    });
  }

  /** Stops it; a job that it does is answered with `verifier_failed`. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#give(failed, true);
    await worker?.terminate();
  }

  #start(): Worker {
    // Neither the environment nor the options of this process are of use there, and the environment
    // may hold secrets.
    const worker = new Worker(this.#program, { env: {}, execArgv: [], resourceLimits });
    const lost = (): void => {
      if (this.#worker === worker) this.#give(failed, true);
    };
    worker.on('message', (result: JobResult) => {
      if (this.#worker === worker) this.#give(result, false);
    });
    worker.on('messageerror', lost);
    worker.on('error', lost);
    worker.on('exit', lost);
    return worker;
  }

  #give(result: JobResult, isLost: boolean): void {
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
