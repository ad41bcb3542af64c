import type { RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import { isJsonObject, type JsonValue } from '../../../domain/shared/json.js';
import { headerArrays } from '../agent-messages/field-kinds.js';
import { checkedFromBytes, MalformedMessage } from '../agent-messages/json-payload.js';
import { asBuffer, isLiteralAt, plainOctets, quote } from './plain-octets.js';

/** Maximum digits of a port. */
const maxDigits = 5;

const zero = 0x30;

// The text between the values, as Portcullis gateways write it.
const correlationIdMember = Buffer.from('{"correlation_id":"');
const metadataMember = Buffer.from('","metadata":{"correlation_id":"');
const requestIdMember = Buffer.from('","request_id":"');
const clientIpMember = Buffer.from('","client_ip":"');
const clientPortMember = Buffer.from('","client_port":');
const serverNameMember = Buffer.from(',"server_name":');
const protocolMember = Buffer.from(',"protocol":"');
const tlsVersionMember = Buffer.from('","tls_version":');
const tlsCipherMember = Buffer.from(',"tls_cipher":');
const routeIdMember = Buffer.from(',"route_id":');
const upstreamIdMember = Buffer.from(',"upstream_id":');
const timestampMember = Buffer.from(',"timestamp":"');
const traceparentMember = Buffer.from('","traceparent":');
const methodMember = Buffer.from('},"method":"');
const uriMember = Buffer.from('","uri":"');
const headersMember = Buffer.from('","headers":{');
const absent = Buffer.from('null');

const closingBrace = 0x7d;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses a headers object; null if malformed. */
const parseHeaders = (octets: Buffer): HeaderList | null => {
  try {
    const value: JsonValue = JSON.parse(decoder.decode(octets));
    return isJsonObject(value) ? headerArrays.fromJson(value, 'headers') : null;
  } catch (error) {
    // The reader of the whole message reports these errors.
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof MalformedMessage) return null;
    throw error;
  }
};

/** Maximum octets of a cached text. */
const maxCachedLength = 256;

/** Caches a text that rarely changes between messages, to avoid a new string. */
class LastText {
  readonly #octets = new Uint8Array(maxCachedLength);
  #length = 0;
  #text = '';

  /** The ASCII text from `start` to `end`, exclusive. */
  of(octets: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length === this.#length && this.#matches(octets, start)) return this.#text;
    const text = octets.toString('latin1', start, end);
    if (length <= maxCachedLength) {
      for (let index = 0; index < length; index += 1) this.#octets[index] = octets[start + index] as number;
      this.#length = length;
      this.#text = text;
    }
    return text;
  }

  #matches(octets: Buffer, start: number): boolean {
    const last = this.#octets;
    for (let index = 0; index < this.#length; index += 1) if (last[index] !== octets[start + index]) return false;
    return true;
  }
}

/**
 * Fast reader for request heads in the form of Portcullis gateways: fixed member order, no spaces,
 * plain characters before the headers. Takes a fraction of the time of general JSON parsing.
 * INVARIANT: its results equal those of a JSON parser.
 */
export class RequestHeadReader {
  readonly #clientIp = new LastText();
  readonly #serverName = new LastText();
  readonly #protocol = new LastText();
  readonly #tlsVersion = new LastText();
  readonly #tlsCipher = new LastText();
  readonly #routeId = new LastText();
  readonly #upstreamId = new LastText();
  readonly #timestamp = new LastText();
  readonly #traceparent = new LastText();
  readonly #method = new LastText();
  readonly #uri = new LastText();
  #timestampText = '';
  #timestampMs = Number.NaN;
  #octets: Buffer = Buffer.alloc(0);
  /** Read offset. */
  #offset = 0;
  /** Whether the text has matched the expected form so far. */
  #isExpected = true;

