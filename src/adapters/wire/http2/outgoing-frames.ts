/** Octets of a frame header, and the offset of its type (RFC 9113, section 4.1). */
const headLength = 9;
const typeAt = 3;
const dataType = 0x0;
const goawayType = 0x7;

/** Required octets of a GOAWAY, and the offset of its code (RFC 9113, section 6.8). */
const goawayLength = 8;
const codeAt = 4;

/** Length of the client preface (RFC 9113, section 3.4). */
const prefaceLength = 24;

/**
 * Tracks the frames that this side of an HTTP/2 connection sends, to detect a GOAWAY with an error
 * (RFC 9113, section 5.4.1).
 */
export class OutgoingFrames {
  /** Code of the last GOAWAY with an error; 0 if none. */
  errorCode = 0;
  /** Payload octets of all DATA frames whose header was sent. */
  dataOctets = 0;
  /** Octets left of the current payload or of the preface. */
  #left: number;
  /** The frame header, as far as sent. */
  readonly #head = new Uint8Array(headLength);
  #headOctets = 0;
  /** Sent octets of the current GOAWAY; negative for other frames. */
  #goawayOctets = -1;
  #code = 0;

  constructor(sender: 'client' | 'server') {
    this.#left = sender === 'client' ? prefaceLength : 0;
  }

  /** Processes sent octets. */
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
