import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves once a condition holds; for what tells nobody when it comes about. The test's own time-out is the
 * deadline.
 */
export const eventually = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await sleep(2);
};
