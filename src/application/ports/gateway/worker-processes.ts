import type { ProcessEnd } from '../../../domain/gateway/supervision/process-end.js';
import type { WorkerLink } from '../shared/worker-link.js';

/** A process that was started to be a worker. */
export interface WorkerProcess {
  /** Null where the system did not start it; then it has ended. */
  readonly pid: number | null;
  readonly link: WorkerLink;
  /** Resolves once, after the link is closed. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends it at once, whatever it does. Nothing happens where it has ended. */
  kill(): void;
}

/** Starts the processes of workers: the program of a worker, which waits for its order. */
export interface WorkerProcesses {
  start(): WorkerProcess;
}
