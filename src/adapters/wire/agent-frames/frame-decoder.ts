import type { MessageName } from './message-codes.js';

/** Octets of the length field of a frame. */
export const lengthFieldBytes = 4;
/** Octets of the length field and the type byte. */
export const frameHeadBytes = 5;
/** Maximum of the length field, which counts the type byte and the payload. */
export const maxFrameLength = 16_777_216;

/** One received message. */
export interface Frame {
  readonly name: MessageName;
  /** A view of the read buffer, valid until the next read. */
  readonly payload: Uint8Array;
}

const firstBodyBytes = 65_536;
const nothing = new Uint8Array(0);

/**
 * Splits the octets of a socket into frames, whatever the sizes of the reads. Holds at most one
 * incomplete frame and allocates as its octets arrive, so that an announced length claims no
 * memory.
 */
export class FrameDecoder {
  readonly #names: ReadonlyMap<number, MessageName>;
  readonly #head = new Uint8Array(frameHeadBytes);
  #headUsed = 0;
  /** Payload octets of the current frame; valid after its head. */
  #payloadLength = 0;
  #name: MessageName = 'ping';
  #body: Uint8Array = nothing;
  #bodyUsed = 0;
  #chunks: Uint8Array[] = [];
  #chunkBytes = 0;
  #offset = 0;
  #failure: string | null = null;

  /** @param names messages that the peer may send, by code */
  constructor(names: ReadonlyMap<number, MessageName>) {
    this.#names = names;
  }

  /** Why decoding failed; null if it has not. */
  get failure(): string | null {
    return this.#failure;
  }

  /**
   * Whether the end of the stream would truncate a frame. An end inside a length field is a clean
   * close.
   */
  get isInsideFrame(): boolean {
    return this.#headUsed >= lengthFieldBytes;
  }

  /** Whether an incomplete frame has octets. */
  get hasBegun(): boolean {
    return this.#headUsed > 0 || this.#chunks.length > 0;
  }

  /** Memory of octets not yet returned as frames. */
  get heldBytes(): number {
    return this.#body.length + this.#chunkBytes;
  }

  get #isHeadRead(): boolean {
    return this.#headUsed === frameHeadBytes && this.#failure === null;
  }

  /**
   * Adds octets. `next` returns views of them; call `keepRest` before their memory is used again.
   */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#chunkBytes += chunk.length;
  }

  /** The next frame; null if incomplete or after a `failure`. */
  next(): Frame | null {
    while (this.#failure === null) {
      const chunk = this.#chunks[0];
      if (chunk === undefined) return null;
      if (!this.#isHeadRead) {
        this.#readHead(chunk);
        if (this.#isHeadRead && this.#payloadLength === 0) return this.#finish(nothing);
        continue;
      }
      const payload = this.#readBody(chunk);
      if (payload !== null) return this.#finish(payload);
    }
    return null;
  }

  /** Copies the part of the last octets that is not yet returned. */
  keepRest(): void {
    const last = this.#chunks.length - 1;
    const chunk = this.#chunks[last];
    if (chunk === undefined) return;
    const from = last === 0 ? this.#offset : 0;
    if (last === 0) this.#offset = 0;
    // `slice` of a Buffer would be a view.
    const rest = new Uint8Array(chunk.length - from);
    rest.set(chunk.subarray(from));
    this.#chunks[last] = rest;
    this.#chunkBytes += rest.length - chunk.length;
  }

  #finish(payload: Uint8Array): Frame {
    this.#headUsed = 0;
    this.#body = nothing;
    this.#bodyUsed = 0;
    return { name: this.#name, payload };
  }

  #advance(chunk: Uint8Array, count: number): void {
    this.#offset += count;
    if (this.#offset < chunk.length) return;
    this.#chunks.shift();
    this.#chunkBytes -= chunk.length;
    this.#offset = 0;
  }

  #readHead(chunk: Uint8Array): void {
    const head = this.#head;
    const count = Math.min(frameHeadBytes - this.#headUsed, chunk.length - this.#offset);
    for (let index = 0; index < count; index += 1) {
      head[this.#headUsed + index] = chunk[this.#offset + index] as number;
    }
    this.#headUsed += count;
    this.#advance(chunk, count);
    if (this.#headUsed < lengthFieldBytes) return;
    const [a, b, c, d, code] = head as unknown as [number, number, number, number, number];
    const length = a * 2 ** 24 + (b << 16) + (c << 8) + d;
    if (length === 0) this.#failure = 'a frame of length zero';
    else if (length > maxFrameLength) this.#failure = `a frame of ${length} octets`;
    else if (this.#headUsed === frameHeadBytes) this.#readType(code, length);
  }

  #readType(code: number, length: number): void {
    const name = this.#names.get(code);
    if (name === undefined) {
      this.#failure = `a message of the unknown type ${code}`;
      return;
    }
    this.#name = name;
    this.#payloadLength = length - 1;
  }

  #readBody(chunk: Uint8Array): Uint8Array | null {
    const missing = this.#payloadLength - this.#bodyUsed;
    const available = chunk.length - this.#offset;
    if (this.#bodyUsed === 0 && available >= missing) {
      const payload = chunk.subarray(this.#offset, this.#offset + missing);
      this.#advance(chunk, missing);
      return payload;
    }
    const count = Math.min(missing, available);
    this.#reserve(this.#bodyUsed + count);
    this.#body.set(chunk.subarray(this.#offset, this.#offset + count), this.#bodyUsed);
    this.#bodyUsed += count;
    this.#advance(chunk, count);
    return count === missing ? this.#body.subarray(0, this.#bodyUsed) : null;
  }

  /** Grows by doubling, so that copies per octet are bounded on average. */
  #reserve(needed: number): void {
    if (needed <= this.#body.length) return;
    const size = Math.min(this.#payloadLength, Math.max(needed, this.#body.length * 2, firstBodyBytes));
    const grown = new Uint8Array(size);
    grown.set(this.#body.subarray(0, this.#bodyUsed));
    this.#body = grown;
  }
}
