/** Offsets per field in `MessageHead.spans`: start and end of name and value. */
export const spanSize = 4;

/** Initial capacity in fields. */
const firstRoom = 64;

/** How the body length is determined (RFC 9112, section 6.3). */
export type Framing = 'none' | 'length' | 'chunked' | 'close';

/**
 * Result of a head parser. One instance per kind of head, valid until the next parse; copy what is
 * needed longer. Offsets count from the start of the head, behind leading empty lines.
 */
export class MessageHead {
  /** Last digit of `HTTP/1.0` or `HTTP/1.1`. */
  minorVersion: 0 | 1 = 1;
  /** `spanSize` offsets per field. */
  spans = new Int32Array(firstRoom * spanSize);
  fieldCount = 0;
  /** Octets of leading empty lines. */
  emptyOctets = 0;
  /** Every field line is `name: value`: one space after the colon, none before the line end. */
  isPlain = true;

  /** -1 if absent. */
  contentLength = -1;
  isChunked = false;
  /** Index of the only Host field; -1 if absent. */
  hostField = -1;
  /** Index of the only Content-Length field; -1 if absent. */
  lengthField = -1;
  /** Connection options (RFC 9110, section 7.6.1). */
  saysClose = false;
  saysKeepAlive = false;
  saysUpgrade = false;
  /** Upgrade names only websocket, in HTTP/1.1. */
  namesWebSocket = false;
  hasUpgrade = false;
  /** Expect is `100-continue`, in HTTP/1.1. */
  expectsContinue = false;

  clear(): void {
    this.fieldCount = 0;
    this.emptyOctets = 0;
    this.isPlain = true;
    this.contentLength = -1;
    this.isChunked = false;
    this.hostField = -1;
    this.lengthField = -1;
    this.saysClose = false;
    this.saysKeepAlive = false;
    this.saysUpgrade = false;
    this.namesWebSocket = false;
    this.hasUpgrade = false;
    this.expectsContinue = false;
  }

  /** Whether the connection persists after this message (RFC 9112, section 9.3). */
  get isPersistent(): boolean {
    return !this.saysClose && (this.minorVersion === 1 || this.saysKeepAlive);
  }

  add(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    const at = this.fieldCount * spanSize;
    if (at === this.spans.length) {
      const wider = new Int32Array(at * 2);
      wider.set(this.spans);
      this.spans = wider;
    }
    const { spans } = this;
    spans[at] = nameStart;
    spans[at + 1] = nameEnd;
    spans[at + 2] = valueStart;
    spans[at + 3] = valueEnd;
    this.fieldCount += 1;
  }
}
