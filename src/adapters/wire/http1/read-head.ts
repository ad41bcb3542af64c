import { faultyHead, type HeadReading, incompleteHead } from './head-fault.js';
import { type Framing, MessageHead } from './message-head.js';
import {
  canBeVersion,
  carriageReturn,
  lineFeed,
  readVersion,
  space,
  targetOctets,
  tokenOctets,
  valueOctets,
  versionLength,
} from './octets.js';
import { readFields } from './read-fields.js';

export class RequestHead extends MessageHead {
  methodEnd = 0;
  targetStart = 0;
  targetEnd = 0;

  override clear(): void {
    super.clear();
    this.methodEnd = 0;
    this.targetStart = 0;
    this.targetEnd = 0;
  }
}

/** Result of the last `readRequestHead` call. */
export const requestHead = new RequestHead();

/**
 * Parses a request head (RFC 9112, sections 2 to 6) that may be incomplete. Skips leading empty
 * lines (section 2.2). Returns its octets with empty lines and the final line end. The target is
 * any visible US-ASCII text; the caller checks its form and its match with Host. Minor versions
 * above 1 are refused, although RFC 9110, section 2.3, permits them: nothing uses them.
 * @param maxOctets limit of the head without leading empty lines
 */
export const readRequestHead = (octets: Uint8Array, start: number, end: number, maxOctets: number): HeadReading => {
  requestHead.clear();
  let origin = start;
  while (origin + 1 < end && octets[origin] === carriageReturn && octets[origin + 1] === lineFeed) origin += 2;
  requestHead.emptyOctets = origin - start;
  if (origin >= end) return incompleteHead;
  if (octets[origin] === carriageReturn) return origin + 1 < end ? faultyHead('invalid_line_end') : incompleteHead;
  const limit = Math.min(end, origin + maxOctets);
  const reading = requestReading(octets, origin, limit);
  if (reading > 0) return reading - start;
  if (reading < 0 || end - origin < maxOctets) return reading;
  // The first line exceeds the limit.
  const head = octets.subarray(origin, limit);
  if (head.indexOf(lineFeed) >= 0) return faultyHead('head_too_large');
  return faultyHead(head.indexOf(space) < 0 ? 'method_too_long' : 'first_line_too_long');
};

const requestReading = (octets: Uint8Array, origin: number, end: number): HeadReading => {
  const line = readLine(octets, origin, end);
  if (line <= 0) return line;
  const last = readFields(octets, line, end, origin, requestHead, false);
  if (last <= 0) return last;
  if (requestHead.isChunked) {
    if (requestHead.contentLength >= 0) return faultyHead('length_and_coding');
    if (requestHead.minorVersion === 0) return faultyHead('coding_in_http_1_0');
  }
  return last;
};

/**
 * Parses a request line alone (RFC 9112, section 3), for a head whose fields are cached.
 * `requestHead` then describes a request without fields. Returns the octets of the line with its
 * line end; otherwise `incompleteHead` or a fault as `readRequestHead` would.
 */
export const readRequestLine = (octets: Uint8Array, end: number): HeadReading => {
  requestHead.clear();
  return readLine(octets, 0, end);
};

const readLine = (octets: Uint8Array, origin: number, end: number): HeadReading => {
  let at = origin;
  while (at < end && tokenOctets[octets[at] as number] === 1) at += 1;
  if (at >= end) return incompleteHead;
  if (at === origin || octets[at] !== space) return faultyHead('invalid_method');
  requestHead.methodEnd = at - origin;
  at += 1;
  const targetStart = at;
  while (at < end && targetOctets[octets[at] as number] === 1) at += 1;
  if (at >= end) return incompleteHead;
  if (at === targetStart) return faultyHead('invalid_target');
  if (octets[at] !== space) {
    // A line without version is HTTP/0.9.
    return faultyHead(octets[at] === carriageReturn || octets[at] === lineFeed ? 'invalid_version' : 'invalid_target');
  }
  requestHead.targetStart = targetStart - origin;
  requestHead.targetEnd = at - origin;
  at += 1;
  if (end - at < versionLength) return canBeVersion(octets, at, end) ? incompleteHead : faultyHead('invalid_version');
  const version = readVersion(octets, at);
  if (version < 0) return faultyHead(version === -1 ? 'unsupported_version' : 'invalid_version');
  requestHead.minorVersion = version as 0 | 1;
  at += versionLength;
  if (at >= end) return incompleteHead;
  if (octets[at] !== carriageReturn)
    return faultyHead(octets[at] === lineFeed ? 'invalid_line_end' : 'invalid_version');
  if (at + 1 >= end) return incompleteHead;
  return octets[at + 1] === lineFeed ? at + 2 : faultyHead('invalid_line_end');
};

