import { frameHeadBytes, maximumFrameLength } from './frame.js';
import { type MessageName, messageKinds } from './message-codes.js';

const initialBytes = 8_192;
/** A buffer that grew beyond this is not kept. */
const keptBytes = 262_144;
/** Octets of UTF-8 for one character of a string, at the most. */
const bytesPerCharacter = 3;

const encoder = new TextEncoder();

/** Collects the frames of one turn of the event loop, so that they leave in one write. */
export class FrameOutbox {
  readonly #write: (octets: Uint8Array) => void;
  readonly #defer: (task: () => void) => void;
  readonly #flush = (): void => this.flush();
  #buffer = new Uint8Array(initialBytes);
  #used = 0;
  #flushIsDue = false;

  /**
   * @param write takes octets that are the caller's to keep
   * @param defer runs a task at the end of this turn
   */
  constructor(write: (octets: Uint8Array) => void, defer: (task: () => void) => void) {
    this.#write = write;
    this.#defer = defer;
  }

  /** Octets that wait for the end of the turn. */
  get pendingBytes(): number {
    return this.#used;
  }

  /** Adds a frame. False where it is larger than a frame can be: nothing is sent then. */
  send(name: MessageName, payload: string | Uint8Array): boolean {
    if (typeof payload !== 'string') return this.#sendOctets(name, payload);
    if (payload.length * bytesPerCharacter >= maximumFrameLength) {
      return payload.length < maximumFrameLength && this.#sendOctets(name, encoder.encode(payload));
    }
    this.#reserve(frameHeadBytes + payload.length * bytesPerCharacter);
    const { written } = encoder.encodeInto(payload, this.#buffer.subarray(this.#used + frameHeadBytes));
    this.#finish(name, written);
    return true;
  }

  /** Writes what has been collected. */
  flush(): void {
    this.#flushIsDue = false;
    if (this.#used === 0) return;
    const octets = this.#buffer.slice(0, this.#used);
    this.#used = 0;
    if (this.#buffer.length > keptBytes) this.#buffer = new Uint8Array(initialBytes);
    this.#write(octets);
  }

  #sendOctets(name: MessageName, payload: Uint8Array): boolean {
    if (payload.length >= maximumFrameLength) return false;
    this.#reserve(frameHeadBytes + payload.length);
    this.#buffer.set(payload, this.#used + frameHeadBytes);
    this.#finish(name, payload.length);
    return true;
  }

  #finish(name: MessageName, payloadLength: number): void {
    const length = payloadLength + 1;
    const buffer = this.#buffer;
    const start = this.#used;
    buffer[start] = length >>> 24;
    buffer[start + 1] = length >>> 16;
    buffer[start + 2] = length >>> 8;
    buffer[start + 3] = length;
    buffer[start + 4] = messageKinds[name].code;
    this.#used = start + frameHeadBytes + payloadLength;
    if (this.#flushIsDue) return;
    this.#flushIsDue = true;
    this.#defer(this.#flush);
  }

  #reserve(count: number): void {
    const needed = this.#used + count;
    if (needed <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
    grown.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = grown;
  }
}
