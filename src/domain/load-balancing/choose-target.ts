/** What `chooseTarget` takes as the previous choice where there was none. */
export const noTargetYet = -1;

/**
 * Round robin: the index of the target whose turn it is, to be handed back with the next call; -1 where there is no
 * target. The count may change between calls.
 */
export const chooseTarget = (previous: number, targetCount: number): number =>
  targetCount <= 0 ? noTargetYet : (previous + 1) % targetCount;
