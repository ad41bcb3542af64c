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
/** So many of those that go on have their turn in one: what others have to wait does not grow with their number. */
const mostGoingOn = 4;

let waiting: LateReader[] = [];
/** The one that is not in use. */
let spare: LateReader[] = [];
/** When the first of them came. */
let sinceMs = 0;
/** Those that have had their turn and have more to be handled, in the order in which they had it. */
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
  // Those that come to it while the others are handled have had this turn.
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

/** Has somebody go on with what was read before, behind all that has come anew and behind others that go on. Nothing hurries it. */
export const goOnLate = (reader: LateReader): void => {
  goingOn.add(reader);
  handleAtTurnEnd(handleTurn);
};

/** Somebody has nothing to go on with any more, and keeps nobody waiting. */
export const goOnNoMore = (reader: LateReader): void => {
  goingOn.delete(reader);
};

/** Has somebody handle what was read at the end of this turn. */
export const handleLate = (reader: LateReader): void => {
  waiting.push(reader);
  if (waiting.length === 1) {
    sinceMs = turnMs();
    handleAtTurnEnd(handleTurn);
  } else if (waiting.length === most) handleAll();
};

/** To be called when something else that was read is about to be handled, or somebody has come. */
export const boundLateReads = (): void => {
  if (waiting.length > 0 && turnMs() - sinceMs > longestMs) handleAll();
};
