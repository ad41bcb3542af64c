import { batchBegins, batchEnds, turnMs } from './turn-clock.js';
import { handleAtTurnEnd, throwApart } from './turn-end.js';

/**
 * Defers input to the end of the event-loop turn, after all pending reads. Request code then stays
 * in the CPU caches instead of alternating with system calls.
 */

/** A reader with deferred input. */
export interface LateReader {
  /** Handles the deferred input, if any is left. */
  handleNow(): void;
}

/** Longest queue, so that early input does not wait for all later input. */
const most = 64;
/** Longest deferral in milliseconds, plus the item being handled. */
const longestMs = 1;
/** Items handled per time check; without signatures they take a small part of a millisecond. */
const moment = 4;
/** Continued readers handled per turn, so that the delay for others is bounded. */
const mostGoingOn = 4;

let waiting: LateReader[] = [];
/** The idle list of the two. */
let spare: LateReader[] = [];
/** Arrival of the first reader. */
let sinceMs = 0;
/** Readers with more input, in the order of their last turn. */
const goingOn = new Set<LateReader>();

const handle = (reader: LateReader): void => {
  try {
    reader.handleNow();
  } catch (error) {
    throwApart(error);
  }
};

const handleAll = (): void => {
  const due = waiting;
  waiting = spare;
  spare = [];
  for (let place = 0; place < due.length; place += 1) {
    if (place % moment === 0) batchBegins();
    handle(due[place] as LateReader);
  }
  batchEnds();
  due.length = 0;
  spare = due;
};

const handleTurn = (): void => {
  // Readers added meanwhile have had this turn.
  const due = takeGoingOn();
  handleAll();
  for (const reader of due) handle(reader);
  if (goingOn.size > 0) handleAtTurnEnd(handleTurn);
};

const nobody: readonly LateReader[] = [];

const takeGoingOn = (): readonly LateReader[] => {
  if (goingOn.size === 0) return nobody;
  const due: LateReader[] = [];
  for (const reader of goingOn) {
    if (due.length === mostGoingOn) break;
    due.push(reader);
    goingOn.delete(reader);
  }
  return due;
};

/**
 * Continues a reader with input that arrived earlier, behind new input and other continued readers.
 * No time limit applies.
 */
export const goOnLate = (reader: LateReader): void => {
  goingOn.add(reader);
  handleAtTurnEnd(handleTurn);
};

/** Removes a reader that has no more input. */
export const goOnNoMore = (reader: LateReader): void => {
  goingOn.delete(reader);
};

/** Defers the handling of input to the end of this turn. */
export const handleLate = (reader: LateReader): void => {
  waiting.push(reader);
  if (waiting.length === 1) {
    sinceMs = turnMs();
    handleAtTurnEnd(handleTurn);
  } else if (waiting.length === most) handleAll();
};

/** Call it before other input is handled, or when a connection arrives. */
export const boundLateReads = (): void => {
  if (waiting.length > 0 && turnMs() - sinceMs > longestMs) handleAll();
};
