import type { Scheduler } from '../../../src/application/ports/shared/scheduler.js';
import { WorkerChannel } from '../../../src/application/shared/worker-channel/worker-channel.js';
import { linkedPair, type PairedLink } from './linked-pair.js';

/** One worker of a supervisor within this process: both ends of what they say to each other. */
export interface SupervisedWorker {
  readonly supervisor: WorkerChannel;
  readonly worker: WorkerChannel;
  readonly link: PairedLink;
}

/** Links a worker to its supervisor. What throws on either side fails the test. */
export const supervisedWorker = (scheduler: Scheduler): SupervisedWorker => {
  const fault = (_: string, error: unknown): never => {
    throw error;
  };
  const [supervisorEnd, workerEnd] = linkedPair();
  return {
    supervisor: new WorkerChannel(supervisorEnd, scheduler, fault),
    worker: new WorkerChannel(workerEnd, scheduler, fault),
    link: workerEnd,
  };
};
