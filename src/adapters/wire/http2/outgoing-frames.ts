/** Octets of the head of a frame, and where its type is (RFC 9113, section 4.1). */
const headLength = 9;
const typeAt = 3;
const dataType = 0x0;
const goawayType = 0x7;

/** Octets of a GOAWAY that say something, and where its code is (RFC 9113, section 6.8). */
const goawayLength = 8;
const codeAt = 4;

/** What a client sends before its first frame (RFC 9113, section 3.4). */
const prefaceLength = 24;

/**
 * Follows the frames that one side of an HTTP/2 connection sends, whatever pieces they are sent in, to know when it has
 * given the connection up (RFC 9113, section 5.4.1).
 */
export class OutgoingFrames {
  /** The code of the last GOAWAY that named an error; 0: none has. */
  errorCode = 0;
  /** Octets in the payloads of all DATA frames whose head was sent. */
  dataOctets = 0;
  /** Octets that are left of the payload of a frame, or of the preface. */
  #left: number;
  /** The head of a frame, as far as it was sent. */
  readonly #head = new Uint8Array(headLength);
  #headOctets = 0;
  /** Octets of a GOAWAY that were sent; below zero: the frame is another one. */
  #goawayOctets = -1;
  #code = 0;

  constructor(sender: 'client' | 'server') {
    this.#left = sender === 'client' ? prefaceLength : 0;
  }

  /** Takes what is sent next. */
  take(octets: Uint8Array): void {
    const end = octets.length;
    let at = 0;
    while (at < end) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, end - at);
        if (this.#goawayOctets >= 0) this.#noteGoaway(octets, at, at + taken);
        at += taken;
        this.#left -= taken;
      } else if (this.#headOctets === 0 && end - at >= headLength) {
        this.#begin(octets, at);
        at += headLength;
      } else {
        this.#head[this.#headOctets] = octets[at] ?? 0;
        this.#headOctets += 1;
        at += 1;
        if (this.#headOctets < headLength) continue;
        this.#headOctets = 0;
        this.#begin(this.#head, 0);
      }
    }
  }

  #begin(octets: Uint8Array, at: number): void {
    this.#left = ((octets[at] ?? 0) << 16) | ((octets[at + 1] ?? 0) << 8) | (octets[at + 2] ?? 0);
    const type = octets[at + typeAt];
    if (type === dataType) this.dataOctets += this.#left;
    this.#goawayOctets = type === goawayType ? 0 : -1;
    this.#code = 0;
  }

  #noteGoaway(octets: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to && this.#goawayOctets < goawayLength; at += 1) {
      if (this.#goawayOctets >= codeAt) this.#code = ((this.#code << 8) | (octets[at] ?? 0)) >>> 0;
      this.#goawayOctets += 1;
      if (this.#goawayOctets === goawayLength && this.#code !== 0) this.errorCode = this.#code;
    }
  }
}
