/**
 * The end of a turn of the event loop: what it had read has come by then, and nothing else goes on before this has been done. What was
 * read is handled before anything is written, so that its writes go out with the others.
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

/** Between the two steps promises go on, those of requests that have just been handled among them: what they write goes out with the rest. */
const arm = (): void => {
  if (isArmed) return;
  isArmed = true;
  setImmediate(handleAll);
  setImmediate(writeAll);
};

/** Has all that was read handled at the end of the turn; in the next one, where it is called when that is being done. */
export const handleAtTurnEnd = (handle: Step): void => {
  handling = handle;
  arm();
};

/** Has all that waits written at the end of the turn; in the next one, where it is called when that is being done. */
export const writeAtTurnEnd = (write: Step): void => {
  writing = write;
  arm();
};

/** Has what one of many has thrown be thrown where nobody is in the midst of anything: the others go on. */
export const throwApart = (error: unknown): void => {
  queueMicrotask(() => {
    throw error;
  });
};
