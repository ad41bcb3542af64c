/**
 * Runs work at the end of an event-loop turn, after its reads and before the next turn. Reads are
 * handled before writes, so that their output goes out together.
 */

type Step = () => void;

let handling: Step | null = null;
let writing: Step | null = null;
let isArmed = false;

const handleAll = (): void => {
  const handle = handling;
  handling = null;
  handle?.();
};

const writeAll = (): void => {
  const write = writing;
  writing = null;
  isArmed = false;
  if (handling !== null) arm();
  write?.();
};

/**
 * Promises continue between the two steps, including those of requests just handled; their writes
 * go out with the rest.
 */
const arm = (): void => {
  if (isArmed) return;
  isArmed = true;
  setImmediate(handleAll);
  setImmediate(writeAll);
};

/** Runs `handle` at the end of this turn; of the next one, if called during that step. */
export const handleAtTurnEnd = (handle: Step): void => {
  handling = handle;
  arm();
};

/** Runs `write` at the end of this turn; of the next one, if called during that step. */
export const writeAtTurnEnd = (write: Step): void => {
  writing = write;
  arm();
};

/** Rethrows an error outside the batch, so that the other items continue. */
export const throwApart = (error: unknown): void => {
  queueMicrotask(() => {
    throw error;
  });
};
