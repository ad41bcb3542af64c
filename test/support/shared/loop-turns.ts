/**
 * Resolves in the check phase of this turn of the event loop, behind what was put off to its end before this was
 * called.
 */
export const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Holds the loop up until the clock has gone on by more than anything may wait for the end of a turn. */
export const passTime = (): void => {
  const beganMs = performance.now();
  while (performance.now() - beganMs < 2);
};
