import { batchBegins, batchEnds, turnMs } from './turn-clock.js';
import { handleAtTurnEnd, throwApart } from './turn-end.js';

/**
 * What was read is handled at the end of the turn of the event loop, when all has been read that had come: the code that handles
 * requests is not thrown out of the processor's caches by the system in between.
 */

/** Who has read something that is still to be handled. */
export interface LateReader {
  /** Handles it, where it is still to be handled. */
  handleNow(): void;
}

/** So many wait at the most: what comes first does not wait for all the others. */
const most = 64;
/** Nor do they wait for longer than this and what is being handled, in milliseconds. */
const longestMs = 1;
/** So many are handled in what is one moment: a small part of a millisecond, where none of them takes a signature. */
const moment = 4;

let waiting: LateReader[] = [];
/** The one that is not in use. */
let spare: LateReader[] = [];
/** When the first of them came. */
let sinceMs = 0;

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

/** Has somebody handle what was read at the end of this turn. */
export const handleLate = (reader: LateReader): void => {
  waiting.push(reader);
  if (waiting.length === 1) {
    sinceMs = turnMs();
    handleAtTurnEnd(handleAll);
  } else if (waiting.length === most) handleAll();
};

/** To be called when something else that was read is about to be handled, or somebody has come. */
export const boundLateReads = (): void => {
  if (waiting.length > 0 && turnMs() - sinceMs > longestMs) handleAll();
};
