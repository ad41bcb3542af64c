import { turnMs } from './turn-clock.js';
import { throwApart, writeAtTurnEnd } from './turn-end.js';

/**
 * What is written at the end of a turn of the event loop, when all that had come has been handled. The other side of a socket, where it
 * is on this machine, is woken once for many writes instead of for each of them, and code that handles requests is not thrown
 * out of the processor's caches by the system in between.
 */

/** Who has something to write at the end of the turn. */
export interface LateWriter {
  /** Writes it, where it is still to be written. */
  writeNow(): void;
}

/** So many wait at the most while anything else is handled: what comes first does not wait for all the others. */
const most = 64;
/** Nor do they wait for longer than this and what is being handled, in milliseconds: some requests take a signature. */
const longestMs = 1;

let waiting: LateWriter[] = [];
/** The one that is not in use. */
let spare: LateWriter[] = [];
let isWriting = false;
/** When the first of them came. */
let sinceMs = 0;

const writeAll = (): void => {
  const due = waiting;
  waiting = spare;
  isWriting = true;
  for (let place = 0; place < due.length; place += 1) {
    try {
      (due[place] as LateWriter).writeNow();
    } catch (error) {
      throwApart(error);
    }
  }
  isWriting = false;
  due.length = 0;
  spare = due;
};

/** Has somebody write at the end of this turn. */
export const writeLate = (writer: LateWriter): void => {
  if (waiting.length === 0) sinceMs = turnMs();
  waiting.push(writer);
  if (waiting.length === 1) writeAtTurnEnd(writeAll);
};

/** To be called when something that was read is about to be handled. */
export const boundLateWrites = (): void => {
  // What was written may have had a request begin. INVARIANT: the two lists are one at a time: what came meanwhile would be lost.
  if (isWriting) return;
  const { length } = waiting;
  if (length >= most || (length > 0 && turnMs() - sinceMs > longestMs)) writeAll();
};