  /** Reads a request head; null if it has another form. */
  read(payload: Uint8Array): RequestHeadersEvent | null {
    // Larger payloads need checks before parsing.
    if (payload.length >= checkedFromBytes) return null;
    const octets = asBuffer(payload);
    this.#octets = octets;
    this.#offset = 0;
    this.#isExpected = true;
    this.#skip(correlationIdMember);
    const idAt = this.#offset;
    const idEnd = this.#skipText();
    this.#skip(metadataMember);
    const repeatedAt = this.#offset;
    const repeatedEnd = this.#skipText();
    this.#skip(requestIdMember);
    const requestIdAt = this.#offset;
    const requestIdEnd = this.#skipText();
    // Other forms differ early; stop here.
    if (!this.#isExpected || !this.#isSame(idAt, idEnd, repeatedAt, repeatedEnd)) return null;
    const correlationId = octets.toString('latin1', idAt, idEnd);
    const requestId = this.#isSame(idAt, idEnd, requestIdAt, requestIdEnd)
      ? correlationId
      : octets.toString('latin1', requestIdAt, requestIdEnd);
    const clientIp = this.#text(clientIpMember, this.#clientIp);
    const clientPort = this.#port();
    const serverName = this.#optionalText(serverNameMember, this.#serverName);
    const protocol = this.#text(protocolMember, this.#protocol);
    const tlsVersion = this.#optionalText(tlsVersionMember, this.#tlsVersion);
    const tlsCipher = this.#optionalText(tlsCipherMember, this.#tlsCipher);
    const routeId = this.#optionalText(routeIdMember, this.#routeId);
    const upstreamId = this.#optionalText(upstreamIdMember, this.#upstreamId);
    const timestampMs = this.#time();
    const traceparent = this.#optionalText(traceparentMember, this.#traceparent);
    const method = this.#text(methodMember, this.#method);
    const uri = this.#text(uriMember, this.#uri);
    this.#skip(headersMember);
    const headers = this.#isExpected ? this.#readHeaders() : null;
    if (headers === null) return null;
    return {
      kind: 'request_headers',
      correlationId,
      metadata: {
        correlationId,
        requestId,
        clientIp,
        clientPort,
        serverName,
        protocol,
        tlsVersion,
        tlsCipher,
        routeId,
        upstreamId,
        timestampMs,
        traceparent,
      },
      method,
      uri,
      headers,
    };
  }

  #skip(literal: Buffer): void {
    if (isLiteralAt(this.#octets, this.#offset, literal)) this.#offset += literal.length;
    else this.#isExpected = false;
  }

  /** Skips a text; returns the offset of its closing quote. */
  #skipText(): number {
    const octets = this.#octets;
    let offset = this.#offset;
    while (plainOctets[octets[offset] as number] === 1) offset += 1;
    if (octets[offset] !== quote) this.#isExpected = false;
    this.#offset = offset;
    return offset;
  }

  /** Reads a text up to its closing quote. */
  #text(member: Buffer, last: LastText): string {
    this.#skip(member);
    const start = this.#offset;
    const end = this.#skipText();
    return this.#isExpected ? last.of(this.#octets, start, end) : '';
  }

  /** Reads a text with its quotes, or null. */
  #optionalText(member: Buffer, last: LastText): string | null {
    this.#skip(member);
    if (this.#octets[this.#offset] !== quote) {
      this.#skip(absent);
      return null;
    }
    const start = this.#offset + 1;
    this.#offset = start;
    const end = this.#skipText();
    this.#offset = end + 1;
    return this.#isExpected ? last.of(this.#octets, start, end) : null;
  }

  /** Reads a short number without leading zeros (RFC 8259, section 6). */
  #port(): number {
    this.#skip(clientPortMember);
    const start = this.#offset;
    let port = 0;
    let offset = start;
    for (; offset < start + maxDigits; offset += 1) {
      const digit = (this.#octets[offset] as number) - zero;
      if (!(digit >= 0 && digit <= 9)) break;
      port = 10 * port + digit;
    }
    if (offset === start || (offset > start + 1 && this.#octets[start] === zero)) this.#isExpected = false;
    this.#offset = offset;
    return port;
  }

  /** Reads a time; cached for one millisecond. NaN if invalid. */
  #time(): number {
    const text = this.#text(timestampMember, this.#timestamp);
    if (text !== this.#timestampText) {
      this.#timestampText = text;
      this.#timestampMs = Date.parse(text);
    }
    if (Number.isNaN(this.#timestampMs)) this.#isExpected = false;
    return this.#timestampMs;
  }

  /** Reads the headers at the end of a message; null if the rest is not an object and that end. */
  #readHeaders(): HeaderList | null {
    const octets = this.#octets;
    const end = octets.length - 1;
    return octets[end] === closingBrace ? parseHeaders(octets.subarray(this.#offset - 1, end)) : null;
  }

  #isSame(start: number, end: number, otherStart: number, otherEnd: number): boolean {
    if (otherEnd - otherStart !== end - start) return false;
    const octets = this.#octets;
    const distance = otherStart - start;
    for (let offset = start; offset < end; offset += 1) if (octets[offset] !== octets[offset + distance]) return false;
    return true;
  }
}
