import { boundLateReads } from './deferred-reads.js';
import { boundLateWrites } from './deferred-writes.js';

/** To be called when something was read that is handled at once: what waits for the end of the turn does not wait for all of that. */
export const boundLateness = (): void => {
  boundLateReads();
  boundLateWrites();
};
