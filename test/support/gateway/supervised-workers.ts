import type { Scheduler } from '../../../src/application/ports/shared/scheduler.js';
import { Correspondence } from '../../../src/application/shared/worker-channel/correspondence.js';
import { linkedPair, type PairedLink } from './linked-pair.js';

/** One worker of a supervisor within this process: both ends of what they say to each other. */
export interface SupervisedWorker {
  readonly supervisor: Correspondence;
  readonly worker: Correspondence;
  readonly link: PairedLink;
}

/** Links a worker to its supervisor. What throws on either side fails the test. */
export const supervisedWorker = (scheduler: Scheduler): SupervisedWorker => {
  const fault = (_: string, error: unknown): never => {
    throw error;
  };
  const [supervisorEnd, workerEnd] = linkedPair();
  return {
    supervisor: new Correspondence(supervisorEnd, scheduler, fault),
    worker: new Correspondence(workerEnd, scheduler, fault),
    link: workerEnd,
  };
};
