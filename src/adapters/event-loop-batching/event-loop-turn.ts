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

/**
 * Runs work at the end of an event-loop turn, after its reads and before the next turn. Reads are
 * handled before writes, so that their output goes out together.
 */

type Step = () => void;

let handling: Step | null = null;
let writing: Step | null = null;
let isArmed = false;
/** Steps that wait for the reads of this turn. */
let waitingSteps: Step[] = [];
let areReadsDone = false;
let turn = 0;

const runHandling = (): void => {
  areReadsDone = true;
  const steps = waitingSteps;
  waitingSteps = [];
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      throwApart(error);
    }
  }
  const handle = handling;
  handling = null;
  handle?.();
};

const runWriting = (): void => {
  const write = writing;
  writing = null;
  isArmed = false;
  if (handling !== null) arm();
  write?.();
  areReadsDone = false;
  turn += 1;
};

/**
 * Promises continue between the two steps, including those of requests just handled; their writes
 * go out with the rest.
 */
const arm = (): void => {
  if (isArmed) return;
  isArmed = true;
  setImmediate(runHandling);
  setImmediate(runWriting);
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

/**
 * Runs `step` once the sockets that were ready in this turn have been read: at the end of the turn, or at once within
 * its steps.
 */
export const afterReads = (step: Step): void => {
  if (areReadsDone) {
    step();
    return;
  }
  waitingSteps.push(step);
  arm();
};

/** The number of this turn. */
export const currentTurn = (): number => {
  // The number grows at the end of an armed turn.
  arm();
  return turn;
};

/** Rethrows an error outside the batch, so that the other items continue. */
export const throwApart = (error: unknown): void => {
  queueMicrotask(() => {
    throw error;
  });
};

/**
 * Defers input to the end of the event-loop turn, after all pending reads. Request code then stays
 * in the CPU caches instead of alternating with system calls.
 */

/** A reader with deferred input. */
export interface DeferredReader {
  /** Handles the deferred input, if any is left. */
  handleNow(): void;
}

/** Longest queue, so that early input does not wait for all later input. */
const maxWaitingReaders = 64;
/** Longest deferral in milliseconds, plus the item being handled. */
const maxDeferralMs = 1;
/** Items handled per time check; without signatures they take a small part of a millisecond. */
const moment = 4;
/** Continued readers handled per turn, so that the delay for others is bounded. */
const maxContinuedPerTurn = 4;

let waitingReaders: DeferredReader[] = [];
/** The idle list of the two. */
let spareReaders: DeferredReader[] = [];
/** Arrival of the first reader. */
let readersSinceMs = 0;
/** Readers with more input, in the order of their last turn. */
const continuedReaders = new Set<DeferredReader>();

const handle = (reader: DeferredReader): void => {
  try {
    reader.handleNow();
  } catch (error) {
    throwApart(error);
  }
};

const handleReaders = (): void => {
  const due = waitingReaders;
  waitingReaders = spareReaders;
  spareReaders = [];
  for (let place = 0; place < due.length; place += 1) {
    if (place % moment === 0) batchBegins();
    handle(due[place] as DeferredReader);
  }
  batchEnds();
  due.length = 0;
  spareReaders = due;
};

const handleTurn = (): void => {
  // Readers added meanwhile have had this turn.
  const due = takeContinued();
  handleReaders();
  for (const reader of due) handle(reader);
  if (continuedReaders.size > 0) handleAtTurnEnd(handleTurn);
};

const noReaders: readonly DeferredReader[] = [];

const takeContinued = (): readonly DeferredReader[] => {
  if (continuedReaders.size === 0) return noReaders;
  const due: DeferredReader[] = [];
  for (const reader of continuedReaders) {
    if (due.length === maxContinuedPerTurn) break;
    due.push(reader);
    continuedReaders.delete(reader);
  }
  return due;
};

/**
 * Continues a reader with input that arrived earlier, behind new input and other continued readers.
 * No time limit applies.
 */
export const continueReading = (reader: DeferredReader): void => {
  continuedReaders.add(reader);
  handleAtTurnEnd(handleTurn);
};

/** Removes a reader that has no more input. */
export const cancelReading = (reader: DeferredReader): void => {
  continuedReaders.delete(reader);
};

/** Defers the handling of input to the end of this turn. */
export const deferRead = (reader: DeferredReader): void => {
  waitingReaders.push(reader);
  if (waitingReaders.length === 1) {
    readersSinceMs = turnMs();
    handleAtTurnEnd(handleTurn);
  } else if (waitingReaders.length === maxWaitingReaders) handleReaders();
};

/** Call it before other input is handled, or when a connection arrives. */
export const boundLateReads = (): void => {
  if (waitingReaders.length > 0 && turnMs() - readersSinceMs > maxDeferralMs) handleReaders();
};

/**
 * Defers writes to the end of the event-loop turn, after all input is handled. A local peer is
 * woken once for many writes, and request code stays in the CPU caches.
 */

/** A writer with deferred data. */
export interface DeferredWriter {
  /** Writes the deferred data, if any is left. */
  writeNow(): void;
}

/** Longest queue while other work runs, so that early data does not wait for all later data. */
const mostWriters = 64;
/**
 * Longest deferral in milliseconds, plus the item being handled; some requests need a signature.
 */
const longestWriteMs = 1;

let waitingWriters: DeferredWriter[] = [];
/** The idle list of the two. */
let spareWriters: DeferredWriter[] = [];
let isWriting = false;
/** Arrival of the first writer. */
let writersSinceMs = 0;

const flushWriters = (): void => {
  const due = waitingWriters;
  waitingWriters = spareWriters;
  isWriting = true;
  for (let place = 0; place < due.length; place += 1) {
    try {
      (due[place] as DeferredWriter).writeNow();
    } catch (error) {
      throwApart(error);
    }
  }
  isWriting = false;
  due.length = 0;
  spareWriters = due;
};

/** Defers a write to the end of this turn. */
export const deferWrite = (writer: DeferredWriter): void => {
  if (waitingWriters.length === 0) writersSinceMs = turnMs();
  waitingWriters.push(writer);
  if (waitingWriters.length === 1) writeAtTurnEnd(flushWriters);
};

/** Call it before input is handled. */
export const boundLateWrites = (): void => {
  // A write may have started a request. INVARIANT: the two lists are used one at a time; otherwise
  // data that arrives meanwhile is lost.
  if (isWriting) return;
  const { length } = waitingWriters;
  if (length >= mostWriters || (length > 0 && turnMs() - writersSinceMs > longestWriteMs)) flushWriters();
};

/** Call it when input is handled at once: deferred work must not wait for all of it. */
export const boundLateness = (): void => {
  boundLateReads();
  boundLateWrites();
};