/** Response properties that determine the body framing, besides the request. */
export interface FramingFields {
  readonly status: number;
  /** -1 if absent. */
  readonly contentLength: number;
  readonly isChunked: boolean;
}

export class ResponseHead extends MessageHead implements FramingFields {
  status = 0;
  reasonStart = 0;
  reasonEnd = 0;

  override clear(): void {
    super.clear();
    this.status = 0;
    this.reasonStart = 0;
    this.reasonEnd = 0;
  }
}

/** Result of the last `readResponseHead` call. */
export const responseHead = new ResponseHead();

/**
 * Parses a response head (RFC 9112, sections 2 and 4 to 6) that may be incomplete. Returns its
 * octets with the final line end. No empty line may precede it: unrequested octets are no response.
 * @param maxOctets limit of the whole head
 */
export const readResponseHead = (octets: Uint8Array, start: number, end: number, maxOctets: number): HeadReading => {
  responseHead.clear();
  const limit = Math.min(end, start + maxOctets);
  const reading = responseReading(octets, start, limit);
  if (reading > 0) return reading - start;
  if (reading < 0 || end - start < maxOctets) return reading;
  const isFirstLine = octets.subarray(start, limit).indexOf(lineFeed) < 0;
  return faultyHead(isFirstLine ? 'first_line_too_long' : 'head_too_large');
};

const digitAt = (octets: Uint8Array, at: number): number => {
  const digit = (octets[at] as number) - 0x30;
  return digit >= 0 && digit <= 9 ? digit : -1;
};

/** Octets of ` 200` behind the version. */
const statusLength = 4;

const responseReading = (octets: Uint8Array, start: number, end: number): HeadReading => {
  if (end - start < versionLength)
    return canBeVersion(octets, start, end) ? incompleteHead : faultyHead('invalid_version');
  const version = readVersion(octets, start);
  if (version < 0) return faultyHead(version === -1 ? 'unsupported_version' : 'invalid_version');
  responseHead.minorVersion = version as 0 | 1;
  let at = start + versionLength;
  if (end - at < statusLength) return incompleteHead;
  const hundreds = digitAt(octets, at + 1);
  const tens = digitAt(octets, at + 2);
  const ones = digitAt(octets, at + 3);
  if (octets[at] !== space || hundreds < 1 || tens < 0 || ones < 0) return faultyHead('invalid_status');
  responseHead.status = hundreds * 100 + tens * 10 + ones;
  at += statusLength;
  if (at >= end) return incompleteHead;
  // The space before an absent reason phrase is often omitted; accepting that is unambiguous.
  if (octets[at] === space) at += 1;
  else if (octets[at] !== carriageReturn)
    return faultyHead(octets[at] === lineFeed ? 'invalid_line_end' : 'invalid_status');
  const reasonStart = at;
  while (at < end && valueOctets[octets[at] as number] === 1) at += 1;
  if (at >= end) return incompleteHead;
  if (octets[at] !== carriageReturn) return faultyHead(octets[at] === lineFeed ? 'invalid_line_end' : 'invalid_reason');
  if (at + 1 >= end) return incompleteHead;
  if (octets[at + 1] !== lineFeed) return faultyHead('invalid_line_end');
  responseHead.reasonStart = reasonStart - start;
  responseHead.reasonEnd = at - start;
  const last = readFields(octets, at + 2, end, start, responseHead, false);
  if (last <= 0) return last;
  if (responseHead.status < 200 && responseHead.status !== 101 && !responseHead.isPersistent) {
    return faultyHead('closing_interim_response');
  }
  if (responseHead.isChunked) {
    if (responseHead.contentLength >= 0) return faultyHead('length_and_coding');
    if (responseHead.minorVersion === 0) return faultyHead('coding_in_http_1_0');
    if (responseHead.status < 200 || responseHead.status === 204) return faultyHead('coding_without_content');
  }
  return last;
};

/**
 * Body framing of a response (RFC 9112, section 6.3). Content-Length is ignored where no content is
 * allowed (rule 1); 0 gives `none`. Not for CONNECT, which a tunnel follows.
 * @param isToHead the request was HEAD
 */
export const responseFraming = ({ status, contentLength, isChunked }: FramingFields, isToHead: boolean): Framing => {
  if (isToHead || status < 200 || status === 204 || status === 304) return 'none';
  if (isChunked) return 'chunked';
  if (contentLength >= 0) return contentLength === 0 ? 'none' : 'length';
  return 'close';
};
