/**
 * The time during one read, or a few that follow each other. A request reads the time several times
 * within microseconds, and each clock call costs about as much as a stage.
 */

/** Negative: nothing is being handled. */
let readMs = -1;
/** Negative: no batch is running. */
let batchMs = -1;

/** Starts a batch with one time, until the next call or `batchEnds`. */
export const batchBegins = (): void => {
  batchMs = performance.now();
};

/**
 * INVARIANT: call it before the event loop or a promise continues; otherwise the time would stand
 * still.
 */
export const batchEnds = (): void => {
  batchMs = -1;
};

/**
 * Starts the handling of input and fixes the time until `turnEnds`.
 * @returns value for `turnEnds`; an outer turn may be active
 */
export const turnBegins = (): number => {
  const outerMs = readMs;
  readMs = batchMs < 0 ? performance.now() : batchMs;
  return outerMs;
};

/**
 * Ends the handling. INVARIANT: call it before the event loop or a promise continues; otherwise the
 * time would stand still.
 */
export const turnEnds = (outerMs: number): void => {
  // The outer turn continues with the later time, so that time never goes back.
  if (outerMs < 0) readMs = -1;
};

/**
 * Monotonic milliseconds as in `performance.now`: the time of the current read, or now outside a
 * turn.
 */
export const turnMs = (): number => (readMs < 0 ? performance.now() : readMs);
