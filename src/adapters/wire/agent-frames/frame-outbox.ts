import { frameHeadBytes, maxFrameLength } from './frame-decoder.js';
import { JsonOctets } from './json-octets.js';
import { type MessageName, messageKinds } from './message-codes.js';

/** Larger buffers are not reused. */
const maxReusedBytes = 262_144;

/** Collects the frames of one event-loop turn for one write. */
export class FrameOutbox {
  readonly #write: (octets: Uint8Array) => boolean;
  readonly #defer: (task: () => void) => void;
  readonly #flush = (): void => this.flush();
  readonly #collected = new JsonOctets();
  #isFlushScheduled = false;

  /**
   * @param write writes octets; true: it no longer needs them, false: it keeps them
   * @param defer runs a task at the end of this turn
   */
  constructor(write: (octets: Uint8Array) => boolean, defer: (task: () => void) => void) {
    this.#write = write;
    this.#defer = defer;
  }

  /** Collected octets. */
  get pendingBytes(): number {
    return this.#collected.length;
  }

  /** Adds a frame. Returns false, and sends nothing, if it is too large. */
  send(name: MessageName, payload: string | Uint8Array): boolean {
    // UTF-8 has at least one octet per character.
    if (payload.length >= maxFrameLength) return false;
    const start = this.#begin();
    if (typeof payload === 'string') this.#collected.addText(payload);
    else this.#collected.add(payload);
    return this.#end(name, start);
  }

  /** Adds a frame whose payload `write` encodes. Returns false if it is too large. */
  sendWritten<Value>(name: MessageName, write: (into: JsonOctets, value: Value) => void, value: Value): boolean {
    const start = this.#begin();
    write(this.#collected, value);
    return this.#end(name, start);
  }

  /** Writes the collected frames. */
  flush(): void {
    this.#isFlushScheduled = false;
    const collected = this.#collected;
    if (collected.length === 0) return;
    const octets = collected.view();
    // Frames added during the write must not change its octets.
    const memory = collected.take();
    const isDone = this.#write(octets);
    if (isDone && collected.room === 0 && memory.length <= maxReusedBytes) collected.reuse(memory);
  }

  #begin(): number {
    const start = this.#collected.length;
    this.#collected.skip(frameHeadBytes);
    return start;
  }

  #end(name: MessageName, start: number): boolean {
    const collected = this.#collected;
    const length = collected.length - start - frameHeadBytes + 1;
    if (length > maxFrameLength) {
      collected.length = start;
      return false;
    }
    collected.set(start, length >>> 24);
    collected.set(start + 1, length >>> 16);
    collected.set(start + 2, length >>> 8);
    collected.set(start + 3, length);
    collected.set(start + 4, messageKinds[name].code);
    if (this.#isFlushScheduled) return true;
    this.#isFlushScheduled = true;
    this.#defer(this.#flush);
    return true;
  }
}
