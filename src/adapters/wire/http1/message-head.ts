/** Places of a field in `MessageHead.spans`: where its name and its value begin and end. */
export const spanSize = 4;

/** Fields that a record has room for at first. */
const firstRoom = 64;

/** How the end of a message's body is found (RFC 9112, section 6.3). */
export type Framing = 'none' | 'length' | 'chunked' | 'close';

/**
 * What a reader has found in a head. There is one of them for each kind of head: it is valid until the next head of that
 * kind is read, and whoever needs more of it copies that. Places are octets from the begin of the head, behind empty
 * lines before it.
 */
export class MessageHead {
  /** `HTTP/1.0` or `HTTP/1.1`: the last digit. */
  minorVersion: 0 | 1 = 1;
  /** Of fields: `spanSize` places each. */
  spans = new Int32Array(firstRoom * spanSize);
  fieldCount = 0;
  /** Octets of empty lines before it. */
  emptyOctets = 0;
  /** Every field line is `name: value`: one space behind the colon, and none before the line end. */
  isPlain = true;

  /** -1: it has none. */
  contentLength = -1;
  isChunked = false;
  /** Which field is the only Host; -1: there is none. */
  hostField = -1;
  /** The same of Content-Length. */
  lengthField = -1;
  /** Connection options (RFC 9110, section 7.6.1). */
  saysClose = false;
  saysKeepAlive = false;
  saysUpgrade = false;
  /** Upgrade names websocket and nothing else, in HTTP/1.1. */
  namesWebSocket = false;
  hasUpgrade = false;
  /** An Expect field is `100-continue`, in HTTP/1.1. */
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

  /** Whether another message may follow on the connection (RFC 9112, section 9.3). */
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
