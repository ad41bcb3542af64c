import { type HeadLines, lineLength, linesOfField, unchanged } from './head-lines.js';
import { isOf, ownCopy, targetOctets, tokenOctets, valueOctets } from './octets.js';

/** Of the status codes that are registered (RFC 9110, section 15, and the registry of IANA). */
const phrases: ReadonlyMap<number, string> = new Map([
  [100, 'Continue'],
  [101, 'Switching Protocols'],
  [102, 'Processing'],
  [103, 'Early Hints'],
  [200, 'OK'],
  [201, 'Created'],
  [202, 'Accepted'],
  [203, 'Non-Authoritative Information'],
  [204, 'No Content'],
  [205, 'Reset Content'],
  [206, 'Partial Content'],
  [207, 'Multi-Status'],
  [208, 'Already Reported'],
  [226, 'IM Used'],
  [300, 'Multiple Choices'],
  [301, 'Moved Permanently'],
  [302, 'Found'],
  [303, 'See Other'],
  [304, 'Not Modified'],
  [305, 'Use Proxy'],
  [307, 'Temporary Redirect'],
  [308, 'Permanent Redirect'],
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [402, 'Payment Required'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [406, 'Not Acceptable'],
  [407, 'Proxy Authentication Required'],
  [408, 'Request Timeout'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [411, 'Length Required'],
  [412, 'Precondition Failed'],
  [413, 'Content Too Large'],
  [414, 'URI Too Long'],
  [415, 'Unsupported Media Type'],
  [416, 'Range Not Satisfiable'],
  [417, 'Expectation Failed'],
  [421, 'Misdirected Request'],
  [422, 'Unprocessable Content'],
  [423, 'Locked'],
  [424, 'Failed Dependency'],
  [425, 'Too Early'],
  [426, 'Upgrade Required'],
  [428, 'Precondition Required'],
  [429, 'Too Many Requests'],
  [431, 'Request Header Fields Too Large'],
  [451, 'Unavailable For Legal Reasons'],
  [500, 'Internal Server Error'],
  [501, 'Not Implemented'],
  [502, 'Bad Gateway'],
  [503, 'Service Unavailable'],
  [504, 'Gateway Timeout'],
  [505, 'HTTP Version Not Supported'],
  [506, 'Variant Also Negotiates'],
  [507, 'Insufficient Storage'],
  [508, 'Loop Detected'],
  [511, 'Network Authentication Required'],
]);

/** The reason phrase of a status; empty where there is none. */
const reasonPhrase = (status: number): string => phrases.get(status) ?? '';

/** A part of a head that would be read as something else than what was meant, or not at all. */
export class UnwritableHeadError extends Error {
  constructor(part: 'method' | 'request-target' | 'status' | 'field name' | 'field value' | 'chunk size') {
    super(`the ${part} cannot be written`);
    this.name = 'UnwritableHeadError';
  }
}

/** Lines of a received head that are looked at to find a field in it: so what all fields together cost stays linear. */
const maxLooks = 16;

const noFields: readonly string[] = [];

const isToken = (text: string): boolean => text !== '' && isOf(text, tokenOctets);

/** Field names that were looked at last, and found to be such: the same few are written again and again. A power of 2. */
const soundNames: string[] = new Array<string>(64).fill('');
/** Characters: no longer name is kept, and with it what it is part of. */
const longestKept = 32;

/** A line that is written anew, with its end. */
const ownLine = (name: string, value: string): string => {
  const remembered = linesOfField(name);
  const known = remembered === null ? null : remembered.take(value);
  if (known !== null) return known;
  const slot = (name.length * 5 + name.charCodeAt(0) * 3 + name.charCodeAt(name.length - 1)) & 63;
  if (name === '' || soundNames[slot] !== name) {
    if (!isToken(name)) throw new UnwritableHeadError('field name');
    if (name.length <= longestKept) soundNames[slot] = ownCopy(name);
  }
  if (!isOf(value, valueOctets)) throw new UnwritableHeadError('field value');
  const line = `${name}: ${value}\r\n`;
  remembered?.remember(value, line);
  return line;
};

/**
 * Field lines, each with its end (RFC 9112, section 5), behind what is there already. Fields that stand in the received head as
 * they are written here were found to be sound when that was read; they are taken from it, line behind line in one piece. All
 * others are looked at.
 *
 * @param before the lines before; empty where they are those of the received head
 * @param fields name and value in turn
 * @param same how many of them, from the first on, are the first of the received ones: what `unchanged` says
 */
const withFields = (before: string, fields: readonly string[], received: HeadLines | null, same: number): string => {
  const known = received === null ? noFields : received.fields;
  let text = before;
  /** Of the received fields: the first behind the last that was taken. */
  let next = same;
  /** Where its line begins. */
  let end = received === null ? 0 : received.endOf(same);
  /** Where the lines begin that were taken and are not yet in the text. */
  let begin = before === '' || received === null ? 0 : received.start;
  for (let at = same; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    const value = fields[at + 1] as string;
    const last = Math.min(known.length, next + maxLooks * 2);
    let found = next;
    let place = end;
    while (found < last && (known[found] !== name || known[found + 1] !== value)) {
      place += lineLength(known[found] as string, known[found + 1] as string);
      found += 2;
    }
    if (found < last) {
      if (found !== next) {
        if (begin < end) text += (received as HeadLines).text.slice(begin, end);
        begin = place;
      }
      next = found + 2;
      end = place + lineLength(name, value);
    } else {
      if (begin < end) text += (received as HeadLines).text.slice(begin, end);
      begin = end;
      text += ownLine(name, value);
    }
  }
  return begin < end ? text + (received as HeadLines).text.slice(begin, end) : text;
};

/** Field lines, each with its end (RFC 9112, section 5). `fields`: name and value in turn. */
export const fieldLines = (fields: readonly string[]): string => {
  let text = '';
  for (let at = 0; at + 1 < fields.length; at += 2) text += ownLine(fields[at] as string, fields[at + 1] as string);
  return text;
};

/** Octets of a request line beside method and target. */
const requestLineExtra = ' '.length + ' HTTP/1.1\r\n'.length;

/** A request line, with its end (RFC 9112, section 3). Throws an `UnwritableHeadError`. */
export const requestLine = (method: string, requestTarget: string): string => {
  if (!isToken(method)) throw new UnwritableHeadError('method');
  if (requestTarget === '' || !isOf(requestTarget, targetOctets)) throw new UnwritableHeadError('request-target');
  return `${method} ${requestTarget} HTTP/1.1\r\n`;
};

/** Whether the request line in the received head is the one that would be written. */
const hasRequestLine = ({ text, methodEnd, start }: HeadLines, method: string, requestTarget: string): boolean =>
  methodEnd === method.length &&
  methodEnd > 0 &&
  start === methodEnd + requestTarget.length + requestLineExtra &&
  // The minor version is all that can differ of what is behind the target.
  text.charCodeAt(start - 3) === 0x31 &&
  text.startsWith(method) &&
  text.startsWith(requestTarget, methodEnd + 1);

/**
 * A head (RFC 9112, sections 3 and 5), one character for each octet, without the empty line: more lines may follow. Whether
 * the fields frame the body that comes is for others to see to. Throws an `UnwritableHeadError`.
 *
 * @param received a head of which some fields may be; the text is the same without it
 * @param same what `unchanged` says of the fields
 */
export const requestHeadText = (
  method: string,
  requestTarget: string,
  fields: readonly string[],
  received: HeadLines | null = null,
  same = unchanged(fields, received),
): string => {
  if (received !== null && hasRequestLine(received, method, requestTarget)) {
    return withFields('', fields, received, same);
  }
  return withFields(requestLine(method, requestTarget), fields, received, same);
};

const statusLines: readonly (string | undefined)[] = Array.from({ length: 1_000 }, (_, status) =>
  status < 100 ? undefined : `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`,
);

/** A status line, with its end (RFC 9112, section 4). Throws an `UnwritableHeadError`. */
export const statusLine = (status: number): string => {
  const line = statusLines[status];
  if (line === undefined) throw new UnwritableHeadError('status');
  return line;
};

/** The same as `requestHeadText` for a response (RFC 9112, section 4). */
export const responseHeadText = (
  status: number,
  fields: readonly string[],
  received: HeadLines | null = null,
): string => withFields(statusLine(status), fields, received, unchanged(fields, received));

/** What comes before the octets of a chunk. Throws an `UnwritableHeadError` for none: that would be the last chunk. */
export const chunkStart = (octets: number): string => {
  if (!Number.isSafeInteger(octets) || octets < 1) throw new UnwritableHeadError('chunk size');
  return `${octets.toString(16)}\r\n`;
};

/** What comes behind them. */
export const chunkEnd = '\r\n';

/** The last chunk and the trailer section. */
export const lastChunk = (trailers: readonly string[]): string => `0\r\n${fieldLines(trailers)}\r\n`;
