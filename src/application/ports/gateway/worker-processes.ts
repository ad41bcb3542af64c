import type { ProcessEnd } from '../../../domain/gateway/supervision/process-end.js';
import type { WorkerLink } from '../shared/worker-link.js';

/** A process started as a worker. */
export interface WorkerProcess {
  /** Null if the system could not start it; then it has ended. */
  readonly pid: number | null;
  readonly link: WorkerLink;
  /** Resolves once, after the link is closed. */
  readonly ended: Promise<ProcessEnd>;
  /** Kills the process at once. No effect after its end. */
  kill(): void;
}

/** Starts worker processes, which wait for their first message. */
export interface WorkerProcesses {
  start(): WorkerProcess;
}
