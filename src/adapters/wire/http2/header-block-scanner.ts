/** Initial capacity in octets. */
const firstRoom = 256;

const nothing = new Uint8Array(0);

/** Joins chunks of a header block; the total copying cost is linear. */
export class HeaderBlockBuffer {
  readonly #maxRoom: number;
  #octets: Uint8Array = nothing;
  #length = 0;

  /** @param maxRoom usual maximum in octets; a larger chunk still gets room */
  constructor(maxRoom: number) {
    this.#maxRoom = maxRoom;
  }

  get length(): number {
    return this.#length;
  }

  /** Allocated octets. */
  get room(): number {
    return this.#octets.length;
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#octets.length) {
      const room = Math.min(Math.max(firstRoom, this.#octets.length * 2), this.#maxRoom);
      const wider = new Uint8Array(Math.max(length, room));
      wider.set(this.#octets.subarray(0, this.#length));
      this.#octets = wider;
    }
    this.#octets.set(piece, this.#length);
    this.#length = length;
  }

  /** Returns all octets and empties the buffer. */
  release(): Uint8Array {
    const octets = this.#octets.subarray(0, this.#length);
    this.#octets = nothing;
    this.#length = 0;
    return octets;
  }
}

/** Octets of a frame header, and the offsets of its parts (RFC 9113, section 4.1). */
const headLength = 9;
const typeAt = 3;
const flagsAt = 4;
const streamAt = 5;

/** Frame types of header blocks (RFC 9113, sections 6.2, 6.6 and 6.10). */
const headersType = 0x1;
const pushPromiseType = 0x5;
const continuationType = 0x9;

const goawayType = 0x7;

/** Required octets of a GOAWAY: last stream and error code (RFC 9113, section 6.8). */
const goawayLength = 8;

const endHeadersFlag = 0x4;

/** Default SETTINGS_MAX_FRAME_SIZE, which this project does not change. */
const maxFrameLength = 16_384;

/** Frames per header block: the first, and the eight CONTINUATIONs that nghttp2 accepts. */
const maxBlockFrames = 9;

/** Maximum buffered octets of a header block with its frame headers. */
export const maxBlockOctets = maxBlockFrames * (headLength + maxFrameLength);

/** Length of the client preface (RFC 9113, section 3.4). */
const prefaceLength = 24;

/** Errors in the frames of a header block. */
export type HeaderBlockFault =
  /** A CONTINUATION without a header block. */
  | 'stray_continuation'
  /** Another frame type or stream inside a block. */
  | 'interrupted_block'
  /** A frame of a block exceeds the maximum size. */
  | 'frame_too_long'
  /** A block has too many frames. */
  | 'too_many_frames'
  /** A GOAWAY on a stream, or with an invalid length. */
  | 'malformed_goaway';

/** Receives the input in order. */
export interface ScannedOctets {
  /** These octets may be forwarded; they do not change later. */
  pass(octets: Uint8Array): void;
  /** The sender accepts no streams above `lastStream`, or opens no more. */
  goaway(code: number, lastStream: number): void;
}

/**
 * Forwards the octets of one HTTP/2 peer, buffers incomplete header blocks and removes GOAWAY
 * frames. Nothing else is inspected. INVARIANT: no forwarded chunk ends inside a header block.
 */
export class HeaderBlockScanner {
  readonly #listener: ScannedOctets;
  readonly #held = new HeaderBlockBuffer(maxBlockOctets);
  /** The frame header, as far as received. */
  readonly #head = new Uint8Array(headLength);
  #headOctets = 0;
  /** Octets left of the current payload or of the preface. */
  #left: number;
  /** Whether a header block is open; its stream may be 0. */
  #isInBlock = false;
  #stream = 0;
  #frames = 0;
  /** The current frame ends its block. */
  #isLast = false;
  /** The current frame is a GOAWAY; its payload as far as received. */
  #isGoaway = false;
  readonly #goaway = new Uint8Array(goawayLength);
  #goawayOctets = 0;
  #fault: HeaderBlockFault | null = null;

  /** @param sender role of the peer */
  constructor(sender: 'client' | 'server', listener: ScannedOctets) {
    this.#left = sender === 'client' ? prefaceLength : 0;
    this.#listener = listener;
  }

  /** Buffered octets. */
  get held(): number {
    return this.#held.length;
  }

  /**
   * Processes input. Null, or the error: nothing more is forwarded then, and the connection must
   * close.
   */
  take(chunk: Uint8Array): HeaderBlockFault | null {
    if (this.#fault !== null) return this.#fault;
    const end = chunk.length;
    let at = 0;
    // Input before `from` is forwarded; input before `clear` may be.
    let from = 0;
    let clear = 0;
    while (at < end) {
      if (this.#left > 0) {
        const octets = Math.min(this.#left, end - at);
        if (this.#isGoaway) this.#readGoaway(chunk.subarray(at, at + octets));
        at += octets;
        this.#left -= octets;
      } else if (this.#headOctets === 0 && end - at >= headLength) {
        if (!this.#begin(chunk, at)) break;
        at += headLength;
      } else {
        this.#head[this.#headOctets] = chunk[at] ?? 0;
        this.#headOctets += 1;
        at += 1;
        if (this.#headOctets < headLength) continue;
        this.#headOctets = 0;
        if (!this.#begin(this.#head, 0)) break;
      }
      if (this.#isInBlock) {
        if (this.#left > 0 || !this.#isLast) continue;
        this.#isInBlock = false;
      } else if (this.#isGoaway) {
        if (clear > from) this.#listener.pass(chunk.subarray(from, clear));
        // The buffer holds the start of the frame header.
        this.#held.release();
        clear = at;
        from = at;
        if (this.#left === 0) this.#emitGoaway();
        continue;
      }
      clear = at;
      if (this.#held.length === 0) continue;
      this.#held.add(chunk.subarray(from, at));
      this.#listener.pass(this.#held.release());
      from = at;
    }
    if (clear > from) this.#listener.pass(from === 0 && clear === end ? chunk : chunk.subarray(from, clear));
    if (this.#fault !== null) this.#held.release();
    else if (clear < end) this.#held.add(chunk.subarray(clear));
    return this.#fault;
  }

  /** Starts a frame. False if it is not allowed here. */
  #begin(octets: Uint8Array, at: number): boolean {
    const length = ((octets[at] ?? 0) << 16) | ((octets[at + 1] ?? 0) << 8) | (octets[at + 2] ?? 0);
    const type = octets[at + typeAt] ?? 0;
    this.#left = length;
    if (this.#isInBlock || type === headersType || type === pushPromiseType || type === continuationType) {
      this.#fault = this.#beginOfBlock(type, length, streamOf(octets, at + streamAt));
      this.#isLast = ((octets[at + flagsAt] ?? 0) & endHeadersFlag) !== 0;
    } else if (type === goawayType) {
      const isSound = length >= goawayLength && length <= maxFrameLength && streamOf(octets, at + streamAt) === 0;
      if (!isSound) this.#fault = 'malformed_goaway';
      this.#isGoaway = true;
      this.#goawayOctets = 0;
    }
    return this.#fault === null;
  }

  #readGoaway(octets: Uint8Array): void {
    const wanted = octets.subarray(0, goawayLength - this.#goawayOctets);
    this.#goaway.set(wanted, this.#goawayOctets);
    this.#goawayOctets += wanted.length;
  }

  #emitGoaway(): void {
    this.#isGoaway = false;
    this.#listener.goaway(numberAt(this.#goaway, 4), streamOf(this.#goaway, 0));
  }

  #beginOfBlock(type: number, length: number, stream: number): HeaderBlockFault | null {
    if (length > maxFrameLength) return 'frame_too_long';
    if (this.#isInBlock) {
      if (type !== continuationType || stream !== this.#stream) return 'interrupted_block';
      this.#frames += 1;
      return this.#frames > maxBlockFrames ? 'too_many_frames' : null;
    }
    if (type === continuationType) return 'stray_continuation';
    this.#isInBlock = true;
    this.#stream = stream;
    this.#frames = 1;
    return null;
  }
}

const numberAt = (octets: Uint8Array, at: number): number =>
  (((octets[at] ?? 0) << 24) | ((octets[at + 1] ?? 0) << 16) | ((octets[at + 2] ?? 0) << 8) | (octets[at + 3] ?? 0)) >>>
  0;

/** Without the reserved bit. */
const streamOf = (octets: Uint8Array, at: number): number => numberAt(octets, at) & 0x7fffffff;
