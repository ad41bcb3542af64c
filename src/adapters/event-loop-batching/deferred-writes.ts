import { turnMs } from './turn-clock.js';
import { throwApart, writeAtTurnEnd } from './turn-end.js';

/**
 * Defers writes to the end of the event-loop turn, after all input is handled. A local peer is
 * woken once for many writes, and request code stays in the CPU caches.
 */

/** A writer with deferred data. */
export interface LateWriter {
  /** Writes the deferred data, if any is left. */
  writeNow(): void;
}

/** Longest queue while other work runs, so that early data does not wait for all later data. */
const most = 64;
/**
 * Longest deferral in milliseconds, plus the item being handled; some requests need a signature.
 */
const longestMs = 1;

let waiting: LateWriter[] = [];
/** The idle list of the two. */
let spare: LateWriter[] = [];
let isWriting = false;
/** Arrival of the first writer. */
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

/** Defers a write to the end of this turn. */
export const writeLate = (writer: LateWriter): void => {
  if (waiting.length === 0) sinceMs = turnMs();
  waiting.push(writer);
  if (waiting.length === 1) writeAtTurnEnd(writeAll);
};

/** Call it before input is handled. */
export const boundLateWrites = (): void => {
  // A write may have started a request. INVARIANT: the two lists are used one at a time; otherwise
  // data that arrives meanwhile is lost.
  if (isWriting) return;
  const { length } = waiting;
  if (length >= most || (length > 0 && turnMs() - sinceMs > longestMs)) writeAll();
};
