import { faultyHead, type HeadReading, incompleteHead } from './head-fault.js';
import type { MessageHead } from './message-head.js';
import { behindValue, carriageReturn, colon, lineFeed, space, tab, tokenOctets } from './octets.js';

/** Framing and connection fields by number; 0 is any other field. */
const hostField = 1;
const expectField = 2;
const upgradeField = 3;
const connectionField = 4;
const contentLengthField = 5;
const transferEncodingField = 6;

interface KnownName {
  readonly field: number;
  readonly octets: Uint8Array;
}

const known = (field: number, name: string): KnownName => ({
  field,
  octets: Uint8Array.from(name, (letter) => letter.charCodeAt(0)),
});

/** Lower case, indexed by length; all lengths differ. */
const byLength: readonly (KnownName | undefined)[] = [
  known(hostField, 'host'),
  known(expectField, 'expect'),
  known(upgradeField, 'upgrade'),
  known(connectionField, 'connection'),
  known(contentLengthField, 'content-length'),
  known(transferEncodingField, 'transfer-encoding'),
].reduce<(KnownName | undefined)[]>((lengths, name) => {
  lengths[name.octets.length] = name;
  return lengths;
}, new Array<KnownName | undefined>(18).fill(undefined));

/** Number of the field whose name stands between two offsets, in any case. */
const knownField = (octets: Uint8Array, start: number, end: number): number => {
  const length = end - start;
  const name = length < 18 ? byLength[length] : undefined;
  if (name === undefined) return 0;
  const expected = name.octets;
  for (let index = 0; index < length; index += 1) {
    // This bit maps upper-case to lower-case letters; a hyphen already has it.
    if (((octets[start + index] as number) | 0x20) !== expected[index]) return 0;
  }
  return name.field;
};

/** Whether a range equals `lower`, ignoring case. `lower` holds lower-case letters and hyphens. */
const isText = (octets: Uint8Array, start: number, end: number, lower: string): boolean => {
  if (end - start !== lower.length) return false;
  for (let index = 0; index < lower.length; index += 1) {
    const octet = octets[start + index] as number;
    const folded = octet >= 0x41 && octet <= 0x5a ? octet | 0x20 : octet;
    if (folded !== lower.charCodeAt(index)) return false;
  }
  return true;
};

/** More digits would not be exact. */
const maxLengthDigits = 15;

const comma = 0x2c;

const invalidLineEnd = faultyHead('invalid_line_end');
const invalidFieldName = faultyHead('invalid_field_name');
const invalidFieldValue = faultyHead('invalid_field_value');
const obsoleteFold = faultyHead('obsolete_fold');
const invalidConnection = faultyHead('invalid_connection');

const isBlank = (octet: number): boolean => octet === space || octet === tab;

/**
 * Content-Length (RFC 9110, section 8.6): digits only, leading zeros are decimal. -1 otherwise,
 * also for a list of equal numbers, which the RFC lets a recipient accept or refuse.
 */
const readLength = (octets: Uint8Array, start: number, end: number): number => {
  if (start === end || end - start > maxLengthDigits) return -1;
  let length = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (octets[at] as number) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    length = length * 10 + digit;
  }
  return length;
};

/**
 * Connection options (RFC 9110, section 7.6.1): only tokens and empty members (section 5.6.1.2). A
 * fault, or 0.
 */
const readConnectionOptions = (octets: Uint8Array, start: number, end: number, head: MessageHead): HeadReading => {
  let at = start;
  while (at < end) {
    const begin = at;
    while (at < end && tokenOctets[octets[at] as number] === 1) at += 1;
    if (at === begin) {
      if (octets[at] !== comma && !isBlank(octets[at] as number)) return invalidConnection;
      at += 1;
      continue;
    }
    if (isText(octets, begin, at, 'close')) head.saysClose = true;
    else if (isText(octets, begin, at, 'keep-alive')) head.saysKeepAlive = true;
    else if (isText(octets, begin, at, 'upgrade')) head.saysUpgrade = true;
    while (at < end && isBlank(octets[at] as number)) at += 1;
    if (at < end && octets[at] !== comma) return invalidConnection;
  }
  return 0;
};

/**
 * Whether a framing field has a tab around its value. The RFC strips it (RFC 9112, section 5), but
 * some parsers keep it, such as nginx and Node's response parser; they see another framing.
 */
