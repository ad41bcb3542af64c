import { frameHeadBytes, maximumFrameLength } from './frame-decoder.js';
import { JsonOctets } from './json-octets.js';
import { type MessageName, messageKinds } from './message-codes.js';

/** Memory that grew beyond this is not kept. */
const keptBytes = 262_144;

/** Collects the frames of one turn of the event loop, so that they leave in one write. */
export class FrameOutbox {
  readonly #write: (octets: Uint8Array) => boolean;
  readonly #defer: (task: () => void) => void;
  readonly #flush = (): void => this.flush();
  readonly #collected = new JsonOctets();
  #flushIsDue = false;

  /**
   * @param write takes octets; true: it is done with them, false: they are its to keep
   * @param defer runs a task at the end of this turn
   */
  constructor(write: (octets: Uint8Array) => boolean, defer: (task: () => void) => void) {
    this.#write = write;
    this.#defer = defer;
  }

  /** Octets that wait for the end of the turn. */
  get pendingBytes(): number {
    return this.#collected.length;
  }

  /** Adds a frame. False where it is larger than a frame can be: nothing is sent then. */
  send(name: MessageName, payload: string | Uint8Array): boolean {
    // No text has fewer octets than characters.
    if (payload.length >= maximumFrameLength) return false;
    const start = this.#begin();
    if (typeof payload === 'string') this.#collected.addText(payload);
    else this.#collected.add(payload);
    return this.#end(name, start);
  }

  /** Adds a frame whose payload is what `write` adds of a value. False as above. */
  sendWritten<Value>(name: MessageName, write: (into: JsonOctets, value: Value) => void, value: Value): boolean {
    const start = this.#begin();
    write(this.#collected, value);
    return this.#end(name, start);
  }

  /** Writes what has been collected. */
  flush(): void {
    this.#flushIsDue = false;
    const collected = this.#collected;
    if (collected.length === 0) return;
    const octets = collected.view();
    // What is sent while this is being written must not touch it.
    const memory = collected.take();
    const isDone = this.#write(octets);
    if (isDone && collected.room === 0 && memory.length <= keptBytes) collected.giveBack(memory);
  }

  #begin(): number {
    const start = this.#collected.length;
    this.#collected.skip(frameHeadBytes);
    return start;
  }

  #end(name: MessageName, start: number): boolean {
    const collected = this.#collected;
    const length = collected.length - start - frameHeadBytes + 1;
    if (length > maximumFrameLength) {
      collected.length = start;
      return false;
    }
    collected.set(start, length >>> 24);
    collected.set(start + 1, length >>> 16);
    collected.set(start + 2, length >>> 8);
    collected.set(start + 3, length);
    collected.set(start + 4, messageKinds[name].code);
    if (this.#flushIsDue) return true;
    this.#flushIsDue = true;
    this.#defer(this.#flush);
    return true;
  }
}
