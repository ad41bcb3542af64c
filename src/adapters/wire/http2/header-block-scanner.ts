/** Room that is made for the first octets. */
const firstRoom = 256;

const nothing = new Uint8Array(0);

/** Octets that came in pieces and are wanted as one. However small the pieces are, they are copied a few times at the most. */
export class HeaderBlockBuffer {
  readonly #maxRoom: number;
  #octets: Uint8Array = nothing;
  #length = 0;

  /** @param maxRoom octets that are held at a time: those of a piece that goes beyond have room made for them all the same */
  constructor(maxRoom: number) {
    this.#maxRoom = maxRoom;
  }

  get length(): number {
    return this.#length;
  }

  /** Octets of the memory that it has. */
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

  /** Gives all of them, and holds nothing any more. */
  release(): Uint8Array {
    const octets = this.#octets.subarray(0, this.#length);
    this.#octets = nothing;
    this.#length = 0;
    return octets;
  }
}

/** Octets of the head of a frame, and where its parts are (RFC 9113, section 4.1). */
const headLength = 9;
const typeAt = 3;
const flagsAt = 4;
const streamAt = 5;

/** Types of the frames that header blocks are made of (RFC 9113, sections 6.2, 6.6 and 6.10). */
const headersType = 0x1;
const pushPromiseType = 0x5;
const continuationType = 0x9;

const goawayType = 0x7;

/** Octets of a GOAWAY that say something: the last stream and a code (RFC 9113, section 6.8). */
const goawayLength = 8;

const endHeadersFlag = 0x4;

/** Octets that a frame may have unless its reader has said otherwise (SETTINGS_MAX_FRAME_SIZE), which nobody here does. */
const maxFrameLength = 16_384;

/** Frames of a header block: the first, and the eight CONTINUATIONs that nghttp2 takes. */
const maxBlockFrames = 9;

/** Octets of a header block with the heads of its frames: what a connection may have held, at the most. */
export const maxBlockOctets = maxBlockFrames * (headLength + maxFrameLength);

/** What a client sends before its first frame (RFC 9113, section 3.4). */
const prefaceLength = 24;

/** What is wrong with the frames of a header block. */
export type HeaderBlockFault =
  /** A CONTINUATION that continues nothing. */
  | 'stray_continuation'
  /** A frame of another type, or of another stream, within a block. */
  | 'interrupted_block'
  /** A frame of a block is longer than a frame may be. */
  | 'frame_too_long'
  /** A block has more frames than are taken. */
  | 'too_many_frames'
  /** A GOAWAY of a stream, or one that says too little or too much. */
  | 'malformed_goaway';

/** Who is given what comes, in order. */
export interface ScannedOctets {
  /** They may be passed on, and are not changed later. */
  pass(octets: Uint8Array): void;
  /** The sender takes no streams of a higher number, or opens no more of its own. */
  goaway(code: number, lastStream: number): void;
}

/**
 * Passes on the octets that one side of an HTTP/2 connection sends, holds back those of a header block until its last
 * one is there, and takes out the GOAWAYs. Nothing else is looked at. INVARIANT: no piece that is passed on ends within a
 * header block.
 */
export class HeaderBlockScanner {
  readonly #listener: ScannedOctets;
  readonly #held = new HeaderBlockBuffer(maxBlockOctets);
  /** The head of a frame, as far as it has come. */
  readonly #head = new Uint8Array(headLength);
  #headOctets = 0;
  /** Octets that are left of the payload of a frame, or of the preface. */
  #left: number;
  /** Of the header block that has begun and not ended; the stream 0 is one, too. */
  #isInBlock = false;
  #stream = 0;
  #frames = 0;
  /** The frame that is being read is the last of its block. */
  #isLast = false;
  /** A GOAWAY is being read: what it says, as far as it has come. */
  #isGoaway = false;
  readonly #goaway = new Uint8Array(goawayLength);
  #goawayOctets = 0;
  #fault: HeaderBlockFault | null = null;

  /** @param sender whose octets come */
  constructor(sender: 'client' | 'server', listener: ScannedOctets) {
    this.#left = sender === 'client' ? prefaceLength : 0;
    this.#listener = listener;
  }

  /** Octets that are held back. */
  get held(): number {
    return this.#held.length;
  }

  /** Takes what has come. Null, or what is wrong: nothing is passed on any more then, and the connection has to end. */
  take(chunk: Uint8Array): HeaderBlockFault | null {
    if (this.#fault !== null) return this.#fault;
    const end = chunk.length;
    let at = 0;
    // What is before `from` has been passed on; what is before `clear` may be.
    let from = 0;
    let clear = 0;
    while (at < end) {
      if (this.#left > 0) {
        const octets = Math.min(this.#left, end - at);
        if (this.#isGoaway) this.#noteGoaway(chunk.subarray(at, at + octets));
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
        // What is held is the beginning of its head.
        this.#held.release();
        clear = at;
        from = at;
        if (this.#left === 0) this.#tellGoaway();
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

  /** Begins with a frame, by its head. False where it must not come. */
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

  #noteGoaway(octets: Uint8Array): void {
    const wanted = octets.subarray(0, goawayLength - this.#goawayOctets);
    this.#goaway.set(wanted, this.#goawayOctets);
    this.#goawayOctets += wanted.length;
  }

  #tellGoaway(): void {
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

/** Without its first bit, which means nothing. */
const streamOf = (octets: Uint8Array, at: number): number => numberAt(octets, at) & 0x7fffffff;
