/**
 * What time it is while one read is handled. A request asks for the time in a handful of places, between which there are a few
 * microseconds; each look at the clock costs about as much as one of the stages.
 */

/** Below zero: nothing is being handled. */
let readMs = -1;

/** Something has been read, and is handled from now on, until this returns: what it asks is what time it is now. */
export const turnBegins = (): void => {
  readMs = performance.now();
};

/** It is handled. INVARIANT: called before the loop, or a promise, goes on; else time would stand still. */
export const turnEnds = (): void => {
  readMs = -1;
};

/** Monotonic milliseconds, as `performance.now` counts: when what is being handled was read; now, where nothing is. */
export const turnMs = (): number => (readMs < 0 ? performance.now() : readMs);
