import type { WorkerProcess, WorkerProcesses } from '../ports/worker-processes.js';

/**
 * Keeps one process of a worker that has loaded its program and waits for an order, so that a worker that dies is replaced in the time that
 * it takes to read a configuration.
 */
export class SpareProcess {
  readonly #processes: WorkerProcesses;
  #spare: WorkerProcess | null = null;
  #isStopped = false;

  constructor(processes: WorkerProcesses) {
    this.#processes = processes;
  }

  /** The spare one, where there is one, else a new one. */
  take(): WorkerProcess {
    const spare = this.#spare;
    this.#spare = null;
    return spare !== null && !spare.link.isClosed ? spare : this.#processes.start();
  }

  /** To be called when there is time: it starts a process where there is no spare one. */
  fill(): void {
    if (this.#isStopped || (this.#spare !== null && !this.#spare.link.isClosed)) return;
    this.#spare = this.#processes.start();
  }

  /** Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const spare = this.#spare;
    this.#spare = null;
    if (spare === null) return;
    spare.kill();
    await spare.ended;
  }
}
