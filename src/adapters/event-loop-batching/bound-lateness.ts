import { boundLateReads } from './deferred-reads.js';
import { boundLateWrites } from './deferred-writes.js';

/** Call it when input is handled at once: deferred work must not wait for all of it. */
export const boundLateness = (): void => {
  boundLateReads();
  boundLateWrites();
};
