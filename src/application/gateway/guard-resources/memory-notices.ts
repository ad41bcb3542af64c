import { notice } from '../../shared/worker-channel/worker-call.js';

/** Octets that a worker holds in memory, told to the supervisor. */
export const workerMemory = notice<number>('worker-memory');

/** Octets that the supervisor and all other workers hold, told to a worker. */
export const memoryOfOthers = notice<number>('memory-of-others');
