/** Octets before each message: a flag that says whether it is compressed, and its length (gRPC over HTTP/2). */
export const messagePrefixBytes = 5;
/** Most octets of a message, both ways. */
export const maximumMessageBytes = 16_777_216;

const firstBodyBytes = 65_536;
const nothing = new Uint8Array(0);

/**
 * Cuts what comes on a gRPC stream into messages, however it is split. Holds one unfinished message at the most, and
 * allocates for it only as its octets come, so that a peer cannot claim memory by announcing a length. A compressed
 * message is a failure: no encoding was offered, and what it inflates to would be known too late.
 */
export class PrefixedMessageDecoder {
  readonly #prefix = new Uint8Array(messagePrefixBytes);
  #prefixUsed = 0;
  /** Octets of the current message; known once its prefix is complete. */
  #length = 0;
  #body: Uint8Array = nothing;
  #bodyUsed = 0;
  #chunks: Uint8Array[] = [];
  #chunkBytes = 0;
  #offset = 0;
  #failure: string | null = null;

  /** Why nothing more can be read; null while all is well. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Whether any octet of a message has come that is not complete. */
  get hasBegun(): boolean {
    return this.#prefixUsed > 0 || this.#chunks.length > 0;
  }

  /** Memory that holds what has come and has not been given out as a message. */
  get heldBytes(): number {
    return this.#body.length + this.#chunkBytes;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#chunkBytes += chunk.length;
  }

  /** The next message; null where there is none yet, or never will be because of `failure`. Nothing writes to it again. */
  next(): Uint8Array | null {
    while (this.#failure === null) {
      if (this.#prefixUsed === messagePrefixBytes && this.#length === 0) return this.#finish(nothing);
      const chunk = this.#chunks[0];
      if (chunk === undefined) return null;
      if (this.#prefixUsed < messagePrefixBytes) {
        this.#readPrefix(chunk);
        continue;
      }
      const message = this.#readBody(chunk);
      if (message !== null) return this.#finish(message);
    }
    return null;
  }

  #finish(message: Uint8Array): Uint8Array {
    this.#prefixUsed = 0;
    this.#body = nothing;
    this.#bodyUsed = 0;
    return message;
  }

  #advance(chunk: Uint8Array, count: number): void {
    this.#offset += count;
    if (this.#offset < chunk.length) return;
    this.#chunks.shift();
    this.#chunkBytes -= chunk.length;
    this.#offset = 0;
  }

  #readPrefix(chunk: Uint8Array): void {
    const prefix = this.#prefix;
    const count = Math.min(messagePrefixBytes - this.#prefixUsed, chunk.length - this.#offset);
    prefix.set(chunk.subarray(this.#offset, this.#offset + count), this.#prefixUsed);
    this.#prefixUsed += count;
    this.#advance(chunk, count);
    if (this.#prefixUsed < messagePrefixBytes) return;
    const [flag, a, b, c, d] = prefix as unknown as [number, number, number, number, number];
    this.#length = a * 2 ** 24 + (b << 16) + (c << 8) + d;
    if (flag !== 0) this.#failure = flag === 1 ? 'a compressed message' : 'a message with an unknown flag';
    else if (this.#length > maximumMessageBytes) this.#failure = `a message of ${this.#length} octets`;
  }

  #readBody(chunk: Uint8Array): Uint8Array | null {
    const missing = this.#length - this.#bodyUsed;
    const available = chunk.length - this.#offset;
    if (this.#bodyUsed === 0 && available >= missing) {
      const message = chunk.subarray(this.#offset, this.#offset + missing);
      this.#advance(chunk, missing);
      return message;
    }
    const count = Math.min(missing, available);
    this.#reserve(this.#bodyUsed + count);
    this.#body.set(chunk.subarray(this.#offset, this.#offset + count), this.#bodyUsed);
    this.#bodyUsed += count;
    this.#advance(chunk, count);
    return count === missing ? this.#body.subarray(0, this.#bodyUsed) : null;
  }

  /** Doubles, so that an octet is copied a bounded number of times on average. */
  #reserve(needed: number): void {
    if (needed <= this.#body.length) return;
    const size = Math.min(this.#length, Math.max(needed, this.#body.length * 2, firstBodyBytes));
    const grown = new Uint8Array(size);
    grown.set(this.#body.subarray(0, this.#bodyUsed));
    this.#body = grown;
  }
}
