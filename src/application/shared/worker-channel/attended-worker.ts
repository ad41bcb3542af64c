import type { WorkerChannel } from './worker-channel.js';

/** A worker as the services of the supervisor know it. Another process with the same number is another object. */
export interface AttendedWorker {
  /** From 1 on. */
  readonly number: number;
  readonly pid: number;
  readonly channel: WorkerChannel;
}
