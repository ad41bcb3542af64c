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

let waiting: LateWriter[] = [];
/** The one that is not in use. */
let spare: LateWriter[] = [];
let isArmed = false;

const writeAll = (): void => {
  const due = waiting;
  waiting = spare;
  for (let place = 0; place < due.length; place += 1) {
    try {
      (due[place] as LateWriter).writeNow();
    } catch (error) {
      // The others write all the same.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
  due.length = 0;
  spare = due;
};

const atEnd = (): void => {
  isArmed = false;
  writeAll();
};

/** Has somebody write at the end of this turn. */
export const writeLate = (writer: LateWriter): void => {
  waiting.push(writer);
  if (isArmed) return;
  isArmed = true;
  setImmediate(atEnd);
};

/** To be called before something that was read is handled, while nothing else is. */
export const boundLateWrites = (): void => {
  if (waiting.length >= most) writeAll();
};
