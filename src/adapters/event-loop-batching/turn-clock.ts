/**
 * What time it is while one read is handled, or a few that are handled one after the other. A request asks for the time in a handful of
 * places, between which there are a few microseconds; each look at the clock costs about as much as one of the stages.
 */

/** Below zero: nothing is being handled. */
let readMs = -1;
/** Below zero: what is handled is alone. */
let batchMs = -1;

/** What is handled until the next call, or `batchEnds`, has one time. */
export const batchBegins = (): void => {
  batchMs = performance.now();
};

/** INVARIANT: called before the loop, or a promise, goes on; else time would stand still. */
export const batchEnds = (): void => {
  batchMs = -1;
};

/**
 * Something has been read, and is handled from now on, until this returns: what it asks is what time it is now.
 *
 * @returns what `turnEnds` is to be told: something else may be in the midst of being handled
 */
export const turnBegins = (): number => {
  const outerMs = readMs;
  readMs = batchMs < 0 ? performance.now() : batchMs;
  return outerMs;
};

/** It is handled. INVARIANT: called before the loop, or a promise, goes on; else time would stand still. */
export const turnEnds = (outerMs: number): void => {
  // What goes on has the later of the two times: it never goes back.
  if (outerMs < 0) readMs = -1;
};

/** Monotonic milliseconds, as `performance.now` counts: when what is being handled was read; now, where nothing is. */
export const turnMs = (): number => (readMs < 0 ? performance.now() : readMs);
