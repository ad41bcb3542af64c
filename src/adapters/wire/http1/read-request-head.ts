import { faultyHead, type HeadReading, incompleteHead } from './head-fault.js';
import { MessageHead } from './message-head.js';
import { carriageReturn, lineFeed, space, targetOctets, tokenOctets } from './octets.js';
import { readFields } from './read-fields.js';
import { canBeVersion, readVersion, versionLength } from './read-version.js';

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

/** What the last call of `readRequestHead` has found. */
export const requestHead = new RequestHead();

/**
 * Reads the head of a request (RFC 9112, sections 2 to 6): the octets between two places, of which it may be the first
 * part. Empty lines before it are skipped (section 2.2). Gives its octets, empty lines and the last line's end among them.
 *
 * The target is any visible US-ASCII, in whichever form: what it means, and whether Host fits to it, is for others to judge. A
 * higher minor version, which section 2.3 of RFC 9110 lets pass for 1.1, is refused: nobody speaks one.
 *
 * @param maxOctets of the head, empty lines before it apart: their number is nothing that a limit of heads has to hold
 */
export const readRequestHead = (octets: Uint8Array, start: number, end: number, maxOctets: number): HeadReading => {
  requestHead.clear();
  let origin = start;
  while (origin + 1 < end && octets[origin] === carriageReturn && octets[origin + 1] === lineFeed) origin += 2;
  requestHead.emptyOctets = origin - start;
  if (origin >= end) return incompleteHead;
  if (octets[origin] === carriageReturn) return origin + 1 < end ? faultyHead('invalid_line_end') : incompleteHead;
  const limit = Math.min(end, origin + maxOctets);
  const reading = read(octets, origin, limit);
  if (reading > 0) return reading - start;
  if (reading < 0 || end - origin < maxOctets) return reading;
  // The line feed of the first line has not come within the limit.
  const head = octets.subarray(origin, limit);
  if (head.indexOf(lineFeed) >= 0) return faultyHead('head_too_large');
  return faultyHead(head.indexOf(space) < 0 ? 'method_too_long' : 'first_line_too_long');
};

const read = (octets: Uint8Array, origin: number, end: number): HeadReading => {
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
 * Reads a request line alone (RFC 9112, section 3), with nothing before it: for a head whose fields are known already.
 * `requestHead` is that of a request without a field then. Gives the octets of the line, its end among them; `incompleteHead` or
 * a fault where `readRequestHead` would say what it is.
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
    // A line that ends here is a request of HTTP/0.9.
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
