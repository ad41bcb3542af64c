import { faultyHead, type HeadReading, incompleteHead } from './head-fault.js';
import type { MessageHead } from './message-head.js';
import { behindValue, carriageReturn, colon, lineFeed, space, tab, tokenOctets } from './octets.js';

/** Fields that say how a message is framed, or what becomes of its connection, by number; 0 is any other. */
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

/** In lower case, by length: no two are of one length. */
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

/** The number of the field whose name, a token in any case, stands between the two places. */
const knownField = (octets: Uint8Array, start: number, end: number): number => {
  const length = end - start;
  const name = length < 18 ? byLength[length] : undefined;
  if (name === undefined) return 0;
  const expected = name.octets;
  for (let index = 0; index < length; index += 1) {
    // Of tokens, letters and their capitals alone are one with this bit; a hyphen has it.
    if (((octets[start + index] as number) | 0x20) !== expected[index]) return 0;
  }
  return name.field;
};

/** Whether the octets between two places are this text, in any case. `lower`: letters and hyphens in lower case. */
const isText = (octets: Uint8Array, start: number, end: number, lower: string): boolean => {
  if (end - start !== lower.length) return false;
  for (let index = 0; index < lower.length; index += 1) {
    const octet = octets[start + index] as number;
    const folded = octet >= 0x41 && octet <= 0x5a ? octet | 0x20 : octet;
    if (folded !== lower.charCodeAt(index)) return false;
  }
  return true;
};

/** More digits could not be counted exactly. */
const maxLengthDigits = 15;

const comma = 0x2c;

const invalidLineEnd = faultyHead('invalid_line_end');
const invalidFieldName = faultyHead('invalid_field_name');
const invalidFieldValue = faultyHead('invalid_field_value');
const obsoleteFold = faultyHead('obsolete_fold');
const invalidConnection = faultyHead('invalid_connection');

const isBlank = (octet: number): boolean => octet === space || octet === tab;

/**
 * Content-Length (RFC 9110, section 8.6): digits alone; -1 where it is something else, a list of equal numbers among them,
 * which a reader may take for one (section 8.6 leaves that open). Leading zeros are no octal number: the RFC has them decimal.
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
 * Connection options (RFC 9110, section 7.6.1): tokens and empty members, as section 5.6.1.2 has it, and nothing else. A
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
 * Whether a field that frames the body has a tab around its value. That is no part of it (RFC 9112, section 5), but to some readers it
 * is, Node's of responses and nginx among them: they see another framing, or none.
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

/** Takes in what a field says of framing and connection. A fault, or 0. */
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
      // HTTP/1.0 has no upgrades and no expectations: they are to be ignored there (RFC 9110, sections 7.8 and 10.1.1).
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
 * Reads field lines up to the empty line that ends them (RFC 9112, section 5), from `at` on. Gives the place behind it, or
 * `incompleteHead`, or a fault.
 *
 * A space before the colon is refused in responses too, where section 5.1 would have it removed: not every reader does.
 * What a name or a value means beyond framing and connection is for others to judge: an empty Host is read, for instance.
 *
 * @param origin where the head begins: places count from there
 * @param isTrailer fields say nothing of framing then, whatever their names (RFC 9110, section 6.5.1)
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