const isTabbedFraming = (
  field: number,
  octets: Uint8Array,
  nameEnd: number,
  start: number,
  end: number,
  lineEnd: number,
) => {
  if (field !== contentLengthField && field !== transferEncodingField) return false;
  for (let at = nameEnd + 1; at < start; at += 1) if (octets[at] === tab) return true;
  for (let at = end; at < lineEnd; at += 1) if (octets[at] === tab) return true;
  return false;
};

/** Applies a framing or connection field. A fault, or 0. */
const heed = (field: number, octets: Uint8Array, start: number, end: number, head: MessageHead): HeadReading => {
  switch (field) {
    case hostField:
      if (head.hostField >= 0) return faultyHead('repeated_host');
      head.hostField = head.fieldCount;
      return 0;
    case contentLengthField:
      if (head.contentLength >= 0) return faultyHead('repeated_content_length');
      head.contentLength = readLength(octets, start, end);
      head.lengthField = head.fieldCount;
      return head.contentLength < 0 ? faultyHead('invalid_content_length') : 0;
    case transferEncodingField:
      if (head.isChunked) return faultyHead('repeated_transfer_encoding');
      head.isChunked = isText(octets, start, end, 'chunked');
      return head.isChunked ? 0 : faultyHead('unknown_transfer_coding');
    case connectionField:
      return readConnectionOptions(octets, start, end, head);
    case upgradeField:
      // HTTP/1.0 ignores Upgrade and Expect (RFC 9110, sections 7.8 and 10.1.1).
      head.namesWebSocket = !head.hasUpgrade && head.minorVersion === 1 && isText(octets, start, end, 'websocket');
      head.hasUpgrade = true;
      return 0;
    case expectField:
      if (head.minorVersion === 1 && isText(octets, start, end, '100-continue')) head.expectsContinue = true;
      return 0;
    default:
      return 0;
  }
};

/**
 * Parses field lines from `at` to the empty line (RFC 9112, section 5). Returns the offset behind
 * it, `incompleteHead` or a fault. A space before the colon is refused in responses too; section
 * 5.1 would strip it, but not every parser does. Other semantics are the caller's: an empty Host is
 * accepted, for example.
 * @param origin start of the head, from which offsets count
 * @param isTrailer fields have no framing meaning (RFC 9110, section 6.5.1)
 */
export const readFields = (
  octets: Uint8Array,
  from: number,
  end: number,
  origin: number,
  head: MessageHead,
  isTrailer: boolean,
): HeadReading => {
  let at = from;
  for (;;) {
    if (at >= end) return incompleteHead;
    const nameStart = at;
    while (at < end && tokenOctets[octets[at] as number] === 1) at += 1;
    if (at >= end) return incompleteHead;
    if (at === nameStart) {
      const first = octets[at] as number;
      if (isBlank(first)) return obsoleteFold;
      if (first === lineFeed) return invalidLineEnd;
      if (first !== carriageReturn) return invalidFieldName;
      if (at + 1 >= end) return incompleteHead;
      return octets[at + 1] === lineFeed ? at + 2 : invalidLineEnd;
    }
    if (octets[at] !== colon) return invalidFieldName;
    const nameEnd = at;
    at += 1;
    while (at < end && isBlank(octets[at] as number)) at += 1;
    const valueStart = at;
    at = behindValue(octets, at, end);
    if (at >= end) return incompleteHead;
    if (octets[at] !== carriageReturn) return octets[at] === lineFeed ? invalidLineEnd : invalidFieldValue;
    if (at + 1 >= end) return incompleteHead;
    if (octets[at + 1] !== lineFeed) return invalidLineEnd;
    let valueEnd = at;
    while (valueEnd > valueStart && isBlank(octets[valueEnd - 1] as number)) valueEnd -= 1;
    if (valueEnd !== at || valueStart !== nameEnd + 2 || octets[nameEnd + 1] !== space) head.isPlain = false;
    at += 2;
    const field = isTrailer ? 0 : knownField(octets, nameStart, nameEnd);
    if (field !== 0) {
      const fault = heed(field, octets, valueStart, valueEnd, head);
      if (fault !== 0) return fault;
      if (isTabbedFraming(field, octets, nameEnd, valueStart, valueEnd, at - 2)) {
        return faultyHead(field === contentLengthField ? 'invalid_content_length' : 'unknown_transfer_coding');
      }
    }
    head.add(nameStart - origin, nameEnd - origin, valueStart - origin, valueEnd - origin);
  }
};
